// What property programs have in common: numbered random cases, how many failures end a run, what a run has to have
// seen, and how to take up one that was interrupted.
//
//     Tally tally;
//     property::Harness harness("property_cosa", "Checks CoSA's schedules of small problems", {.count = 2000});
//     harness.line.option("--points", &points);
//     harness.least("scheduled", "problems with good schedules", &tally.scheduled);
//     if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
//     return harness.run([&](std::uint64_t number) { return failures_of(number); }, [&] { print(tally); });
//
// A case depends on the seed and its number alone, so the cases from 500 on are the same with or without the first 500.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/numbers/random.hpp"
#include "command_line/command_line.hpp"

namespace tilewright::property {

/// The options that every program has. The values a program starts with are its defaults.
struct Cases {
    std::string kind = "problems";  ///< what they are called: --problems N
    std::uint64_t count = 2000;     ///< how many, from `first` on
    std::uint64_t seed = 1;
    std::uint64_t first = 0;
    std::int64_t operations = 200;  ///< multiply-accumulates that a case has at most
    int most_failures = 1;
};

/// False, with a line that says so, when fewer were seen than a test asks for: one that compared nothing shows nothing.
bool enough(const std::string& seen, std::uint64_t count, std::uint64_t least);

class Harness {
   public:
    /// `name`: of the program; `what`: the first line of its --help.
    Harness(std::string name, const std::string& what, Cases defaults);

    CommandLine line;  ///< where a program adds its own options, before parse()

    /// --least-NAME M: a run that saw fewer fails. `seen` is counted by the program: "problems that were compared".
    void least(const std::string& name, const std::string& seen, const std::uint64_t* count);

    /// The exit status where the program has to end here, as of CommandLine::parse().
    std::optional<int> parse(int argc, const char* const* argv) { return line.parse(argc, argv); }

    const Cases& cases() const { return cases_; }
    std::uint64_t seed_of(std::uint64_t number) const { return Random::split(cases_.seed, number); }

    /// Runs the cases; each prints its failures and says how many they are. After the last one, and now and then on
    /// long runs, `print` says what was seen.
    /// Returns the exit status: 0; 1 after failures or when too little was seen; 2 when a case threw.
    int run(const std::function<int(std::uint64_t)>& failures_of, const std::function<void()>& print) const;

   private:
    struct Least {
        std::string seen;
        const std::uint64_t* count;
        std::uint64_t least = 0;
    };

    bool saw_enough() const;

    std::string name_;
    Cases cases_;
    std::deque<Least> least_;  ///< its elements stay where options write to
};

}  // namespace tilewright::property
