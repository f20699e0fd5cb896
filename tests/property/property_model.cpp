// The model against the oracle on many random nests:
//
//     property_model --nests 1000000 --seed 7 [--first 250000] [--operations 2000]
//     property_model --nest FILE
//
// Nest i of a seed is always the same, so a run can be split or taken up again with --first. A nest on which the two
// differ is shrunk and printed as text that --nest reads; the exit status is then 1.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "base/files/file.hpp"
#include "base/numbers/random.hpp"
#include "compare.hpp"
#include "harness.hpp"
#include "random_nest.hpp"
#include "shrink.hpp"

namespace {

using tilewright::Random;
using namespace tilewright::property;

struct Options {
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

// How many failures it is: 0 or 1.
int check(const Cases& cases, const Options& options, std::uint64_t number, std::uint64_t& compared) {
    const Nest nest =
        (options.uneven ? random_uneven_nest : random_nest)(Random::split(cases.seed, number), cases.operations);
    ++compared;
    if (differences(nest).empty()) return 0;
    print_failure(nest, "nest " + std::to_string(number) + " of seed " + std::to_string(cases.seed), !options.uneven);
    return 1;
}

int run_file(const std::string& file) {
    const Nest nest = parse_nest(tilewright::read_file(file));
    const std::string differs = differences(nest);
    std::printf("%s%s", to_text(nest).c_str(), differs.empty() ? "model and oracle agree\n" : differs.c_str());
    return differs.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    std::uint64_t compared = 0;
    Harness harness("property_model", "The model against the oracle on random nests",
                    {.kind = "nests", .count = 20'000, .operations = 1000});
    harness.line.option("--uneven", &options.uneven, "uneven mappings (which are not shrunk)");
    harness.line.option("--nest", &options.file, "compare on the nest in this file instead");
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    if (!options.file.empty()) return run_file(options.file);
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), options, number, compared); },
                       [&] {
                           std::printf("%llu nests: model and oracle were compared on each\n",
                                       static_cast<unsigned long long>(compared));
                       });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_model: %s\n", error.what());
    return 2;
}
