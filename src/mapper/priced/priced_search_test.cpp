// When a search with prices may call its answer proven, and when it may not. property_sparse_search and
// property_priced_search compare it with all mappings.
#include "mapper/priced/priced_search.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "mapper/optimal/optimal.hpp"
#include "mapper/strategies/hybrid.hpp"
#include "model/lean/lean.hpp"
#include "model/sparse/sparse_model.hpp"
#include "model/sparse/word_prices.hpp"

namespace tilewright::priced_search_test {
namespace {

using sparse::FormatRank;
using sparse::RankFormat;
using sparse::TensorFormat;

/// Z[m,n] += A[m,k] B[k,n] of 8 x 8 matrices from DRAM through a buffer that keeps all; of A every fourth element is
/// not zero.
struct SparseProduct {
    LayerProblem layer;
    sparse::Design design;
    Objective objective;

    SparseProduct() {
        const auto rank = [](int dimension) { return Rank{{{dimension, 1}}}; };
        layer.einsum.dimensions = {{"M", 8}, {"N", 8}, {"K", 8}};
        layer.einsum.tensors = {{"A", {rank(0), rank(2)}, false, 0},
                                {"B", {rank(2), rank(1)}, false, 0},
                                {"Z", {rank(0), rank(1)}, true, 0}};
        for (const double pj : {100.0, 2.0}) {
            Memory memory;
            memory.name = pj > 10.0 ? "DRAM" : "buffer";
            memory.energy.read_pj.value = memory.energy.fill_pj.value = memory.energy.update_pj.value = pj;
            layer.architecture.memories.push_back(memory);
            layer.constraints.levels.push_back({{}, {}, TensorSet::all(3), {}});
        }
        layer.architecture.memories[1].capacity_words = 40;
        layer.architecture.compute.energy_pj.value = 1.0;
        design.densities = {sparse::UniformRandom{0.25}, sparse::FixedStructured{1.0}, sparse::FixedStructured{1.0}};
        design.memories.resize(2);
        for (sparse::MemoryDesign& memory : design.memories) memory.formats.resize(3);
    }

    void compress() {
        for (sparse::MemoryDesign& memory : design.memories) {
            memory.formats[0] = TensorFormat{{FormatRank{RankFormat::cp, 4, 4, {}}}, false};
            memory.metadata_width_bits = 4;
            memory.metadata = {1.0, 1.0, 1.0};
        }
    }

    LayerProblem problem() const {
        LayerProblem problem = layer;
        problem.zeros = design;
        return problem;
    }

    SearchResult searched(const PricedEffort& effort = {}) const {
        return search_priced(problem(), FactorRule::perfect, OptimalMapper(), objective, {}, {}, effort);
    }
};

constexpr PricedEffort kPricesAlone{.most_seen = 0.0, .tries = 100};

TEST(PricedSearch, WhatSingleWordsDecideIsProvenByTheDenseProof) {
    SparseProduct product;
    product.compress();
    product.design.memories[1].skipping = {{{1, {0}}}};
    product.design.skips_computes = true;
    const SearchResult found = product.searched(kPricesAlone);
    ASSERT_TRUE(found.best);
    EXPECT_TRUE(is_proven(found));
    EXPECT_EQ(found.stopped, StopReason::proven);
    EXPECT_EQ(found.lower_bound, found.score.value);
}

TEST(PricedSearch, WhatTilesDecideIsNotProvenByPricesOfWords) {
    SparseProduct product;
    product.design.memories[0].skipping = {{{1, {0}}}};
    const SearchResult found = product.searched(kPricesAlone);
    ASSERT_TRUE(found.best);
    EXPECT_FALSE(is_proven(found));
    ASSERT_TRUE(found.lower_bound);
    EXPECT_LT(*found.lower_bound, found.score.value);
    const SearchResult whole = product.searched();
    EXPECT_TRUE(is_proven(whole)) << "small enough to be seen whole";
    EXPECT_LE(whole.score.value, found.score.value);
    EXPECT_GE(whole.score.value, *found.lower_bound);
}

// B's only row that is not zero comes first: every first update is done and none of the second, so that no partial sum
// is read back, though half of the updates are done.
TEST(PricedSearch, PricesAreNoMoreThanTheCostWhereFirstUpdatesAreDoneMoreOften) {
    SparseProduct product;
    for (Dimension& dimension : product.layer.einsum.dimensions) dimension.extent = 2;
    const auto row = std::make_shared<const std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 1});
    product.design.densities = {sparse::FixedStructured{1.0}, sparse::Measured{"b.npy", {2, 2}, row},
                                sparse::FixedStructured{1.0}};
    product.design.memories[1].gating = {{{2, {1}}}};
    const LayerProblem& layer = product.layer;
    const std::vector<std::vector<bool>> all_kept(3, {true, true});
    const LeanEvaluator priced(
        layer.einsum, layer.architecture,
        std::make_shared<const lean::Prices>(
            sparse::word_prices(layer.einsum, layer.architecture, product.design, all_kept, true).prices));
    int compared = 0;
    Mapspace(layer.einsum, layer.architecture, layer.constraints).enumerate([&](const TilingPoint& point) {
        const auto mapping = mapping_of(FoundMapping{point}, layer.einsum);
        const Evaluation exact =
            sparse::evaluate(layer.einsum, layer.architecture, mapping.value(), product.design).evaluation;
        EXPECT_LE(priced.evaluate(point).energy_pj, exact.energy_pj * (1.0 + 1e-12));
        ++compared;
        return true;
    });
    EXPECT_GT(compared, 20);
}

TEST(PricedSearch, OtherMappersBoundNothing) {
    SparseProduct product;
    product.compress();
    Budget budget;
    budget.evaluations = 2000;
    const SearchResult found =
        search_priced(product.problem(), FactorRule::perfect, HybridMapper(), product.objective, budget);
    ASSERT_TRUE(found.best);
    EXPECT_FALSE(is_proven(found));
    EXPECT_FALSE(found.lower_bound);
}

TEST(PricedSearch, WhatIsNotCountedIsSaid) {
    SparseProduct product;
    product.design.memories[1].spatial_skipping = {{{1, {0}}}};
    const SearchResult found = product.searched();
    EXPECT_FALSE(found.best);
    EXPECT_FALSE(is_proven(found));
    EXPECT_NE(found.remark.find("skipping_spatial"), std::string::npos) << found.remark;
}

}  // namespace
}  // namespace tilewright::priced_search_test
