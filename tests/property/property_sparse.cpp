// Expected counts of layers with zeros against walks over the matrices themselves:
//
//     property_sparse --cases 20000 --seed 7 [--draws 2000] [--most 400]
//
// Where all that the tensors may hold are at most --most combinations, each is walked, and the means are the same to
// the last digits; else --draws of them are drawn, and the means of what is expected and found may differ by what
// chance does: by more than three standard errors once in a hundred figures at most, by more than six never.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "harness.hpp"
#include "mapping/validity.hpp"
#include "model/sparse/chance.hpp"
#include "model/sparse/sparse_model.hpp"
#include "oracle/sparse.hpp"
#include "random_sparse.hpp"

namespace {

using tilewright::Random;
using tilewright::oracle::Marks;
using tilewright::oracle::SparseWalk;
using tilewright::sparse::Expected;
using namespace tilewright::property;

struct Options {
    std::uint64_t draws = 2000;
    std::uint64_t most = 400;
    bool uneven = false;
    bool remainders = false;
};

struct Tally {
    std::uint64_t exact = 0;
    std::uint64_t drawn = 0;
    std::uint64_t uncounted = 0;
    std::uint64_t saved = 0;  ///< cases in which zeros make a difference
    std::uint64_t uneven = 0;
    std::uint64_t imperfect = 0;
    std::uint64_t figures = 0;
    std::uint64_t drawn_figures = 0;
    std::uint64_t unlikely = 0;  ///< beyond three standard errors
};

void add(const tilewright::sparse::Means& means, std::vector<double>& figures) {
    for (const double mean : {means.actual, means.gated, means.skipped}) figures.push_back(mean);
}

void add(const tilewright::sparse::ExpectedAccesses& accesses, std::size_t ranks, std::vector<double>& figures) {
    figures.push_back(accesses.algorithmic);
    add(accesses.data, figures);
    for (std::size_t r = 0; r < ranks; ++r) {
        const bool has = r < accesses.metadata.size();
        figures.push_back(has ? accesses.metadata[r].metadata : 0.0);
        figures.push_back(has ? accesses.metadata[r].payload : 0.0);
    }
}

constexpr std::size_t kRanks = 3;

std::vector<double> figures_of(const Expected& expected) {
    std::vector<double> figures;
    add(expected.computes, figures);
    for (const auto& memory : expected.memories)
        for (const auto& tensor : memory)
            for (const auto* accesses : {&tensor.reads, &tensor.fills, &tensor.updates})
                add(*accesses, kRanks, figures);
    for (const auto& memory : expected.memories)
        for (const auto& tensor : memory) add(tensor.final_updates, figures);
    return figures;
}

std::string name_of_figure(std::size_t index, const SparseCase& one) {
    if (index < 3) return "computes " + std::to_string(index);
    const std::size_t each = 4 + 2 * kRanks;
    index -= 3;
    const std::size_t tensors = one.einsum.tensors.size();
    const std::size_t memory = index / (tensors * 3 * each);
    if (memory >= one.design.memories.size())
        return "final updates " + std::to_string(index - one.design.memories.size() * tensors * 3 * each);
    const std::size_t tensor = index / (3 * each) % tensors;
    static const char* const kKinds[] = {"reads", "fills", "updates"};
    static const char* const kFigures[] = {"algorithmic", "actual", "gated", "skipped", "m0",
                                           "p0",          "m1",     "p1",    "m2",      "p2"};
    return "memory" + std::to_string(memory) + " " + one.einsum.tensors[tensor].name + " " + kKinds[index / each % 3] +
           " " + kFigures[index % each];
}

struct Moments {
    std::vector<double> sum;
    std::vector<double> squares;
    double count = 0.0;

