// Fused mappings: the model against the oracle on many random cascades.
//
//     property_fused_model --mappings 10000 --seed 7 [--first 2500] [--operations 2000] [--attention] [--widths]
//
// Mapping i of a seed is always the same. One on which the two differ is printed as text, with the exit status 1.
// `--widths`: tensors have words of several widths, and results wider ones until they are done.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/unfinished.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/fused/model.hpp"
#include "oracle/fused.hpp"
#include "random_cascade.hpp"
#include "workload/einsum.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

/// What a run has seen.
struct Tally {
    std::uint64_t mappings = 0;
    std::uint64_t compared = 0;
    std::uint64_t incomplete = 0;  ///< refused by both: only a part of a tensor is made
    std::uint64_t fused = 0;       ///< an intermediate tensor never reaches the outermost memory
    std::uint64_t recomputed = 0;
    std::uint64_t kept = 0;     ///< words of an intermediate tensor serve a later step
    std::uint64_t reduced = 0;  ///< a shared loop over a reduction
    std::uint64_t nested = 0;   ///< a split within a split, inside a loop
    std::uint64_t several = 0;  ///< a tensor with several readers
    std::uint64_t strided = 0;
    std::uint64_t padded = 0;
    std::uint64_t grouped = 0;  ///< groups side by side on an axis
    std::uint64_t fresh = 0;
    std::uint64_t unfinished = 0;  ///< row statistics that are read unfinished
    std::uint64_t corrected = 0;   ///< ... after which a sum was corrected
    std::uint64_t partial = 0;     ///< partial sums of another width move
    std::uint64_t mixed = 0;       ///< ... through the outermost memory, and finished ones
};

class Differences {
   public:
    void check(const std::string& what, double model, double oracle) {
        if (std::abs(model - oracle) > 1e-9 * std::max({1.0, std::abs(model), std::abs(oracle)}))
            text_ += what + ": model " + std::to_string(model) + ", oracle " + std::to_string(oracle) + "\n";
    }
    void check(const std::string& what, std::int64_t model, std::int64_t oracle) {
        check(what, static_cast<double>(model), static_cast<double>(oracle));
    }
    const std::string& text() const { return text_; }

   private:
    std::string text_;
};

