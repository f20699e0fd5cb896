#include "fusion/hierarchy/open_leaves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "fixtures/plain_memory.hpp"
#include "fixtures/two_products.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/text.hpp"
#include "mapspace/mapspace.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/model.hpp"

namespace tilewright::fusion::open_leaves_test {
namespace {

using fixtures::plain_memory;

// DRAM, a buffer of so many words, one for weights alone, and a scratchpad for each of two units.
Architecture machine(std::int64_t buffer_words) {
    Architecture machine;
    machine.memories = {plain_memory("DRAM", 100.0, 1), plain_memory("Buffer", 10.0, 1), plain_memory("Inner", 4.0, 1),
                        plain_memory("Scratchpad", 1.0, 2)};
    machine.memories[0].shared_words_per_cycle = 1.0;
    machine.memories[1].shared_words_per_cycle = 3.0;
    machine.memories[1].capacity_words = buffer_words;
    machine.memories[2].capacity_words = 12;
    machine.memories[3].capacity_words = 4;
    machine.compute.instances = 2;
    machine.compute.mesh = {2, 1};
    machine.compute.energy_pj = {5.0, ""};
    return machine;
}

// Free but for what makes fewer mappings to list: results stay with the units, whose first operands do not; the inner
// memory is for second operands, and has no loops of its own.
std::vector<Constraints> demands_for(const Cascade& cascade) {
    Constraints demands;
    demands.levels.resize(4);
    demands.levels[3].must_keep = TensorSet::of(2);
    demands.levels[3].must_bypass = TensorSet::of(0);
    demands.levels[2].must_bypass = TensorSet::all(3);
    demands.levels[2].must_bypass.remove(1);
    FactorConstraint none;
    none.exactly = 1;
    demands.levels[2].temporal.factors.resize(3, none);
    return std::vector<Constraints>(cascade.einsums.size(), demands);
}

double value_of(const fused::Evaluation& evaluation, ObjectiveKind kind) {
    const Objective objective{.kind = kind};
    return objective.score(evaluation.energy_pj, static_cast<double>(evaluation.cycles)).value;
}

// Costs of leaves add up, so that the least of a tree is where no nest of one leaf alone can be exchanged for a better
// one: all of them are tried, the tree costed by the exact model.
struct Exchanged {
    double least = std::numeric_limits<double>::infinity();
    int tried = 0;
};

Exchanged exchange(const Cascade& cascade, const Architecture& architecture, const FusedMapping& filled,
                   ObjectiveKind kind) {
    Exchanged all;
    Architecture open = architecture;
    for (Memory& one : open.memories) one.capacity_words.reset();
    const FusedTree tree(cascade, filled);
    for (const int node : tree.all_leaves()) {
        const FusedLeaf& leaf = *tree.leaf(node);
        const std::vector<int> held_in = fused::held_in(cascade, tree, node);
        for (std::size_t n = 0; n < leaf.nests.size(); ++n) {
            if (leaf.nests[n].box.empty()) continue;  // it was given
            const Einsum box = on_box(cascade.einsums[leaf.einsum].einsum, leaf.nests[n].box);
            Constraints demands = demands_for(cascade)[leaf.einsum];
            for (int t = 0; t < 3; ++t)
                for (int m = 1; m <= held_in[t]; ++m) {
                    demands.levels[m].must_keep.remove(t);
                    demands.levels[m].must_bypass.add(t);
                }
            const Mapspace mapspace(box, open, demands);
            mapspace.enumerate([&](const TilingPoint& point) {
                const auto mapping = mapping_of(point, box);
                if (!mapping) return true;
                FusedMapping other = filled;
                LeafNest& nest = std::get<FusedLeaf>(other.nodes[node].what).nests[n];
                std::vector<std::int64_t> extents = nest.box;
                nest = leaf_nest(*mapping, held_in);
                std::erase_if(nest.nodes, [](const LeafNode& one) {
                    const Store* store = std::get_if<Store>(&one);
                    return store != nullptr && store->memory == 0;
                });
                nest.box = std::move(extents);
                const fused::Answer answer = fused::evaluate(cascade, architecture, other);
                ++all.tried;
                if (answer.evaluation) all.least = std::min(all.least, value_of(*answer.evaluation, kind));
                return true;
            });
        }
    }
    return all;
}

FusedMapping tree_of(const std::string& text, const Cascade& cascade, const Architecture& architecture) {
    return parse_fused_mapping(text, cascade, architecture, "m.fused").mapping;
}

constexpr const char* kTrees[] = {
    // steps that divide; a remainder of one row
    "store DRAM: A, V, W, C\n for m by 2\n  store Buffer: B\n   split\n    leaf up\n    leaf down\n",
    "store DRAM: A, V, W, C\n for m by 3\n  fresh store Buffer: B, A\n   split\n    leaf up\n    leaf down\n",
    // weights in a memory of their own, outside the loop
    "store DRAM: A, V, W, C\n store Buffer: W\n  store Inner: V\n   for m by 2\n    store Buffer: A, B, C\n     split\n"
    "      leaf up\n      leaf down\n",
    // one leaf as it is
    "store DRAM: A, V, W, C\n for m by 2\n  store Buffer: B\n   split\n    leaf up\n     for m by 1\n     for k by 1\n"
    "     for e by 1\n     store Scratchpad: B\n    leaf down\n",
};

TEST(OpenLeaves, NoOtherMappingOfALeafIsBetter) {
    const Cascade cascade = fixtures::two_products();
    int tried = 0;
    for (const char* text : kTrees)
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
            const bool is_large = std::string_view(text).find("Inner") != std::string_view::npos;
            const Architecture architecture = machine(is_large ? 60 : 24);
            const std::vector<Constraints> demands = demands_for(cascade);
            OpenLeaves leaves(cascade, architecture, demands, nullptr);
            const FilledTree filled = leaves.fill(tree_of(text, cascade, architecture), {.kind = kind});
            ASSERT_TRUE(filled.evaluation) << text << filled.violations.front().message;
            const Exchanged all = exchange(cascade, architecture, filled.mapping, kind);
            const double value = value_of(*filled.evaluation, kind);
            EXPECT_LE(filled.bound, all.least * (1.0 + 1e-9)) << text;
            if (filled.proven) {
                EXPECT_NEAR(value, all.least, 1e-6) << text;
            }
            if (kind == ObjectiveKind::energy) {
                EXPECT_TRUE(filled.proven) << text;
            }
            tried += all.tried;
        }
    EXPECT_GT(tried, 3000);
}

// Sums that go on cost more than leaves that begin, by what the mapper does not see: an interval.
TEST(OpenLeaves, SumsThatGoOnHaveAnIntervalAtLeast) {
    const Cascade cascade = fixtures::two_products();
    const Architecture architecture = machine(60);
    const std::vector<Constraints> demands = demands_for(cascade);
    OpenLeaves leaves(cascade, architecture, demands, nullptr);
    const FilledTree filled = leaves.fill(
        tree_of("store DRAM: A, V, W, C\n store Buffer: C\n  for k by 2\n   store Buffer: B\n    split\n     leaf up\n"
                "     leaf down\n",
                cascade, architecture),
        {.kind = ObjectiveKind::energy});
    ASSERT_TRUE(filled.evaluation);
    EXPECT_LE(filled.bound, exchange(cascade, architecture, filled.mapping, ObjectiveKind::energy).least * (1 + 1e-9));
}

// Of products the bound holds, and no tree of least energy or cycles is better.
TEST(OpenLeaves, ProductsAreNoWorseThanTheBestOfEither) {
    const Cascade cascade = fixtures::two_products();
    const Architecture architecture = machine(60);
    const std::vector<Constraints> demands = demands_for(cascade);
    OpenLeaves leaves(cascade, architecture, demands, nullptr);
    for (const char* text : kTrees) {
        const FusedMapping tree = tree_of(text, cascade, architecture);
        const FilledTree product = leaves.fill(tree, {.kind = ObjectiveKind::edp});
        ASSERT_TRUE(product.evaluation);
        EXPECT_LE(product.bound, product.evaluation->edp_pj_cycles());
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency})
            EXPECT_LE(product.evaluation->edp_pj_cycles(),
                      leaves.fill(tree, {.kind = kind}).evaluation->edp_pj_cycles());
    }
}

TEST(OpenLeaves, WhatDoesNotFitIsTold) {
    const Cascade cascade = fixtures::two_products();
    const Architecture architecture = machine(11);
    const std::vector<Constraints> demands = demands_for(cascade);
    OpenLeaves leaves(cascade, architecture, demands, nullptr);
    const FilledTree filled = leaves.fill(tree_of(kTrees[0], cascade, architecture), {.kind = ObjectiveKind::energy});
    ASSERT_FALSE(filled.evaluation);
    ASSERT_EQ(filled.violations.size(), 1U);
    EXPECT_EQ(filled.violations.front().message, "Buffer holds 12 words while 'up' runs, 1 more than its 11: B 12");
    EXPECT_EQ(filled.violations.front().node, 4);
}

}  // namespace
}  // namespace tilewright::fusion::open_leaves_test
