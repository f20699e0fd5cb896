// Words of several widths on machines that do something about zeros, on random nests: energies, cycles and room from
// the mean counts, by arithmetic of their own. property_sparse holds the counts to walks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "mapspace/layer_problem.hpp"
#include "model/sparse/dense_words.hpp"
#include "model/sparse/sparse_model.hpp"
#include "random_sparse.hpp"
#include "random_words.hpp"
#include "sparse/density.hpp"
#include "sparse/occupancy.hpp"

namespace tilewright::property {
namespace {

constexpr double kWordBits = 16.0;
constexpr double kRowWords = 4.0;

struct Blend {
    LayerProblem problem;
    Mapping mapping;
};

struct Seen {
    int cases = 0;
    int saved = 0;   ///< cases in which zeros make a difference
    int legal = 0;   ///< that have room without limits
    int blocks = 0;  ///< tensors at memories, of layers with blocks
    int mixed = 0;   ///< memories that are sent both partial sums and final ones
};

// Rows of four words of 16 bits, and every memory may bind.
void furnish(Random& random, LayerProblem& problem) {
    double rate = 0.75;
    for (std::size_t m = 0; m < problem.architecture.memories.size(); ++m) {
        Memory& memory = problem.architecture.memories[m];
        memory.word_bits = 16;
        memory.block_words = 4;
        memory.energy.read_pj.value = 8.0 + rate;
        memory.energy.fill_pj.value = 5.0;
        memory.energy.update_pj.value = 7.0;
        memory.read_words_per_cycle = rate;
        memory.write_words_per_cycle = rate *= 1.5;
        memory.link.energy_per_hop_pj = 3.0;
        sparse::MemoryDesign& built = problem.zeros->memories[m];
        built.metadata_width_bits = random.between(0, 1) * 8;
        built.metadata = {1.5, 0.5, 2.5};
        built.gated = {3.0, 1.0, 2.0};
        built.skipped = {0.5, 0.0, 0.25};
        built.decompression_pj = built.compression_pj = 0.0;
    }
    problem.architecture.compute.energy_pj.value = 2.0;
}

Blend random_blend(std::uint64_t i) {
    Random random(Random::split(61, i));
    const SparseCase base = random_sparse(Random::split(63, i), 48);
    Blend one{{base.einsum, base.architecture, {}, {}, base.design}, base.mapping};
    furnish(random, one.problem);
    if (i % 2 == 0) one.problem.words.blocks = random_formats(random, one.problem.einsum);
    one.problem.words.partial_bits = random_partial_bits(random, one.problem.einsum);
    for (int m = 1; m < one.problem.architecture.memory_count(); ++m)
        one.problem.architecture.memories[m].holds_scales = random.chance(0.7);
    return one;
}

// Calls compare(one, its exact result) for those that are counted.
template <class Compare>
Seen for_random_blends(const Compare& compare) {
    Seen seen;
    for (std::uint64_t i = 0; i < 1500 && !testing::Test::HasFatalFailure(); ++i) {
        const Blend one = random_blend(i);
        const auto& [einsum, machine, constraints, words, zeros] = one.problem;
        const sparse::ExactResult result = sparse::evaluate(einsum, machine, one.mapping, *zeros, words);
        if (!result.uncounted.empty()) continue;
        ++seen.cases;
        seen.saved += result.expected.computes.actual < result.expected.algorithmic_computes;
        SCOPED_TRACE("case " + std::to_string(i));
        compare(one, result, seen);
    }
    return seen;
}

// ---- What words take, worked out again ----

/// One kind of words on one instance.
struct Words {
    double count = 0.0;
    double bits = 0.0;

