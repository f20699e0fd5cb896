// The lean evaluator against check() and the exact model on many random nests:
//
//     property_lean --nests 1000000 --seed 7 [--first 250000] [--operations 2000]
//
// The nests are those of property_model; two loops of one kind and dimension at one memory have no point and are
// skipped, wires cost in two nests of five only. A nest on which the two differ is shrunk and printed; the exit status
// is then 1.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapping/tiling_point.hpp"
#include "model/exact/model.hpp"
#include "model/lean/lean.hpp"
#include "random_nest.hpp"
#include "shrink.hpp"

namespace {

using namespace tilewright;
using tilewright::property::Nest;

std::optional<TilingPoint> point_of(const Nest& nest) {
    return tilewright::point_of(nest.mapping, nest.einsum, nest.architecture);
}

std::string kind_of(const std::optional<ViolationKind>& kind) { return kind ? violation_kind_name(*kind) : "none"; }

/// What is different, or "".
std::string differences(const Nest& nest) {
    const std::optional<TilingPoint> point = point_of(nest);
    if (!point) return "";
    const LeanEvaluator lean(nest.einsum, nest.architecture);
    const LeanCost cost = lean.evaluate(*point);
    const std::vector<Violation> violations = check(nest.einsum, nest.architecture, nest.mapping);
    std::optional<ViolationKind> expected;
    if (!violations.empty()) expected = violations.front().kind;
    if (cost.violation != expected || lean.violation(*point) != expected)
        return "violation: lean " + kind_of(cost.violation) + ", check " + kind_of(expected) + "\n";
    if (expected) return "";
    const Evaluation full = evaluate(nest.einsum, nest.architecture, nest.mapping);
    std::string text;
    if (cost.cycles != full.cycles)
        text += "cycles: lean " + std::to_string(cost.cycles) + ", model " + std::to_string(full.cycles) + "\n";
    if (!(std::abs(cost.energy_pj - full.energy_pj) <= 1e-9 * std::abs(full.energy_pj)))
        text += "energy: lean " + std::to_string(cost.energy_pj) + ", model " + std::to_string(full.energy_pj) + "\n";
    if (const std::optional<LeanCost> bound = lean.quick_bound(*point, LeanScratch()))
        if (!bound->valid() || bound->cycles != full.cycles || bound->energy_pj > full.energy_pj * (1.0 + 1e-9))
            text += "without wires: lean " + std::to_string(bound->energy_pj) + " pJ, " +
                    std::to_string(bound->cycles) + " cycles; model " + std::to_string(full.energy_pj) + ", " +
                    std::to_string(full.cycles) + "\n";
    return text;
}

/// A network of any kind, with every price that it may have.
Link random_link(Random& random) {
    Link link;
    const auto price = [&random] { return static_cast<double>(random.between(0, 40)) / 8.0; };
    link.kind = std::array{NetworkKind::legacy, NetworkKind::simple_multicast, NetworkKind::reduction_tree}.at(
        static_cast<std::size_t>(random.below(3)));
    link.energy_per_hop_pj = price();
    if (random.chance(0.5)) link.router_energy_pj = price();
    link.adder_energy_pj = price();
    if (random.chance(0.5)) link.multicast_energy_pj = {{1, price()}, {2, price()}, {4, price()}};
    return link;
}

/// Wires cost in two nests of five, in one of them by hops only; passages and writes that stop the units in one.
Nest nest_of(const property::Cases& cases, std::uint64_t index) {
    Nest nest = property::random_nest(Random::split(cases.seed, index), cases.operations);
    if (index % 5 == 0) return nest;
    Random random(Random::split(cases.seed + 1, index));
    for (Memory& memory : nest.architecture.memories) {
        memory.link.energy_per_hop_pj = 0.0;
        if (index % 5 == 2 && random.chance(0.3))
            memory.write_stall_cycles = static_cast<double>(random.between(1, 24)) / 8.0;
        if (index % 5 == 2)
            for (const Tensor& tensor : nest.einsum.tensors)
                if (random.chance(0.6))
                    memory.link.passages.push_back(
                        {"passage", tensor.name, {static_cast<double>(random.between(0, 40)) / 8.0, ""}, 2.0});
        if (index % 5 != 1) continue;
        memory.link = random_link(random);
        if (random.chance(0.3)) memory.update_link = random_link(random);
    }
    return nest;
}

// How many failures it is: 0 or 1.
int check(const property::Cases& cases, std::uint64_t number, std::uint64_t& compared) {
    const Nest nest = nest_of(cases, number);
    compared += point_of(nest) ? 1 : 0;
    if (differences(nest).empty()) return 0;
    const Nest smallest = property::shrink(nest, [](const Nest& smaller) { return !differences(smaller).empty(); });
    std::printf("--- nest %llu of seed %llu\n%s%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), to_text(nest).c_str(), differences(nest).c_str());
    std::printf("--- the same, shrunk\n%s%s", to_text(smallest).c_str(), differences(smallest).c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t compared = 0;
    property::Harness harness("property_lean", "The lean evaluator against the model on random nests",
                              {.kind = "nests", .count = 20'000, .operations = 1000});
    harness.least("points", "nests with a point that were compared", &compared);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), number, compared); },
                       [&] {
                           std::printf("%llu nests with a point: lean evaluator and model were compared on each\n",
                                       static_cast<unsigned long long>(compared));
                       });
}
