#include "harness.hpp"

#include <chrono>
#include <cstdio>
#include <exception>

namespace tilewright::property {
namespace {

using Clock = std::chrono::steady_clock;

unsigned long long shown(std::uint64_t number) { return number; }

/// A line per minute of work, on standard error.
class Progress {
   public:
    explicit Progress(const Cases& cases) : cases_(cases) {}

    void done(std::uint64_t count) {
        const Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::minutes(1)) return;
        last_ = now;
        std::fprintf(stderr, "%llu of %llu %s, %.0f s; take up again with --first %llu\n", shown(count),
                     shown(cases_.count), cases_.kind.c_str(), std::chrono::duration<double>(now - start_).count(),
                     shown(cases_.first + count));
    }

   private:
    const Cases& cases_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace

bool enough(const std::string& seen, std::uint64_t count, std::uint64_t least) {
    if (count >= least) return true;
    std::printf("only %llu %s, at least %llu were expected\n", shown(count), seen.c_str(), shown(least));
    return false;
}

Harness::Harness(std::string name, const std::string& what, Cases defaults)
    : line(what), name_(std::move(name)), cases_(std::move(defaults)) {
    line.option("--" + cases_.kind, &cases_.count, "how many, from --first on");
    line.option("--seed", &cases_.seed, "another one draws others");
    line.option("--first", &cases_.first, "number of the first, to take up a run again or to repeat a failure");
    line.option("--operations", &cases_.operations, "multiply-accumulates of each, at most");
    line.option("--failures", &cases_.most_failures, "stop after so many");
}

void Harness::least(const std::string& name, const std::string& seen, const std::uint64_t* count) {
    least_.push_back({seen, count});
    line.option("--least-" + name, &least_.back().least, seen + ", at least; fewer are a failure");
}

bool Harness::saw_enough() const {
    bool all = true;
    for (const Least& one : least_) all = enough(one.seen, *one.count, one.least) && all;
    return all;
}

int Harness::run(const std::function<int(std::uint64_t)>& failures_of, const std::function<void()>& print) const try {
    constexpr std::uint64_t kBetweenTallies = 10'000;
    Progress progress(cases_);
    int failures = 0;
    for (std::uint64_t done = 0; done < cases_.count && failures < cases_.most_failures;) {
        failures += failures_of(cases_.first + done);
        progress.done(++done);
        if (done % kBetweenTallies == 0 && done < cases_.count) print();
        std::fflush(stdout);
    }
    print();
    if (failures > 0) std::printf("%d failures, seed %llu\n", failures, shown(cases_.seed));
    return saw_enough() && failures == 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
    return 2;
}

}  // namespace tilewright::property