    double rows() const {
        const double row = kWordBits * kRowWords;
        const double in_row = bits <= row ? std::floor(row / bits + 1e-9) : 1.0 / std::ceil(bits / row - 1e-9);
        return in_row == 1.0 ? count : std::ceil(count / in_row - 1e-9);  // of single words the mean is charged
    }
    double taken() const { return std::ceil(count - 1e-9) * bits / kWordBits; }
};

/// A tensor's elements one by one: how many are stored, and how many blocks that have to have a scale.
struct Stored {
    double words = 0.0;
    double scales = 0.0;
};

// Blocks lie along the last axis of more than one element, from its beginning.
Stored stored(const sparse::Tile& extents, std::uint64_t marked, std::int64_t of_block) {
    std::size_t axis = extents.size() - 1;
    while (axis > 0 && extents[axis] == 1) --axis;
    std::int64_t inside = 1;
    for (std::size_t r = axis + 1; r < extents.size(); ++r) inside *= extents[r];
    Stored all;
    std::set<std::pair<std::int64_t, std::int64_t>> blocks;
    for (std::int64_t element = 0; element < sparse::elements(extents); ++element) {
        if ((marked >> element & 1) == 0) continue;
        all.words += 1.0;
        const std::int64_t along = element / inside % extents[axis];
        blocks.emplace(element - along * inside, along / of_block);
    }
    all.scales = static_cast<double>(blocks.size());
    return all;
}

// On average over all that the tensor may hold; nothing where that is too much.
std::optional<Stored> stored_on_average(const Blend& one, int tensor, bool compressed) {
    const sparse::Tile extents = sparse::extents_of(one.problem.einsum, tensor);
    const std::int64_t all = sparse::elements(extents);
    const std::int64_t of_block = one.problem.words.blocks[tensor].words;
    if (!compressed) return stored(extents, ~std::uint64_t{0}, of_block);
    std::vector<int> order;
    for (int i = 0; i < all; ++i) order.push_back(i);
    const auto marks = all_marks(one.problem.zeros->densities[tensor], extents, order, 4000);
    if (!marks) return std::nullopt;
    Stored mean;
    for (const std::uint64_t marked : *marks) {
        const Stored each = stored(extents, marked, of_block);
        mean.words += each.words;
        mean.scales += each.scales;
    }
    return mean;
}

// Of a final word at a memory; nothing where too much would have to be gone through to know it.
std::optional<double> width_of(const Blend& one, int tensor, int memory) {
    const std::int64_t bits = one.problem.einsum.tensors[tensor].bits;
    const double plain = bits == 0 ? kWordBits : static_cast<double>(bits);
    const BlockFormats& blocks = one.problem.words.blocks;
    if (blocks.empty() || !blocks[tensor].is_given() || !one.problem.architecture.memories[memory].holds_scales)
        return plain;
    const auto& format = one.problem.zeros->memories[memory].formats[tensor];
    const std::optional<Stored> mean = stored_on_average(one, tensor, format && format->is_compressed());
    if (!mean) return std::nullopt;
    const auto scale = static_cast<double>(blocks[tensor].scale_bits);
    return mean->words == 0.0 ? plain + scale : plain + scale * mean->scales / mean->words;
}

std::optional<double> partial_width_of(const Blend& one, int tensor, int memory) {
    const std::int64_t bits = one.problem.words.partial_bits[tensor];
    return bits == 0 ? width_of(one, tensor, memory) : static_cast<double>(bits);
}

using Fate = double sparse::Means::*;

/// Of a word, bits.
struct Widths {
    double partial = 0.0;
    double final = 0.0;
};

std::optional<Widths> widths_of(const Blend& one, int tensor, int memory) {
    const auto partial = partial_width_of(one, tensor, memory);
    const auto final = width_of(one, tensor, memory);
    return partial && final ? std::optional(Widths{*partial, *final}) : std::nullopt;
}

// Of words of one fate: reads, fills and updates at these energies.
double data_pj(const Widths& widths, const sparse::ExpectedTensor& counts, Fate fate, double n,
               const sparse::AccessEnergies& pj) {
    const double wide = widths.partial;
    const double final = counts.final_updates.*fate;
    return n * (Words{counts.reads.data.*fate / n, wide}.rows() * pj.read_pj +
                Words{counts.fills.data.*fate / n, wide}.rows() * pj.fill_pj +
                (Words{(counts.updates.data.*fate - final) / n, wide}.rows() + Words{final / n, widths.final}.rows()) *
                    pj.update_pj);
}

TEST(SparseWords, AccessesTakeTheRowsOfTheirWidth) {
    const Seen seen = for_random_blends([](const Blend& one, const sparse::ExactResult& result, Seen& all) {
        const auto& machine = one.problem.architecture;
        for (int m = 0; m < machine.memory_count(); ++m)
            for (int t = 0; t < one.problem.einsum.tensor_count(); ++t) {
                const sparse::ExpectedTensor& counts = result.expected.memories[m][t];
                const TensorTraffic& traffic = result.evaluation.memories[m].tensors[t];
                if (!counts.kept) continue;
                const sparse::MemoryDesign& built = one.problem.zeros->memories[m];
                const MemoryEnergy& energy = machine.memories[m].energy;
                const double n = traffic.instances;
                const std::optional<Widths> widths = widths_of(one, t, m);
                if (!widths) continue;
                all.blocks += !one.problem.words.blocks.empty();
                double expected = data_pj(*widths, counts, &sparse::Means::actual, n,
                                          {energy.read_pj.value, energy.fill_pj.value, energy.update_pj.value}) +
                                  data_pj(*widths, counts, &sparse::Means::gated, n, built.gated) +
                                  data_pj(*widths, counts, &sparse::Means::skipped, n, built.skipped);
                const auto metadata_rows = [&](const sparse::ExpectedAccesses& accesses) {
                    return std::ceil(accesses.metadata_bits / n / 8.0 - 1e-9) * n;
                };
                if (built.metadata_width_bits > 0)
                    expected += metadata_rows(counts.reads) * built.metadata.read_pj +
                                metadata_rows(counts.fills) * built.metadata.fill_pj +
                                metadata_rows(counts.updates) * built.metadata.update_pj;
                ASSERT_NEAR(traffic.energy_pj, expected, 1e-6 * (1.0 + expected)) << m << " " << t;
                const double final = counts.final_updates.actual;
                all.mixed += final > 0.0 && final < counts.updates.data.actual - 1e-9;
            }
    });
    EXPECT_GT(seen.cases, 1000);
    EXPECT_GT(seen.saved, 600);
    EXPECT_GT(seen.mixed, 100);
    EXPECT_GT(seen.blocks, 1000);
}

// The scales of a whole tensor's blocks, of all kinds of densities.
TEST(SparseWords, StoredWordsTakeTheScalesOfTheirBlocks) {
    int compared = 0;
    for (std::uint64_t i = 0; i < 2000; i += 2) {
        const Blend one = random_blend(i);
        const auto& [einsum, machine, constraints, words, zeros] = one.problem;
        const std::vector<double> widths = sparse::stored_widths(einsum, zeros->densities, words.blocks);
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (!words.blocks[t].is_given()) continue;
            const auto dense = stored_on_average(one, t, false);
            const auto sparse_one = stored_on_average(one, t, true);
            if (!sparse_one || sparse_one->words == 0.0) continue;
            const auto bits = [&](const Stored& all) {
                return static_cast<double>(einsum.tensors[t].bits) +
                       static_cast<double>(words.blocks[t].scale_bits) * all.scales / all.words;
            };
            ASSERT_NEAR(widths[t], bits(*sparse_one) / bits(*dense), 1e-9) << "case " << i << ", tensor " << t;
            compared += widths[t] > 1.01;
        }
    }
    EXPECT_GT(compared, 400);
}

TEST(SparseWords, BandwidthIsOfTheBitsThatMove) {
    const Seen seen = for_random_blends([](const Blend& one, const sparse::ExactResult& result, Seen&) {
        for (int m = 0; m < one.problem.architecture.memory_count(); ++m) {
            const Memory& memory = one.problem.architecture.memories[m];
            double reads = 0.0;  // words of the memory, of one instance
            double writes = 0.0;
            double slack = 0.0;  // words are rounded up, each kind by itself
            for (int t = 0; t < one.problem.einsum.tensor_count(); ++t) {
                const sparse::ExpectedTensor& counts = result.expected.memories[m][t];
                if (!counts.kept) continue;
                const double n = result.evaluation.memories[m].tensors[t].instances;
                const std::optional<Widths> widths = widths_of(one, t, m);
                if (!widths) return;
                const double wide = widths->partial;
                const auto taken = [&](const sparse::ExpectedAccesses& accesses, double less) {
                    const double words = accesses.data.actual + accesses.data.gated - less;
                    return (words * wide + accesses.metadata_bits) / n / kWordBits;
                };
                const double final = counts.final_updates.actual + counts.final_updates.gated;
                reads += taken(counts.reads, 0.0);
                writes +=
                    taken(counts.fills, 0.0) + taken(counts.updates, final) + final * widths->final / n / kWordBits;
                slack += 2.0 * std::max(wide, widths->final) / kWordBits;
            }
            const auto cycles = static_cast<double>(result.evaluation.memories[m].cycles);
            const double rate = std::min(*memory.read_words_per_cycle, *memory.write_words_per_cycle);
            const double needed =
                std::max({static_cast<double>(result.evaluation.compute_cycles), reads / *memory.read_words_per_cycle,
                          writes / *memory.write_words_per_cycle});
            ASSERT_GE(cycles, needed * (1.0 - 1e-9) - 1.0) << m;
            ASSERT_LE(cycles, std::max(1.0, needed) + slack / rate + 1.0) << m;
        }
    });
    EXPECT_GT(seen.cases, 1000);
}

// What the machine does comes to nothing: the account is that of dense words.
TEST(SparseWords, WithoutZerosTheyAreDenseOnes) {
    int cases = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        Blend one = random_blend(i);
        for (sparse::Density& density : one.problem.zeros->densities) density = sparse::FixedStructured{1.0};
        for (sparse::MemoryDesign& memory : one.problem.zeros->memories) {
            std::ranges::fill(memory.formats, std::nullopt);
            memory.metadata_depth.reset();
        }
        const LayerCosts sparse_ones = costs_of(one.problem, one.mapping);
        if (!sparse_ones.evaluation) continue;
        LayerProblem dense = one.problem;
        dense.zeros.reset();
        const LayerCosts dense_ones = costs_of(dense, one.mapping);
        ASSERT_TRUE(dense_ones.evaluation);
        ++cases;
        ASSERT_NEAR(sparse_ones.evaluation->energy_pj, dense_ones.evaluation->energy_pj,
                    1e-9 * dense_ones.evaluation->energy_pj)
            << "case " << i;
        ASSERT_EQ(sparse_ones.evaluation->cycles, dense_ones.evaluation->cycles) << "case " << i;
        for (std::size_t m = 0; m < dense_ones.evaluation->memories.size(); ++m) {
            const MemoryEvaluation& dense_memory = dense_ones.evaluation->memories[m];
            ASSERT_EQ(sparse_ones.evaluation->memories[m].used_words, dense_memory.used_words) << "case " << i;
            ASSERT_NEAR(sparse_ones.evaluation->memories[m].link_energy_pj, dense_memory.link_energy_pj,
                        1e-9 * (1.0 + dense_memory.link_energy_pj));
        }
    }
    EXPECT_GT(cases, 700);
}

// A memory has room for exactly what the evaluation says that it uses.
TEST(SparseWords, TilesFitExactlyIntoWhatTheyUse) {
    const Seen seen = for_random_blends([](const Blend& one, const sparse::ExactResult& result, Seen& all) {
        if (!check(one.problem, one.mapping).empty()) return;
        ++all.legal;
        for (std::size_t m = 0; m < result.evaluation.memories.size(); ++m) {
            LayerProblem tight = one.problem;
            std::int64_t& room = tight.architecture.memories[m].capacity_words.emplace(0);
            room = result.evaluation.memories[m].used_words;
            ASSERT_TRUE(check(tight, one.mapping).empty()) << m;
            if (--room < 0) continue;
            ASSERT_FALSE(check(tight, one.mapping).empty()) << m;
        }
    });
    EXPECT_GT(seen.legal, 500);
}

}  // namespace
}  // namespace tilewright::property
