#include "run/fused/map_fused.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fixtures/fused_bottleneck.hpp"
#include "run/fused/fusing.hpp"

namespace tilewright::map_fused_test {
namespace {

Architecture machine(std::int64_t buffer_words) { return fixtures::three_levels(buffer_words, 4); }
Cascade bottleneck() { return fixtures::bottleneck(4, 8); }

const Objective kEnergy{.kind = ObjectiveKind::energy};

report::FusionReport report_of(std::int64_t buffer_words) {
    const Architecture architecture = machine(buffer_words);
    const Fusing fusing = fusing_of(bottleneck(), architecture, kEnergy);
    return fusion_report(bottleneck(), architecture, kEnergy, fuse(bottleneck(), architecture, fusing, kEnergy),
                         fusing);
}

// A limit that all tensors together do not reach is none; one that they may reach is refused.
TEST(FusionReports, AnOutermostMemoryWithRoomForAllIsAsGoodAsUnlimited) {
    std::int64_t words = 0;
    for (const CascadeTensor& tensor : bottleneck().tensors) words += words_of(tensor);
    Architecture limited = machine(900);
    limited.memories.front().multiple_buffering = 2.0;
    limited.memories.front().capacity_words = 2 * words;
    EXPECT_NE(fusing_of(bottleneck(), limited, kEnergy).problem, "");
    const Architecture free = with_room_for(bottleneck(), limited);
    EXPECT_EQ(fusing_of(bottleneck(), free, kEnergy).problem, "");
    EXPECT_EQ(free, machine(900));
    limited.memories.front().capacity_words = 2 * words - 1;
    EXPECT_EQ(with_room_for(bottleneck(), limited), limited);
}

TEST(FusionReports, ReservedWordsAreNoRoom) {
    const auto least_pj = [](const Architecture& architecture) {
        const Fusing fusing = fusing_of(bottleneck(), architecture, kEnergy);
        return fuse(bottleneck(), architecture, fusing, kEnergy).fused->evaluation.energy_pj;
    };
    Architecture reserved = machine(900);
    for (Memory& memory : reserved.memories) {
        if (!memory.capacity_words) continue;
        memory.reserved_words = 100;
        *memory.capacity_words += 100;
    }
    EXPECT_EQ(least_pj(reserved), least_pj(machine(900)));
}

// What lines say is reserved while an einsum runs has to fit, and is no less than what the exact model found.
TEST(FusionReports, WhatLiesInTheBufferIsItsPeak) {
    for (const std::int64_t words : {200, 900, 3000}) {
        const report::FusionReport report = report_of(words);
        std::map<std::int64_t, std::int64_t> held;
        for (const report::FusionGroup& group : report.groups)
            for (const report::FusionLine& line : group.lines)
                if (line.kind == report::FusionLineKind::leaf || line.memory == report.buffer)
                    for (std::int64_t e = line.first; e <= line.last; ++e) held[e] += line.words;
        ASSERT_EQ(held.size(), 3U) << words;
        const auto most = std::ranges::max_element(held, {}, [](const auto& one) { return one.second; });
        const report::FusionCosts* fused = find_way(report, report::kFused);
        ASSERT_NE(fused, nullptr);
        EXPECT_LE(most->second, words);
        EXPECT_GE(most->second, fused->memories[1].peak_words) << words;
    }
}

TEST(FusionReports, EveryWordOnceIsAFloorThatABufferForAllReaches) {
    for (const std::int64_t words : {200, 900, 100000}) {
        const report::FusionReport report = report_of(words);
        const report::FusionCosts* once = find_way(report, report::kOnce);
        const report::FusionCosts* fused = find_way(report, report::kFused);
        // x, y: 4 images of 8 x 8; weights of 48, 108 and 48 words.
        EXPECT_EQ(dram_words(*once), 256 + 256 + 48 + 108 + 48);
        EXPECT_LE(once->energy_pj, fused->energy_pj);
        EXPECT_LE(once->cycles, fused->cycles);
        if (words == 100000) {
            EXPECT_EQ(dram_words(*fused), dram_words(*once));
        }
    }
}

TEST(DramWordsByBuffer, NeverRiseWithTheBufferAndStayUnderUnfused) {
    const std::vector<std::int64_t> sizes{60, 100, 160, 250, 400, 640, 900, 1200, 1600, 2500};
    const std::vector<report::FusionBuffer> curve = dram_words_by_buffer(bottleneck(), machine(1), sizes, {});
    ASSERT_EQ(curve.size(), sizes.size());
    const double once = 716;
    int gained = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        ASSERT_TRUE(curve[i].proven && curve[i].fused_words) << sizes[i];
        EXPECT_NEAR(curve[i].bound_words, *curve[i].fused_words, 1e-6);
        EXPECT_GE(*curve[i].fused_words, once);
        if (i > 0) {
            EXPECT_LE(*curve[i].fused_words, *curve[i - 1].fused_words) << sizes[i];
        }
        if (curve[i].unfused_words) {
            EXPECT_LE(*curve[i].fused_words, *curve[i].unfused_words) << sizes[i];
            gained += *curve[i].fused_words < *curve[i].unfused_words ? 1 : 0;
        }
    }
    EXPECT_GE(gained, 3);
}

// Leaves of one dimension along each axis with every operand through the buffer take 15,282 pJ, or 83 cycles.
TEST(Fusing, AllEvenLeavesAreLookedAt) {
    const Cascade cascade = parse_cascade(R"(
        size b1=2, m1=3, n1=2, k1=4, b2=2, m2=3, n2=2, k2=2, b3=2, m3=3, n3=3, k3=2;
        input A[2,3,4]; weight U, V, W;
        first: B[b1,m1,n1] += A[b1,m1,k1] * U[k1,n1];
        second: C[b2,m2,n2] += B[b2,m2,k2] * V[k2,n2];
        third: D[b3,m3,n3] += C[b3,m3,k3] * W[k3,n3];
    )");
    Architecture few = fixtures::three_levels(31, 2);
    few.memories[2].instances = few.compute.instances = 6;
    few.memories[2].mesh = few.compute.mesh = {3, 2};
    few.memories[0].energy = {{200, "test"}, {201, "test"}, {201, "test"}, {0, "test"}};
    few.memories[1].energy = {{13, "test"}, {13, "test"}, {13, "test"}, {0, "test"}};
    few.compute.energy_pj = {10, "test"};
    few.memories[1].shared_words_per_cycle = 2.0;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
        const Objective objective{.kind = kind};
        const Fusing fusing = fusing_of(cascade, few, objective);
        ASSERT_EQ(fusing.problem, "");
        const fusion::Answer answer = fuse(cascade, few, fusing, objective);
        ASSERT_TRUE(answer.fused);
        const auto value = [&](const fusion::Mapped& one) {
            return objective.score(one.evaluation.energy_pj, static_cast<double>(one.evaluation.cycles)).value;
        };
        EXPECT_LT(value(*answer.fused), kind == ObjectiveKind::energy ? 14'034.1 : 29.0);
        EXPECT_LE(answer.bound, value(*answer.fused) * (1.0 + 1e-9));
    }
}

// A curve of what was stopped claims the floor, and no proof.
TEST(DramWordsByBuffer, WhatIsStoppedIsNotProven) {
    StopSource stop;
    stop.request();
    const std::vector<report::FusionBuffer> curve =
        dram_words_by_buffer(bottleneck(), machine(1), {1000}, [&](std::size_t) { return &stop; });
    ASSERT_EQ(curve.size(), 1U);
    EXPECT_FALSE(curve[0].proven);
    EXPECT_FALSE(curve[0].fused_words);
    EXPECT_GT(curve[0].bound_words, 0.0);
}

}  // namespace
}  // namespace tilewright::map_fused_test
