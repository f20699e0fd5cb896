// Fused mappings against the exact model of single layers: one layer alone costs what it costs, layers one after the
// other cost the sum, and shared loops around one layer bring into a shared store what the same loops bring into the
// memory of an ordinary mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "model/fused/model.hpp"
#include "nest.hpp"
#include "random_cascade.hpp"
#include "random_nest.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::property {
namespace {

constexpr std::int64_t kOperations = 1000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The einsum alone: its operands are tensors of their own, as large as what they reach.
Cascade alone(const Einsum& einsum) {
    CascadeBuilder builder("alone");
    CascadeEinsum one{"layer", "Layer", einsum};
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[at(t)];
        std::vector<std::int64_t> shape;
        Access access{t, {}};
        for (const Rank& rank : tensor.ranks) {
            std::int64_t low = 0;
            std::int64_t high = 0;
            for (const Term& term : rank.terms) {
                const std::int64_t reach = term.coefficient * (einsum.dimensions[at(term.dimension)].extent - 1);
                (reach < 0 ? low : high) += reach;
            }
            shape.push_back(high - low + 1);
            access.coordinates.push_back({rank.terms, -low});
        }
        builder.tensor(tensor.name, tensor.written ? TensorRole::output : TensorRole::weight, shape);
        one.accesses.push_back(std::move(access));
    }
    builder.einsum(one);
    return builder.so_far();
}

SharedStore store_of_all(const Cascade& cascade) {
    SharedStore store{0, {}};
    for (int t = 0; t < cascade.tensor_count(); ++t) store.tensors.push_back(t);
    return store;
}

void give_energies(Random& random, Architecture& architecture) {
    for (Memory& memory : architecture.memories) {
        memory.energy.read_pj = {random.unit() * 10, "test"};
        memory.energy.fill_pj = {random.unit() * 10, "test"};
        memory.energy.update_pj = {random.unit() * 10, "test"};
        memory.energy.leak_pj_per_cycle = {random.unit(), "test"};
        memory.address_energy_pj = random.unit();
        memory.link.energy_per_hop_pj = random.unit();
        if (random.chance(0.5)) memory.read_words_per_cycle = random.between(1, 4);
    }
    architecture.compute.energy_pj = {random.unit(), "test"};
}

/// The outermost memory of the mapping keeps everything.
bool keeps_all(const Nest& nest) {
    const auto* store = std::get_if<Store>(&nest.mapping.nodes.front());
    return store != nullptr && store->memory == 0 && store->tensors == TensorSet::all(nest.einsum.tensor_count());
}

bool fits(const Nest& nest) { return check(nest.einsum, nest.architecture, nest.mapping).empty(); }

TEST(FusedAlone, OneLayerCostsToTheDigitWhatItCosts) {
    int compared = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        Nest nest = random_nest(Random::split(31, i), kOperations);
        Random random(i);
        give_energies(random, nest.architecture);
        if (!keeps_all(nest) || !fits(nest) || nest.architecture.memories.front().instances != 1) continue;
        const Cascade cascade = alone(nest.einsum);
        FusedMapping mapping;
        const std::vector<int> held(nest.einsum.tensors.size(), 0);
        append(mapping, append(mapping, -1, store_of_all(cascade)), FusedLeaf{0, {leaf_nest(nest.mapping, held)}});
        const fused::Answer answer = fused::evaluate(cascade, nest.architecture, mapping);
        ASSERT_TRUE(answer.evaluation) << i << ": " << answer.violations.front().message << "\n" << to_text(nest);
        const Evaluation plain = evaluate(nest.einsum, nest.architecture, nest.mapping);
        ASSERT_EQ(answer.evaluation->energy_pj, plain.energy_pj) << i << "\n" << to_text(nest);
        ASSERT_EQ(answer.evaluation->cycles, plain.cycles);
        ASSERT_EQ(answer.evaluation->operations, plain.computes);
        ASSERT_EQ(answer.evaluation->recomputed_operations, 0);
        for (std::size_t m = 0; m < plain.memories.size(); ++m)
            for (std::size_t t = 0; t < plain.memories[m].tensors.size(); ++t) {
                ASSERT_EQ(answer.evaluation->memories[m].tensors[t].reads, plain.memories[m].tensors[t].reads);
                ASSERT_EQ(answer.evaluation->memories[m].tensors[t].fills, plain.memories[m].tensors[t].fills);
                ASSERT_EQ(answer.evaluation->memories[m].tensors[t].updates, plain.memories[m].tensors[t].updates);
            }
        ++compared;
    }
    EXPECT_GE(compared, 500);
}

