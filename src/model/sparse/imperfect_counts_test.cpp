#include "model/sparse/counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "model/sparse/avoided.hpp"
#include "model/sparse/chance.hpp"

namespace tilewright::sparse::imperfect_counts_test {
namespace {

constexpr int kMemories = 3;

// Z[k,p] += W[k,r] * I[p+r]: tiles of I overlap.
Einsum convolution(std::int64_t outputs, std::int64_t taps, std::int64_t channels) {
    return {"convolution",
            {{"P", outputs}, {"R", taps}, {"K", channels}},
            {{"W", {{{{2, 1}}}, {{{1, 1}}}}, false, 0},
             {"I", {{{{0, 1}, {1, 1}}}}, false, 0},
             {"Z", {{{{2, 1}}}, {{{0, 1}}}}, true, 0}}};
}

Architecture machine() {
    Architecture architecture;
    for (int m = 0; m < kMemories; ++m) {
        Memory memory;
        memory.name = "memory" + std::to_string(m);
        memory.instances = std::int64_t{1} << (6 * m);
        memory.mesh = {memory.instances, 1};
        architecture.memories.push_back(std::move(memory));
    }
    architecture.compute.instances = std::int64_t{1} << (6 * kMemories);
    architecture.compute.mesh = {architecture.compute.instances, 1};
    return architecture;
}

// All memories keep I; loops of these extents, in random order and places.
Mapping mapping_with(const Einsum& einsum, const std::vector<Loop>& loops, Random& random) {
    std::vector<MappingLevel> levels(kMemories);
    for (int m = 0; m < kMemories; ++m)
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (m == 0 || t == 1 || random.chance(0.7)) levels[m].keep.add(t);
    for (Loop loop : loops) {
        MappingLevel& level = levels[random.below(kMemories)];
        // Neighbours of P and of R would get some of the same words.
        const bool in_space = loop.dimension != 1 && random.chance(0.3);
        if (in_space) loop.kind = LoopKind::spatial_x;
        std::vector<Loop>& list = in_space ? level.spatial : level.temporal;
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size() + 1)), loop);
    }
    return mapping_of(levels);
}

TensorFormat random_format(Random& random) {
    static constexpr std::array kFormats{RankFormat::uop, RankFormat::cp, RankFormat::rle, RankFormat::b,
                                         RankFormat::ub};
    TensorFormat format;
    for (std::int64_t r = random.between(1, 3); r > 0; --r)
        format.ranks.push_back({kFormats[random.below(kFormats.size())], 3, 5, {}});
    return format;
}

Design random_design(const Einsum& einsum, Random& random) {
    Design design;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        design.densities.push_back(UniformRandom{static_cast<double>(random.between(1, 4)) / 4.0});
    design.memories.resize(kMemories);
    for (MemoryDesign& memory : design.memories) {
        memory.formats.resize(einsum.tensors.size());
        memory.decompresses = memory.compresses = true;
        memory.metadata_width_bits = 16;
    }
    for (int t = 0; t < einsum.tensor_count(); ++t)
        for (std::int64_t m = 0, end = random.between(0, kMemories); m < end; ++m)
            design.memories[m].formats[t] = random_format(random);
    return design;
}

std::vector<double> figures_of(const Expected& expected) {
    std::vector<double> figures{expected.computes.actual, expected.computes.gated, expected.computes.skipped};
    for (const auto& memory : expected.memories)
        for (const ExpectedTensor& tensor : memory) {
            figures.insert(figures.end(), {tensor.held_words, static_cast<double>(tensor.most_words),
                                           tensor.decompressions, tensor.compressions, tensor.most_metadata_bits});
            for (const auto* ranks :
                 {&tensor.held_metadata, &tensor.reads.metadata, &tensor.fills.metadata, &tensor.updates.metadata})
                for (std::size_t r = 0; r < 3; ++r) {
                    figures.push_back(r < ranks->size() ? (*ranks)[r].metadata : 0.0);
                    figures.push_back(r < ranks->size() ? (*ranks)[r].payload : 0.0);
                }
            for (const auto* one : {&tensor.reads, &tensor.fills, &tensor.updates})
                figures.insert(figures.end(), {one->algorithmic, one->data.actual, one->data.gated, one->data.skipped});
        }
    return figures;
}

struct Layer {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
    Design design;
    std::vector<Nest> nests;
    std::vector<std::vector<bool>> keeps;
    DenseWords words;

    Mapped mapped() const { return {nests, design, keeps, words}; }
};

// Refers to itself.
void lay_out(Layer& layer) {
    layer.nests = nests_of(layer.einsum, layer.architecture, layer.mapping);
    for (int t = 0; t < layer.einsum.tensor_count(); ++t) {
        std::vector<bool>& keeps = layer.keeps.emplace_back();
        for (const MappingLevel& level : levels_of(layer.mapping, kMemories)) keeps.push_back(level.keep.has(t));
    }
    layer.words = dense_words(layer.einsum, layer.architecture, layer.mapping, {});
}

