// Plans on packages: the evaluator by cells against a walk word by word.
//
//     property_package --plans 10000 --seed 7 [--first 2500]
//
// Both have to refuse the same plans, and to count the same words, cycles of slots and room of the others. A plan goes
// through its text and back first.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "harness.hpp"
#include "multicore/evaluate.hpp"
#include "oracle/package_walk.hpp"
#include "package/plan_text.hpp"
#include "random_package.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

struct Seen {
    std::uint64_t legal = 0;
    std::uint64_t refused = 0;
    std::uint64_t full = 0;
    std::uint64_t steps = 0;
    std::uint64_t sums = 0;
    std::uint64_t rings = 0;
    std::uint64_t streams = 0;
    std::uint64_t fused = 0;
    std::uint64_t chiplets = 0;
};

std::string numbers(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values) text += " " + std::to_string(value);
    return text;
}

// "" where what is said of a run by place and tensor comes to its cost. (Numbers are whole: sums are exact.)
std::string differences_of(const multicore::Detail& detail, const multicore::Cost& cost) {
    multicore::Energy cores;
    for (const multicore::Energy& one : detail.cores) multicore::add(cores, one, 1.0);
    cores.links = cost.energy.links;
    cores.d2d = cost.energy.d2d;
    for (const double pj : detail.dram_pj) cores.dram += pj;
    std::string text = cores == cost.energy ? "" : "energy by place does not add up\n";
    multicore::TensorDetail words;
    std::vector<std::vector<std::int64_t>> room(detail.room.size(), std::vector<std::int64_t>(cost.peak.size(), 0));
    for (const multicore::TensorDetail& one : detail.tensors) {
        words.dram_words += one.dram_words;
        words.link_words += one.link_words;
        for (std::size_t s = 0; s < one.room.size(); ++s)
            for (std::size_t c = 0; c < one.room[s].size(); ++c) room[s][c] += one.room[s][c];
    }
    if (words.dram_words != cost.counts.dram_reads + cost.counts.dram_writes ||
        words.link_words != cost.counts.link_words)
        text += "words by tensor do not add up\n";
    return room == detail.room ? text : text + "room by tensor does not add up\n";
}

// "" where both agree.
std::string differences(const PackageProblem& problem, const package::Plan& plan, Seen& seen) {
    const multicore::Problem view(problem.cascade, problem.package);
    const package::Network network(problem.package);
    multicore::LaneLeaves leaves(view);
    const multicore::Evaluator evaluator(view, network, leaves);
    const multicore::Evaluated got = evaluator.plan(plan);
    const oracle::PackageWalk walk = oracle::walk_package(problem.cascade, problem.package, plan.runs);
    if (static_cast<bool>(got) != walk.refused.empty())
        return "evaluated: '" + std::string(to_text(got.refused)) + "', walked: '" + walk.refused + "'\n";
    if (!got) {
        ++seen.refused;
        seen.full += got.refused == multicore::Refusal::room ? 1 : 0;
        return "";
    }
    ++seen.legal;
    const multicore::Counts& counts = got.cost.counts;
    const std::vector<std::int64_t> evaluated{
        got.cost.cycles, counts.operations, counts.leaf_reads, counts.leaf_writes, counts.sends,
        counts.arrivals, counts.partials,   counts.dram_reads, counts.dram_writes, counts.link_words};
    const std::vector<std::int64_t> walked{walk.cycles,      walk.operations, walk.leaf_reads, walk.leaf_writes,
                                           walk.sends,       walk.arrivals,   walk.partials,   walk.dram_reads,
                                           walk.dram_writes, walk.link_words};
    std::string text;
    if (evaluated != walked) text += "counts" + numbers(evaluated) + ", walked" + numbers(walked) + "\n";
    if (got.cost.peak != walk.peak) text += "room" + numbers(got.cost.peak) + ", walked" + numbers(walk.peak) + "\n";
    if (got.cost.energy.total() != walk.energy_pj)
        text +=
            "energy " + std::to_string(got.cost.energy.total()) + ", walked " + std::to_string(walk.energy_pj) + "\n";
    std::int64_t d2d_words = 0;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        multicore::Detail detail;
        const multicore::Evaluated run = evaluator.run(plan.runs[i], &detail);
        text += differences_of(detail, run.cost);
        for (const multicore::TensorDetail& tensor : detail.tensors) d2d_words += tensor.d2d_words;
        std::vector<std::int64_t> slots;
        for (const multicore::Slot& slot : run.cost.slots) slots.push_back(slot.cycles);
        if (slots != walk.slots[i]) text += "slots" + numbers(slots) + ", walked" + numbers(walk.slots[i]) + "\n";
    }
    if (d2d_words != walk.d2d_words)
        text += "between chiplets " + std::to_string(d2d_words) + ", walked " + std::to_string(walk.d2d_words) + "\n";
    seen.chiplets += d2d_words > 0 ? 1 : 0;
    return text;
}

