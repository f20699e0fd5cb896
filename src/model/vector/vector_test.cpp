#include "model/vector/vector.hpp"

#include <gtest/gtest.h>

#include "workload/cascade/text.hpp"

namespace tilewright::vector_test {
namespace {

// DRAM (200 pJ a word, 4 words a cycle) around a buffer (6 pJ, 64 words a cycle); registers are inside the array.
Architecture machine() {
    Architecture architecture;
    for (const char* name : {"DRAM", "buffer", "registers"}) {
        Memory memory;
        memory.name = name;
        architecture.memories.push_back(memory);
    }
    Memory& dram = architecture.memories[0];
    dram.energy.read_pj.value = dram.energy.fill_pj.value = dram.energy.update_pj.value = 200.0;
    dram.shared_words_per_cycle = 4.0;
    Memory& buffer = architecture.memories[1];
    buffer.energy.read_pj.value = buffer.energy.fill_pj.value = buffer.energy.update_pj.value = 6.0;
    buffer.shared_words_per_cycle = 64.0;
    return architecture;
}

VectorUnit unit(double per_cycle) {
    VectorUnit unit;
    unit.memory = "buffer";
    unit.rates.fill({0.5, per_cycle});
    unit.rates[static_cast<std::size_t>(OperationClass::exponential)].energy_pj = 2.0;
    return unit;
}

Evaluation evaluated(double per_cycle) {
    const Cascade cascade = parse_cascade("size h=10, l=20; P[h,l] = exp(S[h,l] - top[h]) * total[h]");
    const CascadeEinsum& one = cascade.einsums[0];
    return evaluate_on_vector_unit(one, machine(), unit(per_cycle));
}

// 200 points, 200 words of S and P, 10 of each statistic. DRAM: 220 read, 200 written. The buffer: 220 filled and read,
// 200 written.
TEST(VectorUnitCost, EveryWordOnceAndEveryOperation) {
    const Evaluation found = evaluated(16.0);
    EXPECT_EQ(found.computes, 200);
    EXPECT_DOUBLE_EQ(found.memories[0].energy_pj, 420 * 200.0);
    EXPECT_DOUBLE_EQ(found.memories[1].energy_pj, 640 * 6.0);
    EXPECT_DOUBLE_EQ(found.memories[2].energy_pj, 0.0);
    EXPECT_DOUBLE_EQ(found.compute_energy_pj, 200 * (2.0 + 0.5 + 0.5));
    EXPECT_DOUBLE_EQ(found.energy_pj, 420 * 200.0 + 640 * 6.0 + 600.0);
}

// 600 operations at 16 a cycle take 38 cycles, 420 words of DRAM at 4 a cycle 105; at one a cycle they decide.
TEST(VectorUnitCost, TheSlowestDecides) {
    const Evaluation bound = evaluated(16.0);
    EXPECT_EQ(bound.compute_cycles, 38);
    EXPECT_EQ(bound.cycles, 105);
    EXPECT_EQ(bound.bounding_memory, 0);
    const Evaluation slow = evaluated(1.0);
    EXPECT_EQ(slow.cycles, 600);
    EXPECT_EQ(slow.bounding_memory, -1);
}

}  // namespace
}  // namespace tilewright::vector_test