TEST(ImperfectCounts, OfPerfectFactorsAreThoseOfPerfectFactors) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        Layer layer{convolution(4, 2, 6), machine(), {}, {}, {}, {}, {}};
        layer.mapping = mapping_with(layer.einsum, {{0, 2, 2}, {0, 2, 2}, {1, 2, 2}, {2, 2, 2}, {2, 3, 3}}, random);
        layer.design = random_design(layer.einsum, random);
        lay_out(layer);
        std::vector<double> figures;
        std::vector<double> others;
        try {
            const AccessTable accesses = accesses_of(layer.nests, layer.keeps);
            Chances chances(layer.nests.front(), layer.design.densities);
            const Avoided avoided(layer.nests, layer.architecture, layer.design, layer.keeps, accesses,
                                  layer.words.counted, chances);
            figures = figures_of(expected_counts({layer.mapped(), avoided, chances}));
            others = figures_of(imperfect_counts(layer.mapped(), layer.architecture));
        } catch (const Uncounted&) {
            continue;
        }
        ++compared;
        for (std::size_t i = 0; i < figures.size(); ++i)
            ASSERT_NEAR(others[i], figures[i], 1e-9 * (1.0 + std::abs(figures[i]))) << "seed " << seed << " at " << i;
    }
    EXPECT_GE(compared, 100);
}

/// Goes through the iterations outside a memory's tiles of I, receiver by receiver, as time goes.
class Deliveries {
   public:
    Deliveries(const Layer& layer, int memory) : layer_(layer), nest_(layer.nests[1]) {
        for (int k = 0; k < nest_.levels[memory].first; ++k) outside_.push_back(k);
        for (int k = nest_.levels[memory].first; k < static_cast<int>(nest_.loops.size()); ++k) inside_.push_back(k);
    }

    // Words of all tiles that arrive, each whole whenever it is another than before.
    double words() {
        std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> held;
        double sum = 0.0;
        std::vector<std::int64_t> digits(nest_.loops.size(), 0);
        visit(outside_, digits, [&] {
            std::vector<std::int64_t> receiver;
            for (const int k : outside_)
                if (nest_.loops[k].is_spatial()) receiver.push_back(digits[k]);
            std::vector<std::int64_t> tile;
            visit(inside_, digits, [&] {
                if (const auto word = word_at(digits)) tile.push_back(*word);
            });
            std::ranges::sort(tile);
            tile.erase(std::unique(tile.begin(), tile.end()), tile.end());
            if (tile.empty() || held[receiver] == tile) return;
            sum += static_cast<double>(tile.size());
            held[receiver] = std::move(tile);
        });
        return sum;
    }

   private:
    template <class Use>
    void visit(const std::vector<int>& loops, std::vector<std::int64_t>& digits, const Use& use) {
        for (const int k : loops) digits[k] = 0;
        while (true) {
            use();
            std::size_t i = loops.size();
            while (i > 0 && digits[loops[i - 1]] + 1 == nest_.loops[loops[i - 1]].extent) digits[loops[--i]] = 0;
            if (i == 0) return;
            ++digits[loops[i - 1]];
        }
    }

    std::optional<std::int64_t> word_at(const std::vector<std::int64_t>& digits) const {
        std::vector<std::int64_t> at(layer_.einsum.dimensions.size(), 0);
        for (std::size_t k = 0; k < digits.size(); ++k) at[nest_.loops[k].dimension] += digits[k] * nest_.loops[k].step;
        for (std::size_t d = 0; d < at.size(); ++d)
            if (at[d] >= layer_.einsum.dimensions[d].extent) return std::nullopt;
        return at[0] + at[1];
    }

    const Layer& layer_;
    const Nest& nest_;
    std::vector<int> outside_;
    std::vector<int> inside_;
};

// A bit for every place of a tile: its metadata says how many words arrive.
TEST(ImperfectCounts, OverlappingTilesArriveWholeWithTheirMetadata) {
    int compared = 0;
    int imperfect = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        Layer layer{convolution(random.between(3, 7), random.between(2, 4), random.between(1, 3)),
                    machine(),
                    {},
                    {},
                    {},
                    {},
                    {}};
        std::vector<Loop> loops;
        for (int d = 0; d < 3; ++d)
            for (std::int64_t left = layer.einsum.dimensions[d].extent; left > 1;) {
                const std::int64_t factor = random.between(2, left);
                left = (left + factor - 1) / factor;
                loops.push_back({d, factor, factor});
            }
        layer.mapping = mapping_with(layer.einsum, loops, random);
        if (!restore_remainders(layer.mapping, layer.einsum)) continue;
        layer.design = random_design(layer.einsum, random);
        for (MemoryDesign& memory : layer.design.memories) {
            memory.formats.assign(layer.einsum.tensors.size(), std::nullopt);
            memory.formats[1] = TensorFormat{{{RankFormat::ub, 1, 0, {}}}, false};
        }
        lay_out(layer);
        try {
            const Expected counts = imperfect_counts(layer.mapped(), layer.architecture);
            for (int m = 1; m < kMemories; ++m) {
                const auto& metadata = counts.memories[m][1].fills.metadata;
                const bool is_single = layer.nests[1].levels[m].full[0] * layer.nests[1].levels[m].full[1] == 1;
                if (is_single) continue;  // a word by itself has none
                ++compared;
                imperfect += is_perfect(layer.mapping) ? 0 : 1;
                ASSERT_NEAR(metadata.front().metadata, Deliveries(layer, m).words(), 1e-9) << "seed " << seed;
            }
        } catch (const Uncounted&) {
            continue;
        }
    }
    EXPECT_GE(compared, 100);
    EXPECT_GE(imperfect, 80);
}

}  // namespace
}  // namespace tilewright::sparse::imperfect_counts_test
