#include "fusion/leaf/leaf.hpp"

#include <gtest/gtest.h>

#include "fusion/leaf/leaf_space.hpp"
#include "mapping/fused/leaf_mapping.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::fusion::leaf_test {
namespace {

Architecture small_machine() {
    Architecture machine;
    machine.name = "three levels";
    for (const char* name : {"DRAM", "Buffer", "Register"}) {
        Memory memory;
        memory.name = name;
        machine.memories.push_back(memory);
    }
    machine.memories[0].energy = {{200, "test"}, {0, "test"}, {190, "test"}, {0, "test"}};
    machine.memories[1].energy = {{6, "test"}, {5, "test"}, {7, "test"}, {0, "test"}};
    machine.memories[0].shared_words_per_cycle = 2.0;
    machine.memories[1].shared_words_per_cycle = 5.0;
    machine.memories[1].capacity_words = 400;
    machine.memories[2].capacity_words = 1;
    machine.memories[2].instances = machine.compute.instances = 8;
    machine.memories[2].mesh = machine.compute.mesh = {4, 2};
    machine.compute.energy_pj = {1.0, "test"};
    return machine;
}

std::vector<int> held_in(const Einsum& einsum, TensorSet held) {
    std::vector<int> memories;
    for (int t = 0; t < einsum.tensor_count(); ++t) memories.push_back(held.has(t) ? kBuffer : kDram);
    return memories;
}

// Every mapping of the space costs what the exact model says; returns how many.
int compare(const Einsum& einsum, const LeafQuestion& question) {
    const Architecture architecture = small_machine();
    const Machine machine = machine_of(architecture);
    Architecture open = architecture;
    open.memories[kBuffer].capacity_words.reset();
    Neighbours neighbours(einsum);
    LeafSpace space(einsum, machine, question, neighbours);
    const std::vector<int> held = held_in(einsum, question.held);
    TensorSet resumed;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[t].written) resumed.add(t);
    int count = 0;
    std::vector<LeafPoint> points;
    space.list([&](const LeafChoice& choice, const LeafPoint& point) {
        points.push_back(point);
        const Mapping mapping = mapping_on(space.nest(choice), question.extents, held, 3);
        const auto problems = check(einsum, open, mapping);
        EXPECT_TRUE(problems.empty()) << problems.front().message;
        if (!problems.empty()) return false;
        const Evaluation exact = evaluate(einsum, open, mapping);
        const Evaluation later = evaluate(einsum, open, mapping, nullptr, resumed);
        const auto times = static_cast<double>(question.resumed);
        const double energy = exact.energy_pj + times * later.energy_pj;
        std::int64_t own = 0;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (!question.held.has(t)) own += exact.memories[1].tensors[t].tile_words;
        EXPECT_NEAR(point.energy_pj, energy, 1e-9 * energy);
        EXPECT_EQ(point.cycles, static_cast<double>(exact.cycles) + times * static_cast<double>(later.cycles));
        EXPECT_EQ(point.words, own);
        ++count;
        return !::testing::Test::HasFailure();
    });
    for (const Ranking ranking : {Ranking::both, Ranking::energy_first, Ranking::cycles_first})
        EXPECT_EQ(space.front(ranking), front_of(points, ranking));
    return count;
}

TEST(Leaf, EveryMappingCostsWhatTheExactModelSays) {
    const Einsum gemm = parse_einsum("O[m,k] += I[m,c] * W[c,k]", {{"m", 6}, {"k", 8}, {"c", 4}});
    const Einsum convolution = parse_einsum("O[k,p,q] += I[c,2p+r,q+s] * W[k,c,r,s]",
                                            {{"k", 4}, {"p", 3}, {"q", 4}, {"c", 2}, {"r", 3}, {"s", 2}});
    const Einsum depthwise =
        parse_einsum("O[c,p,q] += I[c,p+r,q+s] * W[c,r,s]", {{"c", 4}, {"p", 2}, {"q", 3}, {"r", 3}, {"s", 3}});
    const Einsum heads =
        parse_einsum("S[b,h,m,l] += Q[b,m,h,e] * K[b,h,l,e]", {{"b", 2}, {"h", 2}, {"m", 3}, {"l", 4}, {"e", 2}});
    const Einsum sum = parse_einsum("O[m,n] += A[m,n] * B[m,n]", {{"m", 4}, {"n", 6}});
    int count = 0;
    for (const Einsum* einsum : {&gemm, &convolution, &depthwise, &heads, &sum}) {
        std::vector<std::int64_t> extents;
        for (const Dimension& dimension : einsum->dimensions) extents.push_back(dimension.extent);
        const auto sets = static_cast<std::uint32_t>(1U << einsum->tensor_count());
        for (std::uint32_t held = 0; held < sets; ++held)
            for (const std::int64_t resumed : {0, 3}) {
                const TensorSet set = TensorSet::from_bits(held);
                if (resumed == 0 ||
                    set.has(find_tensor(*einsum, einsum->tensors.front().written ? einsum->tensors.front().name
                                                                                 : einsum->tensors.back().name)))
                    count += compare(*einsum, {extents, set, resumed});
            }
    }
    EXPECT_GE(count, 1000);
}

}  // namespace
}  // namespace tilewright::fusion::leaf_test