void compare_words(const FusedProblem& problem, const fused::Evaluation& model, const oracle::FusedCounts& oracle,
                   Differences& differences) {
    for (std::size_t m = 0; m < model.memories.size(); ++m)
        for (std::size_t t = 0; t < problem.cascade.tensors.size(); ++t) {
            const std::string place = model.memories[m].name + " " + problem.cascade.tensors[t].name + " ";
            const fused::TensorCost& ours = model.memories[m].tensors[t];
            const oracle::Traffic& theirs = oracle.memories[m][t];
            differences.check(place + "reads", ours.reads, theirs.reads);
            differences.check(place + "fills", ours.fills, theirs.fills);
            differences.check(place + "updates", ours.updates, theirs.updates);
            differences.check(place + "partial sums", ours.partial, oracle.partial_words[m][t]);
            differences.check(place + "energy", ours.energy_pj, oracle.energy_pj[m][t]);
        }
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::string differences(const FusedProblem& problem, const fused::Answer& answer, const oracle::FusedCounts& oracle) {
    if (!answer.evaluation)
        return oracle.complete ? "the model refuses: " + answer.violations.front().message + "\n" : "";
    if (!oracle.complete) return "the model counts what is read before it is made\n";
    const fused::Evaluation& model = *answer.evaluation;
    Differences differences;
    compare_words(problem, model, oracle, differences);
    differences.check("recomputed operations", model.recomputed_operations, oracle.recomputed_operations);
    for (std::size_t m = 0; m < model.memories.size(); ++m)
        differences.check(model.memories[m].name + " peak", model.memories[m].peak_words, oracle.peak_words[m]);
    const FusedTree tree(problem.cascade, problem.mapping);
    for (const fused::LeafCost& leaf : model.leaves) {
        const auto e = static_cast<std::size_t>(tree.leaf(leaf.leaf)->einsum);
        differences.check(problem.cascade.einsums[e].name + " operations", leaf.operations, oracle.operations[e]);
        differences.check(problem.cascade.einsums[e].name + " calls", leaf.calls, oracle.calls[e]);
    }
    differences.check("correcting operations", model.correcting_operations, sum_of(oracle.corrected_words));
    return differences.text();
}

bool any_access(const Cascade& cascade, bool (*holds)(const Coordinate&)) {
    return std::ranges::any_of(cascade.einsums, [&](const CascadeEinsum& einsum) {
        return std::ranges::any_of(
            einsum.accesses, [&](const Access& access) { return std::ranges::any_of(access.coordinates, holds); });
    });
}

bool is_strided(const Coordinate& coordinate) {
    return coordinate.terms.size() == 2 && coordinate.terms[0].coefficient == 2;
}
bool is_padded(const Coordinate& coordinate) { return coordinate.offset < 0; }

void look_at_tree(const FusedProblem& problem, Tally& tally) {
    const FusedTree tree(problem.cascade, problem.mapping);
    bool fused = false, reduced = false, nested = false, fresh = false;
    for (int i = 0; i < tree.node_count(); ++i) {
        if (tree.is_split(i)) nested = nested || (tree.is_in_a_loop(i) && tree.parent(tree.scope(i)) >= 0);
        if (const SharedStore* store = tree.store(i)) fresh = fresh || store->fresh;
        if (const SharedLoop* loop = tree.loop(i)) {
            const Einsum& einsum = problem.cascade.einsums[tree.last_einsum(i)].einsum;
            const bool result = is_relevant(einsum.tensors.back(), loop->dimension);
            reduced = reduced || (!result && loop->step < einsum.dimensions[loop->dimension].extent);
        }
    }
    for (int t = 0; t < problem.cascade.tensor_count(); ++t) {
        const int home = tree.home(t);
        fused = fused || (tree.store(home)->memory > 0 &&
                          tree.is_in_a_loop(tree.leaf_of(problem.cascade.tensors[t].writers.front().einsum)));
    }
    tally.fused += fused;
    tally.reduced += reduced;
    tally.nested += nested;
    tally.fresh += fresh;
    tally.unfinished += !all_read_unfinished(problem.cascade, tree).empty();
}

bool has_mixed_words(const fused::TensorCost& tensor) {
    return tensor.partial > 0.0 && tensor.updates - tensor.reads > 0.0;
}

void look(const FusedProblem& problem, const fused::Evaluation& model, Tally& tally) {
    ++tally.compared;
    bool partial = false, mixed = false;
    for (const fused::MemoryCost& memory : model.memories) {
        for (const fused::TensorCost& tensor : memory.tensors) partial = partial || tensor.partial > 0.0;
        if (&memory == &model.memories.front()) mixed = std::ranges::any_of(memory.tensors, has_mixed_words);
    }
    tally.partial += partial;
    tally.mixed += mixed;
    look_at_tree(problem, tally);
    tally.recomputed += model.recomputed_operations > 0;
    tally.corrected += model.correcting_operations > 0;
    tally.kept += std::ranges::any_of(model.stores, [&](const fused::StoreCost& store) {
        const CascadeTensor& tensor = problem.cascade.tensors[store.tensor];
        return store.throughout && store.words_in + store.words_out == 0.0 && tensor.role == TensorRole::intermediate;
    });
    tally.several += std::ranges::any_of(problem.cascade.tensors,
                                         [](const CascadeTensor& tensor) { return tensor.readers.size() > 1; });
    tally.strided += any_access(problem.cascade, is_strided);
    tally.padded += any_access(problem.cascade, is_padded);
    tally.grouped += std::ranges::any_of(problem.cascade.einsums, [](const CascadeEinsum& einsum) {
        return einsum.einsum.dimensions.front().name == "g" && einsum.einsum.dimensions.front().extent > 1;
    });
}

// Neither overlapping results nor statistics that may be read unfinished have partial sums of another width.
bool may_have_sums(const Cascade& cascade, const CascadeTensor& tensor) {
    return !tensor.writers.empty() && std::ranges::all_of(tensor.writers, [&](const TensorUse& use) {
        const CascadeEinsum& one = cascade.einsums[use.einsum];
        PartialBits bits(one.accesses.size(), 0);
        bits[use.operand] = 1;
        return one.kind != EinsumKind::statistics && problem_with(one.einsum, bits).empty();
    });
}

PartialBits give_widths(FusedProblem& problem, std::uint64_t seed) {
    Random random(seed);
    constexpr std::int64_t kWidths[] = {0, 4, 8, 8, 12, 16};
    PartialBits partial;
    for (CascadeTensor& tensor : problem.cascade.tensors) {
        tensor.bits = kWidths[random.below(6)];
        const bool sums = may_have_sums(problem.cascade, tensor) && random.chance(0.8);
        partial.push_back(sums ? random.between(17, 40) : 0);
    }
    for (CascadeEinsum& one : problem.cascade.einsums)
        for (std::size_t t = 0; t < one.accesses.size(); ++t)
            one.einsum.tensors[t].bits = problem.cascade.tensors[one.accesses[t].tensor].bits;
    for (Memory& memory : problem.architecture.memories) {
        memory.word_bits = 16;
        memory.block_words = random.chance(0.5) ? 4 : 1;
    }
    return partial;
}

int check(const Cases& cases, std::uint64_t number, bool attention, bool widths, Tally& tally) {
    const std::uint64_t seed = Random::split(cases.seed, number);
    FusedProblem problem = attention ? random_attention_problem(seed) : random_fused_problem(seed, cases.operations);
    const PartialBits partial = widths ? give_widths(problem, seed ^ 0xb175) : PartialBits{};
    ++tally.mappings;
    if (const std::string wrong = problem_with(problem.cascade); !wrong.empty()) {
        std::printf("--- mapping %llu: a malformed cascade: %s\n", static_cast<unsigned long long>(number),
                    wrong.c_str());
        return 1;
    }
    if (!check_fused(problem.cascade, problem.architecture, problem.mapping).empty()) return 0;
    const auto& [cascade, machine, mapping] = problem;
    const fused::Answer answer = fused::evaluate(cascade, machine, mapping, nullptr, partial);
    const oracle::FusedCounts oracle = oracle::walk_fused(cascade, machine, mapping, partial);
    const std::string differ = differences(problem, answer, oracle);
    if (differ.empty()) {
        tally.incomplete += !answer.evaluation;
        if (answer.evaluation) look(problem, *answer.evaluation, tally);
        return 0;
    }
    std::printf("--- mapping %llu of seed %llu\n", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed));
    for (const CascadeEinsum& einsum : problem.cascade.einsums) {
        std::printf("%s: %s", einsum.name.c_str(), to_text(einsum.einsum).c_str());
        for (const Dimension& dimension : einsum.einsum.dimensions)
            std::printf(" %s=%lld", dimension.name.c_str(), static_cast<long long>(dimension.extent));
        for (const Access& access : einsum.accesses)
            std::printf(" %s", problem.cascade.tensors[access.tensor].name.c_str());
        std::printf("\n");
    }
    std::printf("%s%s", to_text(problem.mapping, problem.cascade, problem.architecture).c_str(), differ.c_str());
    return 1;
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu mappings, %llu compared, %llu refused by both for what is not made; of those compared: fused %llu, "
        "recomputed %llu, kept %llu, reductions over shared loops %llu, nested %llu, several readers %llu, strides "
        "%llu, "
        "padding %llu, groups %llu, fresh %llu, statistics read unfinished %llu, sums corrected %llu, partial sums of "
        "another width %llu, beside finished ones %llu\n",
        shown(tally.mappings), shown(tally.compared), shown(tally.incomplete), shown(tally.fused),
        shown(tally.recomputed), shown(tally.kept), shown(tally.reduced), shown(tally.nested), shown(tally.several),
        shown(tally.strided), shown(tally.padded), shown(tally.grouped), shown(tally.fresh), shown(tally.unfinished),
        shown(tally.corrected), shown(tally.partial), shown(tally.mixed));
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    bool attention = false;
    bool widths = false;
    Harness harness("property_fused_model", "Fused mappings: the model against the oracle on random cascades",
                    {.kind = "mappings", .count = 300, .operations = 3000});
    harness.least("compared", "mappings that were compared", &tally.compared);
    harness.least("fused", "with tensors that never reach the outermost memory", &tally.fused);
    harness.least("recomputed", "in which words are made again", &tally.recomputed);
    harness.least("kept", "in which words serve a later step", &tally.kept);
    harness.least("reduced", "with a shared loop over a reduction", &tally.reduced);
    harness.least("nested", "with branches in branches inside a loop", &tally.nested);
    harness.least("several", "with several readers of a tensor", &tally.several);
    harness.least("strided", "with strides", &tally.strided);
    harness.least("padded", "with padding", &tally.padded);
    harness.least("grouped", "with groups", &tally.grouped);
    harness.least("fresh", "with a fresh store", &tally.fresh);
    harness.least("unfinished", "with row statistics that are read unfinished", &tally.unfinished);
    harness.least("corrected", "in which sums are corrected as statistics change", &tally.corrected);
    harness.least("partial", "in which partial sums of another width move", &tally.partial);
    harness.least("mixed", "in which they move through the outermost memory, and finished ones", &tally.mixed);
    harness.line.option("--widths", &widths, "words of several widths, and wider ones of partial sums");
    harness.line.option("--attention", &attention, "cascades with row statistics that may be read unfinished");
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), number, attention, widths, tally); },
                       [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused_model: %s\n", error.what());
    return 2;
}
