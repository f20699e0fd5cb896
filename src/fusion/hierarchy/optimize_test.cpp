#include "fusion/optimize.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fixtures/fused_bottleneck.hpp"
#include "fixtures/growing_concatenation.hpp"
#include "fusion/hierarchy/roles.hpp"

namespace tilewright::fusion::optimize_test {
namespace {

Architecture machine(std::int64_t buffer_words) { return fixtures::three_levels(buffer_words, 16); }
Cascade bottleneck() { return fixtures::bottleneck(8, 12); }

const Objective kEnergy{.kind = ObjectiveKind::energy};
const Objective kLatency{.kind = ObjectiveKind::latency};
const Objective kProduct{.kind = ObjectiveKind::edp};
const Objective kPareto{.kind = ObjectiveKind::pareto};

TEST(BestFused, ABottleneckIsOneGroup) {
    const Answer answer = optimize(bottleneck(), machine(4096), kEnergy);
    ASSERT_TRUE(answer.fused && answer.unfused);
    EXPECT_TRUE(answer.proven);
    EXPECT_EQ(answer.fused->plan.groups.size(), 1U);
    EXPECT_LT(answer.fused->evaluation.energy_pj, 0.5 * answer.unfused->evaluation.energy_pj);
    EXPECT_NEAR(answer.bound, answer.fused->evaluation.energy_pj, 1e-9 * answer.bound);
}

TEST(BestFused, EachObjectiveHasTheLeastOfItsOwn) {
    const Cascade cascade = bottleneck();
    const Answer energy = optimize(cascade, machine(600), kEnergy);
    const Answer latency = optimize(cascade, machine(600), kLatency);
    const Answer product = optimize(cascade, machine(600), kProduct);
    ASSERT_TRUE(energy.fused && latency.fused && product.fused);
    EXPECT_LE(energy.fused->evaluation.energy_pj, product.fused->evaluation.energy_pj);
    EXPECT_LE(latency.fused->evaluation.cycles, product.fused->evaluation.cycles);
    EXPECT_LE(product.fused->evaluation.edp_pj_cycles(), energy.fused->evaluation.edp_pj_cycles());
    EXPECT_LE(product.fused->evaluation.edp_pj_cycles(), latency.fused->evaluation.edp_pj_cycles());
}

TEST(BestFused, ALargerBufferNeverCostsMore) {
    double before = 0.0;
    for (const std::int64_t words : {100, 200, 300, 500, 800, 1200, 2000, 3000, 5000, 10000}) {
        const Answer answer = optimize(bottleneck(), machine(words), kEnergy);
        ASSERT_TRUE(answer.fused && answer.proven) << words;
        if (answer.unfused) {
            EXPECT_LE(answer.fused->evaluation.energy_pj, answer.unfused->evaluation.energy_pj) << words;
        }
        if (before > 0.0) {
            EXPECT_LE(answer.fused->evaluation.energy_pj, before) << words;
        }
        before = answer.fused->evaluation.energy_pj;
    }
}

// Whoever sees the first plan and stops has it.
TEST(BestFused, KeepsTheFirstPlanWhereItIsStoppedThen) {
    const Cascade cascade = bottleneck();
    const Architecture architecture = machine(600);
    std::string problem;
    const std::vector<Constraints> demands = demands_of(cascade, architecture, {}, problem);
    StopSource stop;
    int told = 0;
    const Answer answer =
        optimize(cascade, architecture, demands, kEnergy, &stop, 1 << 20, 64, [&](const Mapped* best, double) {
            ++told;
            EXPECT_NE(best, nullptr);
            stop.request();
        });
    EXPECT_EQ(told, 1);
    ASSERT_TRUE(answer.fused && answer.unfused);
    EXPECT_TRUE(answer.stopped);
    EXPECT_FALSE(answer.proven);
    EXPECT_LE(answer.bound, answer.fused->evaluation.energy_pj);
    const Answer whole = optimize(cascade, architecture, kEnergy);
    ASSERT_TRUE(whole.fused);
    EXPECT_LE(whole.fused->evaluation.energy_pj, answer.fused->evaluation.energy_pj);
}

// A filter of one word that steps by two, as ResNet's downsampling has it. Every word once, past the buffer: 8 words of
// the DRAM, 4 operations.
TEST(BestFused, AWindowThatStepsOverWordsMovesThoseItTouches) {
    for (const char* access : {"2*p+r", "r+2*p", "2*p"}) {
        const Cascade cascade = parse_cascade(
            "size p=2, r=1, c=2; input A[2,3]; weight W[2,1]; output B[2];\n"
            "e: B[p] += A[c," +
                std::string(access) + "] * W[c,r]",
            {});
        const Answer energy = optimize(cascade, machine(100), kEnergy);
        const Answer latency = optimize(cascade, machine(100), kLatency);
        const Answer product = optimize(cascade, machine(100), kProduct);
        ASSERT_TRUE(energy.proven && latency.proven && product.proven) << access;
        EXPECT_DOUBLE_EQ(energy.fused->evaluation.energy_pj, 8 * 200.0 + 4.0) << access;
        EXPECT_GE(latency.fused->evaluation.energy_pj, energy.fused->evaluation.energy_pj) << access;
        EXPECT_EQ(latency.fused->evaluation.cycles, 2) << access;
        EXPECT_LE(product.fused->evaluation.edp_pj_cycles(), latency.fused->evaluation.edp_pj_cycles()) << access;
    }
}

// The tangent at the fewest cycles, 74 with 23,736 pJ, passes above 8,436 pJ and 126 cycles, a smaller product.
TEST(BestFused, AnEinsumByItselfHasItsLeastProduct) {
    const Cascade cascade =
        parse_cascade("size k=3, p=4, c=3, r=3; input x[3,6]; weight w; y[k,p] += x[c,p+r] * w[k,c,r]", {});
    Architecture slow = fixtures::three_levels(37, 2);
    slow.memories[0].energy = {{172, "test"}, {0, "test"}, {34, "test"}, {0, "test"}};
    slow.memories[1].energy = {{1, "test"}, {4, "test"}, {12, "test"}, {0, "test"}};
    slow.compute.energy_pj = {0.0, "test"};
    slow.memories[1].shared_words_per_cycle = 1.0;
    double before = 1.1e6;
    for (const double words_per_cycle : {1.0, 2.0}) {
        slow.memories[0].shared_words_per_cycle = words_per_cycle;
        const Answer answer = optimize(cascade, slow, kProduct);
        ASSERT_TRUE(answer.unfused);
        EXPECT_LE(answer.unfused->evaluation.edp_pj_cycles(), before) << words_per_cycle;
        before = answer.unfused->evaluation.edp_pj_cycles();
    }
}

// Who reads the part of a concatenation that is there does not wait for who writes the rest (DenseNet).
TEST(BestFused, AConcatenationThatGrowsIsMapped) {
    const Answer answer = optimize(fixtures::growing_concatenation(), machine(64), kEnergy);
    ASSERT_TRUE(answer.unfused && answer.fused);
    EXPECT_TRUE(answer.proven);
    EXPECT_EQ(answer.unfused->plan.groups.size(), 4U);
}

TEST(BestFused, WhatIsStoppedIsNotProven) {
    StopSource stop;
    stop.request();
    const Answer answer = optimize(bottleneck(), machine(4096), kEnergy, &stop);
    EXPECT_TRUE(answer.stopped);
    EXPECT_FALSE(answer.proven);
    EXPECT_FALSE(answer.fused);
    EXPECT_GT(answer.bound, 0.0) << "the floors hold all the same";
}

TEST(BestFused, ABufferOfOneWordIsPassedBy) {
    const Answer answer = optimize(bottleneck(), machine(1), kEnergy);
    ASSERT_TRUE(answer.fused && answer.unfused);
    EXPECT_DOUBLE_EQ(answer.fused->evaluation.energy_pj, answer.unfused->evaluation.energy_pj);
    EXPECT_LE(answer.fused->evaluation.memories[1].peak_words, 1);
}

// Nothing is above floors of nothing by a share of them.
TEST(BestFused, WhereNothingCostsAnythingAllMappingsAreTheBest) {
    Architecture free = machine(4096);
    free.compute.energy_pj = {0.0, "test"};
    for (Memory& memory : free.memories) memory.energy = {{0, "test"}, {0, "test"}, {0, "test"}, {0, "test"}};
    const Answer answer = optimize(bottleneck(), free, kEnergy);
    ASSERT_TRUE(answer.fused);
    EXPECT_TRUE(answer.proven);
    EXPECT_EQ(answer.fused->evaluation.energy_pj, 0.0);
}

// What the way from the buffer costs is paid where the group ends, so that no floor of its einsum may have it once
// more.
TEST(BestFused, AResultThatGoesByWayOfTheBufferIsSentOnce) {
    const Cascade cascade = parse_cascade("input x[3,7,4]; weight w; y[k,p,q] += x[c,2p+r,2q+s] * w[k,c,r,s];",
                                          {{"k", 4}, {"c", 3}, {"p", 3}, {"q", 1}, {"r", 3}, {"s", 3}});
    Architecture few = fixtures::three_levels(64, 2);
    few.memories[0].energy = {{12, "test"}, {0, "test"}, {6, "test"}, {0, "test"}};
    few.memories[1].energy = {{0, "test"}, {0, "test"}, {2, "test"}, {0, "test"}};
    few.memories[0].shared_words_per_cycle = 0.5;
    few.memories[1].shared_words_per_cycle = 8.0;
    for (const Objective& objective : {kEnergy, kLatency}) {
        const Answer answer = optimize(cascade, few, objective, nullptr, 1);
        ASSERT_TRUE(answer.fused && answer.proven);
        const fused::Evaluation& best = answer.fused->evaluation;
        EXPECT_NEAR(answer.bound, objective.score(best.energy_pj, best.cycles).value, 1e-9 * answer.bound);
    }
}

// t grows by an einsum that reads it: where its operand was kept in a shared store, and the other left to the leaf, the
// model refused the mapping.
TEST(BestFused, ATensorThatItsOwnWriterReadsIsLeftToTheLeaf) {
    const Cascade grows = parse_cascade(
        "size k0=1, p1=2, c2=2, k3=1, p4=2, c5=1, k6=2, p7=2, c8=2; weight w0, w1, w2; tensor t[2, 2];"
        "t[k0, p1] += x[c2, p1] * w0[k0, c2]; t[k3+1, p4] += t[c5, p4] * w1[k3, c5];"
        "y[k6, p7] += t[c8, p7] * w2[k6, c8];");
    struct Drawn {
        std::int64_t words;
        double dram_rate, dram_pj, buffer_rate, buffer_pj;
    };
    for (const Drawn& drawn : {Drawn{30, 0.5, 169, 2, 13}, Drawn{56, 1, 67, 4, 2}, Drawn{38, 1, 168, 4, 3}}) {
        Architecture small = fixtures::three_levels(drawn.words, 2);
        const auto set = [](Memory& memory, double pj, double rate) {
            memory.energy.read_pj.value = memory.energy.fill_pj.value = memory.energy.update_pj.value = pj;
            memory.shared_words_per_cycle = rate;
        };
        set(small.memories[0], drawn.dram_pj, drawn.dram_rate);
        set(small.memories[1], drawn.buffer_pj, drawn.buffer_rate);
        for (const Objective& objective : {kEnergy, kLatency, kProduct}) {
            ASSERT_EQ(problem_with(grows, small, objective), "");
            const Answer answer = optimize(grows, small, objective);
            EXPECT_TRUE(answer.fused && answer.proven) << drawn.words;
        }
    }
}

// Its ends are the answers of energy and latency, and the least product of all is among its corners.
TEST(BestFused, AFrontHasTheBestOfEachObjective) {
    const Cascade cascade = bottleneck();
    const Architecture small = machine(600);
    const Answer front = optimize(cascade, small, kPareto);
    ASSERT_FALSE(front.front.empty());
    EXPECT_TRUE(front.proven);
    EXPECT_EQ(front.gap, 0.0);
    const Answer energy = optimize(cascade, small, kEnergy);
    const Answer latency = optimize(cascade, small, kLatency);
    const Answer product = optimize(cascade, small, kProduct);
    ASSERT_TRUE(energy.proven && latency.proven && product.proven);
    EXPECT_NEAR(front.front.front().mapped.evaluation.energy_pj, energy.bound, 1e-7 * energy.bound);
    EXPECT_NEAR(front.front.back().mapped.plan.cycles, latency.bound, 1e-7 * latency.bound);
    EXPECT_NEAR(front.fused->evaluation.edp_pj_cycles(), product.bound, 1e-7 * product.bound);
    ASSERT_TRUE(front.front.front().proven && front.front.back().proven);
    EXPECT_EQ(front.front.front().proven->first, (Weights{1.0, 0.0}));
    EXPECT_EQ(front.front.back().proven->second, (Weights{0.0, 1.0}));
}

// What was found by then, above floors that hold all the same.
TEST(BestFused, AFrontThatIsStoppedKeepsItsGap) {
    const Cascade cascade = bottleneck();
    const Architecture small = machine(600);
    std::string problem;
    const std::vector<Constraints> demands = demands_of(cascade, small, {}, problem);
    StopSource stop;
    const Answer answer =
        optimize(cascade, small, demands, kPareto, &stop, 1 << 20, 64, [&](const Mapped*, double) { stop.request(); });
    EXPECT_TRUE(answer.stopped);
    EXPECT_FALSE(answer.proven);
    ASSERT_FALSE(answer.front.empty());
    EXPECT_GT(answer.gap, 0.0);
    EXPECT_GE(answer.lines.size(), 2U);
}

TEST(BestFused, OtherMachinesAndObjectivesAreRefusedInWords) {
    EXPECT_EQ(problem_with(bottleneck(), machine(100), kEnergy), "");
    Architecture two = machine(100);
    two.memories.pop_back();
    two.memories[0].capacity_words = 1000;
    EXPECT_EQ(problem_with(bottleneck(), two, kEnergy),
              "fused mappings are not searched on this machine: 'DRAM', the outermost memory, is limited");
    EXPECT_EQ(problem_with(bottleneck(), machine(100), Objective{.kind = ObjectiveKind::weighted}),
              "fused mappings are searched for energy, latency, edp and pareto");
    const Cascade in_place = parse_cascade("cache s[4]; step: s[i] = s[i] * x[i]; out: y[i] = exp(s[i]);", {{"i", 4}});
    EXPECT_EQ(problem_with(in_place, machine(100), kEnergy),
              "fused mappings are not searched where an einsum changes a cache in place, as 'step' does 's'");
}

}  // namespace
}  // namespace tilewright::fusion::optimize_test