/// The loops outside the first store of a memory further in than memory 1, and the stores of memory 1 among them, as
/// shared ones; nothing where the mapping spreads work there.
std::optional<FusedMapping> with_shared_loops(const Nest& nest, const Cascade& cascade, TensorSet& shared) {
    FusedMapping mapping;
    int node = append(mapping, -1, store_of_all(cascade));
    const Mapping whole{{nest.mapping.nodes.begin() + 1, nest.mapping.nodes.end()}, {}};
    std::size_t i = 0;
    std::vector<int> held(nest.einsum.tensors.size(), 0);
    const LeafNest steps = leaf_nest(nest.mapping, std::vector<int>(held.size(), -1));
    std::size_t at_step = 1;  // of `steps`, which has no loops of one step
    for (; i < whole.nodes.size(); ++i) {
        if (const Loop* loop = std::get_if<Loop>(&whole.nodes[i])) {
            if (loop->is_spatial()) return std::nullopt;
            if (loop->extent == 1) continue;
            const LeafLoop& step = std::get<LeafLoop>(steps.nodes[at_step++]);
            node = append(mapping, node, SharedLoop{step.dimension, step.step});
            continue;
        }
        const Store& store = std::get<Store>(whole.nodes[i]);
        if (store.memory != 1) break;
        ++at_step;
        SharedStore one{1, {}};
        for (int t = 0; t < nest.einsum.tensor_count(); ++t)
            if (store.tensors.has(t)) {
                one.tensors.push_back(t);
                shared.add(t);
                held[at(t)] = 1;
            }
        if (!one.tensors.empty()) node = append(mapping, node, one);
    }
    LeafNest nest_inside =
        leaf_nest(Mapping{{whole.nodes.begin() + static_cast<std::ptrdiff_t>(i), whole.nodes.end()}, {}}, held);
    append(mapping, node, FusedLeaf{0, {nest_inside}});
    return mapping;
}

int compare_deliveries(bool uneven, std::uint64_t count) {
    int compared = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Nest nest = (uneven ? random_uneven_nest : random_nest)(Random::split(32, i), kOperations);
        if (nest.architecture.memory_count() < 2 || !keeps_all(nest) || !fits(nest) || !is_perfect(nest.mapping))
            continue;
        if (nest.architecture.memories[0].instances != 1 || nest.architecture.memories[1].instances != 1) continue;
        const Cascade cascade = alone(nest.einsum);
        TensorSet shared;
        const std::optional<FusedMapping> mapping = with_shared_loops(nest, cascade, shared);
        if (!mapping || shared.empty() || !check_fused(cascade, nest.architecture, *mapping).empty()) continue;
        const fused::Answer answer = fused::evaluate(cascade, nest.architecture, *mapping);
        const std::string text = to_text(nest) + to_text(*mapping, cascade, nest.architecture);
        if (!answer.evaluation) {
            ADD_FAILURE() << i << ": " << answer.violations.front().message << "\n" << text;
            return compared;
        }
        const Evaluation plain = evaluate(nest.einsum, nest.architecture, nest.mapping);
        for (int t = 0; t < nest.einsum.tensor_count(); ++t) {
            if (!shared.has(t)) continue;
            const fused::TensorCost& outer = answer.evaluation->memories[0].tensors[at(t)];
            const TensorTraffic& same = plain.memories[0].tensors[at(t)];
            EXPECT_EQ(outer.reads, same.reads) << i << " " << nest.einsum.tensors[at(t)].name << "\n" << text;
            EXPECT_EQ(outer.updates, same.updates) << i << " " << nest.einsum.tensors[at(t)].name << "\n" << text;
            EXPECT_EQ(answer.evaluation->memories[1].tensors[at(t)].fills, plain.memories[1].tensors[at(t)].fills)
                << i << " " << nest.einsum.tensors[at(t)].name << "\n"
                << text;
            ++compared;
        }
        if (testing::Test::HasFailure()) return compared;
    }
    return compared;
}

