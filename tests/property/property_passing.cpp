// Tensors that pass by memories, in nests with remainders, against a walk that goes through the steps one by one:
//
//     property_passing --nests 10000 --seed 7 [--first 2500] [--operations 400]
//
// The model and its oracle both have to count what the walk counts. Every other nest multiplies single vectors, as a
// language model does token by token. A nest on which they differ is shrunk and printed; the exit status is then 1.
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/numbers/random.hpp"
#include "compare.hpp"
#include "harness.hpp"
#include "model/exact/model.hpp"
#include "random_nest.hpp"
#include "shrink.hpp"
#include "step_walk.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

struct Seen {
    std::uint64_t passing = 0;
    std::uint64_t uneven = 0;
};

std::string text_of(const StepCounts& counts) {
    std::string text;
    for (const std::int64_t count : {counts.reads, counts.fills, counts.updates, counts.sent, counts.copies})
        text += " " + std::to_string(count);
    return text;
}

bool is_equal(double model, std::int64_t walk) { return model == static_cast<double>(walk); }

/// Words of two tensors pass a passage each at every level, kept there or not: `walk` counts them.
std::string passage_differences(const Nest& nest, const StepWalk& walk) {
    Nest priced = nest;
    for (Memory& memory : priced.architecture.memories) {
        memory.link = {};
        memory.update_link.reset();
        memory.link.passages = {{"driver", nest.einsum.tensors.front().name, {3.0, ""}, 1.0},
                                {"converter", nest.einsum.tensors.back().name, {0.5, ""}, 8.0}};
    }
    const Evaluation evaluation = evaluate(priced.einsum, priced.architecture, priced.mapping);
    for (std::size_t m = 0; m < walk.counts.size(); ++m) {
        const double expected = 3.0 * static_cast<double>(walk.counts[m].front().passed) +
                                4.0 * static_cast<double>(walk.counts[m].back().passed);
        if (std::abs(evaluation.memories[m].link_energy_pj - expected) > 1e-9 * expected)
            return evaluation.memories[m].name + ": passages of the walk " + std::to_string(expected) +
                   " pJ, of the model " + std::to_string(evaluation.memories[m].link_energy_pj) + "\n";
    }
    return "";
}

/// Of model and walk, and of model and oracle; "": none.
std::string differences(const Nest& nest, const StepWalk& walk) {
    std::string text = property::differences(nest) + passage_differences(nest, walk);
    const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
    for (std::size_t m = 0; m < walk.counts.size(); ++m)
        for (std::size_t t = 0; t < walk.counts[m].size(); ++t) {
            const StepCounts& counts = walk.counts[m][t];
            const TensorTraffic& traffic = evaluation.memories[m].tensors[t];
            const LinkTraffic& link = evaluation.memories[m].link[t];
            if (is_equal(traffic.reads, counts.reads) && is_equal(traffic.fills, counts.fills) &&
                is_equal(traffic.updates, counts.updates) && is_equal(link.words, counts.sent) &&
                is_equal(link.delivered, counts.copies))
                continue;
            text += evaluation.memories[m].name + " " + nest.einsum.tensors[t].name +
                    ": reads, fills, updates, words sent and copies of the walk:" + text_of(counts) +
                    "; of the model: " + std::to_string(traffic.reads) + " " + std::to_string(traffic.fills) + " " +
                    std::to_string(traffic.updates) + " " + std::to_string(link.words) + " " +
                    std::to_string(link.delivered) + "\n";
        }
    return text;
}

// How many failures it is: 0 or 1.
int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    const Nest nest = random_passing_nest(Random::split(cases.seed, number), cases.operations);
    const StepWalk walk = walk_steps(nest);
    seen.passing += walk.passes ? 1 : 0;
    seen.uneven += walk.uneven ? 1 : 0;
    const std::string text = differences(nest, walk);
    if (text.empty()) return 0;
    const Nest smallest =
        shrink(nest, [](const Nest& smaller) { return !differences(smaller, walk_steps(smaller)).empty(); });
    std::printf("--- nest %llu of seed %llu\n%s%s--- the same, shrunk\n%s%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), to_text(nest).c_str(), text.c_str(),
                to_text(smallest).c_str(), differences(smallest, walk_steps(smallest)).c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    Seen seen;
    Harness harness("property_passing", "Tensors that pass by memories, against a walk through the steps",
                    {.kind = "nests", .count = 10'000, .operations = 300});
    harness.least("passing", "nests in which a tensor passes by a memory over a fan-out", &seen.passing);
    harness.least("uneven", "nests in which it is shared by more neighbours in some steps than in others",
                  &seen.uneven);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), number, seen); },
                       [&] {
                           std::printf(
                               "%llu nests with passing tensors, shared unevenly in %llu: walk, model and "
                               "oracle were compared on each\n",
                               static_cast<unsigned long long>(seen.passing),
                               static_cast<unsigned long long>(seen.uneven));
                       });
}
