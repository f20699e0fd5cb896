// Random mappings of one layer, as `map --mapper random` draws them, and what each of the legal ones costs:
//
//     draw_mappings --arch machine.yaml --einsum "O[m,n] += A[m,k] * B[k,n]" --extent m=64 --extent n=64 --extent k=64
//     [--legal 40000] [--seed 1]
//
// Prints one JSON document: how many were drawn, how many draws ran into a dead end, which rule the others broke first,
// and the cycles and energies of the legal ones in the order in which they were drawn. One thread.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "arch/estimation/estimate.hpp"
#include "command_line/command_line.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/einsum_text.hpp"

namespace {

using namespace tilewright;

struct Draws {
    std::int64_t sampled = 0;
    std::int64_t dead_ends = 0;
    std::map<std::string, std::int64_t> violations;  ///< by the first rule that is broken
    std::vector<std::int64_t> cycles;
    std::vector<double> energies_pj;
};

std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::vector<std::string>& sizes) {
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const std::string& size : sizes) {
        const std::size_t equals = size.find('=');
        if (equals == std::string::npos) throw std::runtime_error("--extent takes NAME=N, not '" + size + "'");
        extents.emplace_back(size.substr(0, equals), std::stoll(size.substr(equals + 1)));
    }
    return extents;
}

/// Requires a space that is not empty. Ends after `legal` legal mappings, or 10,000 draws for each of them.
Draws draw(const Mapspace& mapspace, const LeanEvaluator& evaluator, std::int64_t legal, std::uint64_t seed) {
    constexpr std::int64_t kDrawsForOne = 10'000;
    Draws draws;
    Random random(seed);
    TilingPoint point = mapspace.point();
    while (static_cast<std::int64_t>(draws.cycles.size()) < legal && draws.sampled < kDrawsForOne * legal) {
        ++draws.sampled;
        if (!mapspace.sample(random, point)) {
            ++draws.dead_ends;
            continue;
        }
        const LeanCost cost = evaluator.evaluate(point);
        if (cost.violation) {
            ++draws.violations[violation_kind_name(*cost.violation)];
            continue;
        }
        draws.cycles.push_back(cost.cycles);
        draws.energies_pj.push_back(cost.energy_pj);
    }
    return draws;
}

}  // namespace

int main(int argc, char** argv) try {
    std::string machine;
    std::string einsum_text;
    std::vector<std::string> sizes;
    std::int64_t legal = 40'000;
    std::uint64_t seed = 1;
    CommandLine line("Draws random mappings of a layer and costs them");
    line.option("--arch", &machine, "the machine: a YAML file", {.required = true});
    line.option("--einsum", &einsum_text, "the layer", {.required = true});
    line.option("--extent", &sizes, "of a dimension: m=64", {.required = true});
    line.option("--legal", &legal, "mappings to cost", {.positive = true});
    line.option("--seed", &seed, "of the random numbers");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    const yaml::Node root = timeloop::load({machine});
    Architecture architecture = timeloop::read_architecture(root);
    estimate(architecture, Estimator::tables);
    const Einsum einsum = parse_einsum(einsum_text, extents_of(sizes));
    const Mapspace mapspace(einsum, architecture, timeloop::read_constraints(root, architecture, einsum));
    if (!mapspace.problem().empty()) throw std::runtime_error(mapspace.problem());
    const std::clock_t begin = std::clock();
    const Draws draws = draw(mapspace, LeanEvaluator(einsum, architecture), legal, seed);
    const nlohmann::json report{{"sampled", draws.sampled},
                                {"dead_ends", draws.dead_ends},
                                {"violations", draws.violations},
                                {"cycles", draws.cycles},
                                {"energy_pj", draws.energies_pj},
                                {"seed", seed},
                                {"seconds", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC}};
    fmt::print("{}\n", report.dump());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "draw_mappings: %s\n", error.what());
    return 2;
}
