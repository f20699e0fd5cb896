// A verb of the command line: `tilewright map`, `tilewright show`, ... One file per verb; main.cpp holds the table.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "options/options.hpp"

namespace tilewright::cli {

// What the process tells its caller.

enum class ExitStatus {
    done = 0,
    no_answer = 1,      ///< the input is sound, but no legal mapping was found or the given one is not legal
    bad_input = 2,      ///< or wrong usage: the message on stderr says where and what was expected
    interrupted = 130,  ///< Ctrl-C; the best so far was written
};

// What ends a verb with status 1: the input is sound, but there is nothing to answer.

/// Caught by main(), which prints the message and ends with ExitStatus::no_answer.
class NoAnswer : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// What --help says of a command within a verb: `tilewright explore worker`.
struct HelpAbout {
    std::string name;
    std::string summary;   ///< one line
    std::string synopsis;  ///< what follows "tilewright VERB NAME"
    std::set<std::string> options;
    std::size_t least_words = 0;  ///< behind its own
    std::size_t most_words = 0;
};

/// One run of a verb: its options are declared, parsed into it, then it runs. Throws what the library throws; main()
/// turns that into a message and an exit status.
class Command {
   public:
    virtual ~Command() = default;
    virtual void declare(Options& options) = 0;
    virtual ExitStatus run() = 0;
    /// The words of a command that begins with these; nothing: those of the verb.
    virtual std::optional<HelpAbout> help_about(const std::vector<std::string>& arguments) const {
        static_cast<void>(arguments);
        return std::nullopt;
    }
};

struct Verb {
    std::string name;
    std::string summary;   ///< one line
    std::string synopsis;  ///< what follows "tilewright NAME"
    std::string example;   ///< a whole command line
    std::unique_ptr<Command> (*make)();
};

std::unique_ptr<Command> make_map();
std::unique_ptr<Command> make_evaluate();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_schedule();
std::unique_ptr<Command> make_check();
std::unique_ptr<Command> make_convert();
std::unique_ptr<Command> make_explore();
std::unique_ptr<Command> make_simulate();
std::unique_ptr<Command> make_llm();
std::unique_ptr<Command> make_plot();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_calibrate();
std::unique_ptr<Command> make_tiles();
std::unique_ptr<Command> make_init();
std::unique_ptr<Command> make_completion();

/// All verbs, in the order of --help.
const std::vector<Verb>& verbs();

/// What a verb was given beside the options `known`, as Options::arguments() writes it.
template <class Verb>
std::vector<std::string> given_beside(Verb verb, const std::set<std::string>& known) {
    const auto arguments = [&](Verb& one) {
        Options options;
        one.declare(options);
        return options.arguments(known);
    };
    Verb untouched;
    const std::vector<std::string> usual = arguments(untouched);
    std::vector<std::string> given = arguments(verb);
    std::erase_if(given, [&](const std::string& one) { return std::ranges::count(usual, one) > 0; });
    return given;
}

}  // namespace tilewright::cli
