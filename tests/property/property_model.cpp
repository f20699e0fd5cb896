// The model against the oracle on many random nests:
//
//     property_model --nests 1000000 --seed 7 [--first 250000] [--operations 2000]
//     property_model --nest FILE
//
// Nest i of a seed is always the same, so a run can be split or taken up again with --first. A nest on which the two
// differ is shrunk and printed as text that --nest reads; the exit status is then 1.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/random.hpp"
#include "command_line/command_line.hpp"
#include "compare.hpp"
#include "random_nest.hpp"
#include "shrink.hpp"

namespace {

using tilewright::Random;
using namespace tilewright::property;

struct Options {
    std::uint64_t nests = 20000;
    std::uint64_t seed = 1;
    std::uint64_t first = 0;
    std::int64_t operations = 1000;
    int most_failures = 1;
    bool uneven = false;
    std::string file;
};

void print_failure(const Nest& nest, const std::string& title, bool can_shrink) {
    std::printf("--- %s\n%s%s", title.c_str(), to_text(nest).c_str(), differences(nest).c_str());
    std::fflush(stdout);
    if (!can_shrink) return;
    const Nest smallest = shrink(nest, [](const Nest& smaller) { return !differences(smaller).empty(); });
    std::printf("--- the same, shrunk\n%s%s", to_text(smallest).c_str(), differences(smallest).c_str());
    std::fflush(stdout);
}

class Progress {
   public:
    explicit Progress(const Options& options) : options_(options) {}

    /// A line per minute of work.
    void done(std::uint64_t nests) {
        const auto now = Clock::now();
        if (now - last_ < std::chrono::minutes(1)) return;
        last_ = now;
        const double seconds = std::chrono::duration<double>(now - start_).count();
        std::fprintf(stderr, "%llu of %llu nests, %.0f s; take up again with --first %llu\n",
                     static_cast<unsigned long long>(nests), static_cast<unsigned long long>(options_.nests), seconds,
                     static_cast<unsigned long long>(options_.first + nests));
    }

   private:
    using Clock = std::chrono::steady_clock;
    const Options& options_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

int run(const Options& options) {
    Progress progress(options);
    int failures = 0;
    for (std::uint64_t i = 0; i < options.nests && failures < options.most_failures; ++i) {
        const std::uint64_t index = options.first + i;
        const Nest nest =
            (options.uneven ? random_uneven_nest : random_nest)(Random::split(options.seed, index), options.operations);
        if (!differences(nest).empty()) {
            ++failures;
            print_failure(nest, "nest " + std::to_string(index) + " of seed " + std::to_string(options.seed),
                          !options.uneven);
        }
        progress.done(i + 1);
    }
    if (failures > 0) return 1;
    std::printf("%llu nests of seed %llu from %llu on: model and oracle agree on all\n",
                static_cast<unsigned long long>(options.nests), static_cast<unsigned long long>(options.seed),
                static_cast<unsigned long long>(options.first));
    return 0;
}

int run_file(const std::string& file) {
    const Nest nest = parse_nest(tilewright::read_file(file));
    const std::string differs = differences(nest);
    std::printf("%s%s", to_text(nest).c_str(), differs.empty() ? "model and oracle agree\n" : differs.c_str());
    return differs.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    tilewright::CommandLine line("The model against the oracle on random nests");
    line.option("--nests", &options.nests, "how many");
    line.option("--seed", &options.seed, "which family of nests");
    line.option("--first", &options.first, "index of the first nest");
    line.option("--operations", &options.operations, "most multiply-accumulates of a nest");
    line.option("--uneven", &options.uneven, "uneven mappings (which are not shrunk)");
    line.option("--failures", &options.most_failures, "stop after so many");
    line.option("--nest", &options.file, "compare on the nest in this file instead");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    try {
        return options.file.empty() ? run(options) : run_file(options.file);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "property_model: %s\n", error.what());
        return 2;
    }
}