void note(const PackageProblem& problem, const package::Plan& plan, Seen& seen) {
    bool steps = false;
    bool sums = false;
    bool rings = false;
    bool streams = false;
    bool fused = false;
    for (const package::Run& run : plan.runs) {
        const CascadeEinsum& last = problem.cascade.einsums[run.last];
        steps = steps || run.step < last.einsum.dimensions[package::result_dimensions(last)[run.axis]].extent;
        fused = fused || run.last > run.first;
        for (int e = run.first; e <= run.last; ++e) {
            const package::Stage& stage = run.stages[e - run.first];
            const std::vector<int> axes = package::result_dimensions(problem.cascade.einsums[e]);
            for (const package::Split& split : stage.split)
                if (std::ranges::find(axes, split.dimension) == axes.end()) {
                    sums = true;
                    rings = rings || stage.sums.way == package::Sums::Way::ring;
                }
            streams = streams || stage.streamed != 0;
        }
    }
    seen.steps += steps ? 1 : 0;
    seen.sums += sums ? 1 : 0;
    seen.rings += rings ? 1 : 0;
    seen.streams += streams ? 1 : 0;
    seen.fused += fused ? 1 : 0;
}

int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    const PackageProblem problem = random_package_problem(random);
    const package::Plan plan = random_package_plan(random, problem);
    const std::string text = package::to_text(plan, problem.cascade);
    package::Plan read = package::parse_plan(text, problem.cascade, problem.package.core_count());
    std::string wrong = package::to_text(read, problem.cascade) == text ? "" : "the text read back is another one\n";
    const std::uint64_t legal = seen.legal;
    wrong += differences(problem, read, seen);
    if (seen.legal > legal) note(problem, plan, seen);
    if (wrong.empty()) return 0;
    std::printf("--- plan %llu of seed %llu\n%s%s%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), problem.text.c_str(), text.c_str(), wrong.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    Seen seen;
    Harness harness("property_package", "Plans on packages, against a walk word by word",
                    {.kind = "plans", .count = 300});
    harness.least("legal", "legal plans", &seen.legal);
    harness.least("full", "plans with too little room", &seen.full);
    harness.least("steps", "legal plans with several steps", &seen.steps);
    harness.least("sums", "legal plans with split sums", &seen.sums);
    harness.least("rings", "legal plans with rings", &seen.rings);
    harness.least("streams", "legal plans with streamed operands", &seen.streams);
    harness.least("chiplets", "legal plans with words between chiplets", &seen.chiplets);
    harness.least("fused", "legal plans with runs of several einsums", &seen.fused);
    if (const auto status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness.cases(), number, seen); },
        [&] {
            std::printf(
                "%llu legal and %llu refused plans (%llu for room); of the legal ones %llu with "
                "steps, %llu with split sums, %llu with rings, %llu with streams, %llu fused\n",
                static_cast<unsigned long long>(seen.legal), static_cast<unsigned long long>(seen.refused),
                static_cast<unsigned long long>(seen.full), static_cast<unsigned long long>(seen.steps),
                static_cast<unsigned long long>(seen.sums), static_cast<unsigned long long>(seen.rings),
                static_cast<unsigned long long>(seen.streams), static_cast<unsigned long long>(seen.fused));
        });
}
