// The search of fused mappings on machines with memories inside the buffer against the enumeration of all of them, on
// tiny cascades.
//
//     property_fused_inside --problems 2000 --seed 7 [--widths] [--front]
//
// The bound is never above the least of the enumeration, and what was found never below it; what is called proven is
// that least. Leaves are enumerated through all even mappings of their boxes, each costed by the exact model with the
// operands that the buffer holds at home there. --front: fronts of energy and cycles instead. Machines demand orders
// and axes of loops now and then, and have wires.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "fused_enumeration.hpp"
#include "fused_front.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/optimize.hpp"
#include "harness.hpp"
#include "leaf_nests.hpp"
#include "mapping/fused/text.hpp"
#include "random_chain.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

constexpr int kBuffer = 1;

struct Tally {
    std::uint64_t problems = 0;
    std::uint64_t compared = 0;
    std::uint64_t mapped = 0;
    std::uint64_t proven = 0;
    std::uint64_t best = 0;    ///< the best of all was found
    std::uint64_t gained = 0;  ///< and it is fused
    std::uint64_t nests = 0;
    std::uint64_t ordered = 0;  ///< the machine demands orders of loops
    std::uint64_t axes = 0;     ///< and which dimensions go along which axis
    std::uint64_t wires = 0;    ///< its wires cost energy
    FrontTally front;
};

// A scratchpad for each half of the array or one for all of it, registers of one to three words, rows of two words now
// and then.
Architecture with_scratchpads(Architecture machine, Random& random) {
    Memory& dram = machine.memories[0];
    dram.block_words = random.between(1, 2);
    machine.memories[kBuffer].block_words = random.between(1, 2);
    Memory scratchpad = machine.memories[kBuffer];
    scratchpad.name = "Scratchpad";
    scratchpad.block_words = 1;
    scratchpad.shared_words_per_cycle = static_cast<double>(random.between(1, 6));
    scratchpad.capacity_words = random.between(2, 8);
    const bool halves = random.chance(0.6);
    scratchpad.instances = halves ? 2 : 1;
    scratchpad.mesh = {halves ? 2 : 1, 1};
    if (random.chance(0.3)) scratchpad.energy.leak_pj_per_cycle.value = 0.25;
    Memory& registers = machine.memories[2];
    registers.capacity_words = random.between(1, 3);
    registers.energy.read_pj.value = registers.energy.fill_pj.value = registers.energy.update_pj.value = 0.125;
    machine.memories.insert(machine.memories.begin() + 2, scratchpad);
    if (random.chance(0.3))
        for (int m = kBuffer; m < machine.memory_count(); ++m)
            machine.memories[m].link.energy_per_hop_pj = 0.125 * static_cast<double>(random.between(1, 8));
    return machine;
}

bool has_wires(const Architecture& machine) { return machine.memories[kBuffer].link.energy_per_hop_pj.has_value(); }

// The eight parts that dimensions of layers play, the first few of them in a random order.
std::vector<int> random_parts(Random& random, std::int64_t most) {
    std::vector<int> parts{0, 1, 2, 3, 4, 5, 6, 7};
    for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
    parts.resize(static_cast<std::size_t>(random.between(1, most)));
    return parts;
}

// Orders of loops, sides of a split, and dimensions that do not spread at all.
void demand_orders(Constraints& demands, const Architecture& machine, Random& random, Tally& tally) {
    bool ordered = false, axes = false;
    for (int m = 1; m < machine.memory_count(); ++m) {
        LevelConstraint& level = demands.levels[m];
        if (random.chance(0.3)) {
            (random.chance(0.5) ? level.temporal.inner : level.temporal.outer) = random_parts(random, 3);
            ordered = true;
        }
        if (machine.fanout(m).size() == 1 || random.chance(0.3)) continue;
        axes = true;
        if (random.chance(0.7)) {
            (random.chance(0.7) ? level.spatial.inner : level.spatial.outer) =
                random_parts(random, random.chance(0.5) ? 3 : 8);
            level.spatial.split = static_cast<int>(random.between(0, 8));
        }
        if (random.chance(0.4)) {
            level.spatial.factors.resize(8);
            for (const int part : random_parts(random, 3)) level.spatial.factors[part].exactly = 1;
        }
    }
    tally.ordered += ordered;
    tally.axes += axes;
}

// Who keeps what is decided but for one memory now and then; Weights, Inputs, Outputs by these numbers.
Constraints random_demands(Random& random, int memories) {
    Constraints demands;
    demands.levels.resize(static_cast<std::size_t>(memories));
    for (int m = 1; m < memories; ++m)
        for (int t = 0; t < 3; ++t) {
            if (m == kBuffer && random.chance(0.3)) continue;
            (random.chance(m == kBuffer ? 0.8 : 0.5) ? demands.levels[m].must_keep : demands.levels[m].must_bypass)
                .add(t);
        }
    return demands;
}

double least(const std::vector<FusedCost>& front, const Objective& objective) {
    double best = std::numeric_limits<double>::infinity();
    for (const FusedCost& cost : front) best = std::min(best, objective.score(cost.energy_pj, cost.cycles).value);
    return best;
}