    void add(const std::vector<double>& figures) {
        sum.resize(figures.size());
        squares.resize(figures.size());
        for (std::size_t i = 0; i < figures.size(); ++i) {
            sum[i] += figures[i];
            squares[i] += figures[i] * figures[i];
        }
        count += 1.0;
    }
    double mean(std::size_t i) const { return sum[i] / count; }
    double standard_error(std::size_t i) const {
        return std::sqrt(std::max(0.0, squares[i] / count - mean(i) * mean(i)) / count);
    }
};

// Every combination of what the tensors may hold.
Moments walked(const SparseWalk& walk, const std::vector<std::vector<std::uint64_t>>& all) {
    Moments moments;
    std::vector<std::size_t> at(all.size(), 0);
    while (true) {
        Marks marks;
        for (std::size_t t = 0; t < all.size(); ++t) marks.push_back(all[t][at[t]]);
        moments.add(figures_of(walk.count(marks)));
        std::size_t t = all.size();
        while (t > 0 && at[t - 1] + 1 == all[t - 1].size()) at[--t] = 0;
        if (t == 0) return moments;
        ++at[t - 1];
    }
}

int complain(const SparseCase& one, std::uint64_t number, std::size_t figure, double expected, double found,
             double error) {
    std::printf("case %llu, %s: expected %.12g, found %.12g (standard error %.3g)\n",
                static_cast<unsigned long long>(number), name_of_figure(figure, one).c_str(), expected, found, error);
    std::fflush(stdout);
    return 1;
}

int check(const Harness& harness, const Options& options, std::uint64_t number, Tally& tally) {
    SparseCase one = random_sparse(harness.seed_of(number), harness.cases().operations, options.remainders);
    if (options.remainders) {
        Random random(Random::split(harness.seed_of(number), 8));
        std::optional<tilewright::Mapping> mapping = tilewright::property::made_imperfect(one, random);
        if (!mapping) return 0;
        one.mapping = *std::move(mapping);
    }
    if (options.uneven) {
        Random random(Random::split(harness.seed_of(number), 7));
        one.mapping = tilewright::property::made_uneven(std::move(one.mapping), one.architecture, random);
        tally.uneven += tilewright::is_even(one.mapping, one.architecture.memory_count()) ? 0 : 1;
    }
    tilewright::Words words;
    for (const tilewright::Tensor& tensor : one.einsum.tensors) words.partial_bits.push_back(tensor.written ? 32 : 0);
    const auto result = tilewright::sparse::evaluate(one.einsum, one.architecture, one.mapping, one.design, words);
    if (!result.uncounted.empty()) {
        ++tally.uncounted;
        return 0;
    }
    const SparseWalk walk(one.einsum, one.mapping, one.design);
    const std::vector<double> expected = figures_of(result.expected);
    std::vector<std::vector<std::uint64_t>> all;
    std::size_t combinations = 1;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        auto marks = all_marks(one.design.densities[t], tilewright::sparse::extents_of(one.einsum, t), walk.order(t),
                               options.most);
        combinations *= marks ? marks->size() : options.most + 1;
        if (combinations > options.most) break;
        all.push_back(std::move(*marks));
    }
    if (result.expected.computes.actual < result.expected.algorithmic_computes) ++tally.saved;
    if (combinations <= options.most) {
        ++tally.exact;
        tally.imperfect += tilewright::is_perfect(one.mapping) ? 0 : 1;
        const Moments found = walked(walk, all);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ++tally.figures;
            if (std::abs(found.mean(i) - expected[i]) > 1e-9 * (1.0 + std::abs(expected[i])))
                return complain(one, number, i, expected[i], found.mean(i), 0.0);
        }
        return 0;
    }
    if (options.draws == 0) return 0;
    ++tally.drawn;
    Moments found;
    Random random(harness.seed_of(number) + 1);
    for (std::uint64_t draw = 0; draw < options.draws; ++draw) {
        Marks marks;
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            marks.push_back(drawn_marks(one.design.densities[t], tilewright::sparse::extents_of(one.einsum, t),
                                        walk.order(t), random));
        found.add(figures_of(walk.count(marks)));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ++tally.drawn_figures;
        const double off = std::abs(found.mean(i) - expected[i]);
        // What happens once in so many draws may not have happened.
        const double rare = 12.0 * std::max(1.0, std::abs(expected[i])) / static_cast<double>(options.draws);
        const double error = found.standard_error(i);
        if (off > 3.0 * error + 1e-9 * (1.0 + expected[i])) ++tally.unlikely;
        if (off > 6.0 * error + rare) return complain(one, number, i, expected[i], found.mean(i), error);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    Tally tally;
    Harness harness("property_sparse", "Expected counts of sparse layers against walks over matrices",
                    {.kind = "cases", .count = 20'000, .operations = 48});
    harness.line.option("--draws", &options.draws, "matrices that are drawn where there are too many; 0: none");
    harness.line.option("--most", &options.most, "combinations of matrices that are all walked");
    harness.line.option("--uneven", &options.uneven, "mappings that store the tensors of a memory at different places");
    harness.line.option("--remainders", &options.remainders, "mappings whose factors do not divide");
    harness.least("exact", "cases of which all matrices were walked", &tally.exact);
    harness.least("drawn", "cases of which matrices were drawn", &tally.drawn);
    harness.least("uneven", "uneven mappings", &tally.uneven);
    harness.least("imperfect", "mappings with remainders of which all matrices were walked", &tally.imperfect);
    harness.least("saved", "cases in which computes were saved", &tally.saved);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    const int status = harness.run(
        [&](std::uint64_t number) { return check(harness, options, number, tally); },
        [&] {
            std::printf(
                "%llu cases to the digit (%llu figures), %llu by draws (%llu figures, %llu beyond three standard "
                "errors), "
                "%llu not counted, computes saved in %llu\n",
                static_cast<unsigned long long>(tally.exact), static_cast<unsigned long long>(tally.figures),
                static_cast<unsigned long long>(tally.drawn), static_cast<unsigned long long>(tally.drawn_figures),
                static_cast<unsigned long long>(tally.unlikely), static_cast<unsigned long long>(tally.uncounted),
                static_cast<unsigned long long>(tally.saved));
        });
    if (tally.unlikely * 100 > tally.drawn_figures) {
        std::printf("too many figures lie beyond three standard errors\n");
        return 1;
    }
    return status;
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_sparse: %s\n", error.what());
    return 2;
}