TEST(FusedAlone, SharedLoopsAroundOneLayerBringWhatItsOwnLoopsWouldBring) {
    EXPECT_GE(compare_deliveries(false, 6000), 100);
}

TEST(FusedAlone, StoresAtDifferentPlacesAreUnevenMappings) { EXPECT_GE(compare_deliveries(true, 3000), 100); }

/// One branch per einsum, everything in the outermost memory.
FusedMapping one_after_the_other(const Cascade& cascade, std::vector<Mapping>& mappings, const Architecture& machine) {
    FusedMapping mapping;
    const int split = append(mapping, append(mapping, -1, store_of_all(cascade)), SequentialSplit{});
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const Einsum& einsum = cascade.einsums[at(e)].einsum;
        LeafNest nest;
        for (int m = 1; m < machine.memory_count(); ++m)
            nest.nodes.emplace_back(Store{m, TensorSet::all(einsum.tensor_count())});
        for (int d = 0; d < einsum.dimension_count(); ++d) nest.nodes.emplace_back(LeafLoop{d, 1, LoopKind::temporal});
        std::rotate(nest.nodes.begin(), nest.nodes.begin() + machine.memory_count() - 1, nest.nodes.end());
        append(mapping, split, FusedLeaf{e, {nest}});
        std::vector<std::int64_t> extents;
        for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
        mappings.push_back(
            mapping_on(nest, extents, std::vector<int>(einsum.tensors.size(), 0), machine.memory_count()));
    }
    return mapping;
}

TEST(FusedAlone, ATreeWithoutSharedLoopsCostsTheSum) {
    int compared = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        FusedProblem problem = random_fused_problem(Random::split(33, i), kOperations);
        Random random(i);
        give_energies(random, problem.architecture);
        std::vector<Mapping> mappings;
        const FusedMapping mapping = one_after_the_other(problem.cascade, mappings, problem.architecture);
        const fused::Answer answer = fused::evaluate(problem.cascade, problem.architecture, mapping);
        ASSERT_TRUE(answer.evaluation) << answer.violations.front().message;
        double energy_pj = 0.0;
        std::int64_t cycles = 0;
        for (std::size_t e = 0; e < mappings.size(); ++e) {
            const Evaluation plain = evaluate(problem.cascade.einsums[e].einsum, problem.architecture, mappings[e]);
            energy_pj += plain.energy_pj;
            cycles += plain.cycles;
        }
        ASSERT_EQ(answer.evaluation->energy_pj, energy_pj);
        ASSERT_EQ(answer.evaluation->cycles, cycles);
        ++compared;
    }
    EXPECT_EQ(compared, 200);
}

TEST(FusedText, ReadsBackWhatItWrites) {
    for (std::uint64_t i = 0; i < 300; ++i) {
        const FusedProblem problem = random_fused_problem(Random::split(34, i), kOperations);
        const std::string text = to_text(problem.mapping, problem.cascade, problem.architecture);
        ASSERT_EQ(parse_fused_mapping(text, problem.cascade, problem.architecture).mapping, problem.mapping) << text;
    }
}

}  // namespace
}  // namespace tilewright::property