std::string differences(const fusion::Answer& answer, double best, const Objective& objective, Tally& tally) {
    constexpr double kClose = 1e-7;
    const std::string name(objective_name(objective.kind));
    if (std::isinf(best)) return answer.fused ? name + ": a mapping where there is none\n" : "";
    std::string differ;
    if (answer.bound > best * (1.0 + kClose))
        differ += name + ": bound " + std::to_string(answer.bound) + " above the best, " + std::to_string(best) + "\n";
    if (!answer.fused) return differ;
    const double value = objective.score(answer.fused->evaluation.energy_pj, answer.fused->evaluation.cycles).value;
    if (value < best * (1.0 - kClose))
        differ += name + ": found " + std::to_string(value) + ", the enumeration " + std::to_string(best) + "\n";
    if (answer.proven && value > best * (1.0 + kClose)) differ += name + ": proven and not the best\n";
    tally.proven += answer.proven;
    const bool is_best = value <= best * (1.0 + kClose);
    tally.best += is_best;
    tally.gained += is_best && answer.fused->plan.groups.size() < answer.fused->evaluation.leaves.size();
    return differ;
}

struct Size {
    int einsums = 2;
    std::int64_t nests = 40'000;
    bool widths = false;  ///< tensors have widths of their own
    bool front = false;   ///< fronts instead of the best
};

int look_at(const Cases& cases, const Size& size, std::uint64_t number, Tally& tally) {
    ChainProblem problem = random_chain(Random::split(cases.seed, number), size.einsums);
    if (size.widths) give_widths(problem, Random::split(cases.seed, number) ^ 0xb175);
    Random random(Random::split(cases.seed, number) ^ 0x5eed);
    if (size.front) make_contrary(problem.architecture, random);
    problem.architecture = with_scratchpads(problem.architecture, random);
    std::string wrong;
    Constraints of_layer = random_demands(random, problem.architecture.memory_count());
    Tally seen;  // what is demanded
    demand_orders(of_layer, problem.architecture, random, seen);
    const std::vector<Constraints> demands =
        fusion::demands_of(problem.cascade, problem.architecture, [&](const Einsum&) { return of_layer; }, wrong);
    if (!wrong.empty()) return 0;
    LeafNests leaves(problem.cascade, problem.architecture, demands, static_cast<std::uint64_t>(size.nests));
    ++tally.problems;
    const Enumeration all =
        enumerate_fused(problem.cascade, problem.architecture,
                        {.longest_group = problem.longest_group, .trees = static_cast<std::uint64_t>(cases.operations)},
                        [&](int e, const fusion::LeafQuestion& question, bool) { return leaves.list(e, question); });
    tally.nests += leaves.nests();
    if (!all.complete || leaves.is_too_much()) return 0;
    ++tally.compared;
    if (!all.front.empty()) {
        ++tally.mapped;
        tally.ordered += seen.ordered;
        tally.axes += seen.axes;
        tally.wires += has_wires(problem.architecture);
    }
    // That there is none the search finds out by drawing many: that is looked at now and then.
    constexpr std::uint64_t kNowAndThen = 8;
    if (all.front.empty() && number % kNowAndThen != 0) return 0;
    std::string differ;
    const std::vector<ObjectiveKind> three{ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp};
    for (const ObjectiveKind kind : size.front ? std::vector{ObjectiveKind::pareto} : three) {
        const Objective objective{.kind = kind};
        const fusion::Answer answer =
            fusion::optimize(problem.cascade, problem.architecture, demands, objective, nullptr, problem.longest_group);
        differ += differences(answer, least(all.front, objective), objective, tally);
        if (size.front && !all.front.empty())
            differ += differences_of_front(answer, all.front, problem.cascade, problem.architecture, {}, tally.front);
        if (!differ.empty() && answer.fused)
            differ += to_text(answer.fused->mapping, problem.cascade, problem.architecture);
        if (!differ.empty() || all.front.empty()) break;
    }
    if (differ.empty()) return 0;
    std::printf("--- problem %llu: %s", static_cast<unsigned long long>(number), differ.c_str());
    return 1;
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu problems, %llu compared, %llu mapped, %llu of them with orders, %llu with axes, %llu with wires; of "
        "three "
        "objectives each: %llu proven, %llu times the best was "
        "found, %llu times fused; %llu nests of leaves enumerated\n",
        shown(tally.problems), shown(tally.compared), shown(tally.mapped), shown(tally.ordered), shown(tally.axes),
        shown(tally.wires), shown(tally.proven), shown(tally.best), shown(tally.gained), shown(tally.nests));
    if (tally.front.fronts > 0) std::printf("%s\n", to_text(tally.front).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    Size size;
    Harness harness("property_fused_inside", "The search of fused mappings inside the buffer against enumeration",
                    {.count = 100, .operations = 600});
    harness.line.option("--einsums", &size.einsums);
    harness.line.option("--nests", &size.nests);
    harness.line.option("--front", &size.front, "fronts of energy and cycles instead of the best");
    harness.line.option("--widths", &size.widths, "tensors have widths of their own");
    harness.least("compared", "problems that were compared", &tally.compared);
    harness.least("mapped", "problems that have a mapping", &tally.mapped);
    harness.least("proven", "answers that are proven", &tally.proven);
    harness.least("best", "answers that are the best of all", &tally.best);
    harness.least("gained", "answers that are the best of all and fused", &tally.gained);
    harness.least("ordered", "problems with a mapping and orders of loops that are demanded", &tally.ordered);
    harness.least("axes", "the same, with axes of fan-outs", &tally.axes);
    harness.least("wires", "the same, with wires that cost energy", &tally.wires);
    declare_front(harness, tally.front);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return look_at(harness.cases(), size, number, tally); },
                       [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused_inside: %s\n", error.what());
    return 2;
}
