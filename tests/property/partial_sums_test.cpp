// Results that are wider while they are partial sums, on random nests: the closed forms against an oracle that goes
// through every multiply-accumulate, and against the model of one width.
#include "model/exact/partial_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/numbers/random.hpp"
#include "model/exact/model.hpp"
#include "nest.hpp"
#include "oracle/oracle.hpp"
#include "oracle/partial_sums.hpp"
#include "random_nest.hpp"

namespace tilewright::property {
namespace {

constexpr std::int64_t kFinal = 8;
constexpr std::int64_t kPartial = 32;

struct Seen {
    int nests = 0;
    int wholly_final = 0;  ///< a memory in which no word is ever partial
    int mixed = 0;         ///< one in which words of both widths arrive
    int imperfect = 0;     ///< nests with remainders
};

// Rows of four words of 16 bits, and every memory may bind.
void furnish(Architecture& machine) {
    double rate = 0.75;
    for (Memory& memory : machine.memories) {
        memory.word_bits = 16;
        memory.block_words = 4;
        memory.cluster_size = 1;
        memory.energy.read_pj.value = 8.0 + rate;
        memory.energy.fill_pj.value = 5.0;
        memory.energy.update_pj.value = 7.0;
        memory.read_words_per_cycle = rate;
        memory.write_words_per_cycle = rate *= 1.5;
        memory.link.energy_per_hop_pj = 3.0;
    }
}

PartialBits partial_widths(const Einsum& einsum, std::int64_t bits) {
    PartialBits widths;
    for (const Tensor& tensor : einsum.tensors) widths.push_back(tensor.written ? bits : 0);
    return widths;
}

Einsum with_results_of(Einsum einsum, std::int64_t bits) {
    for (Tensor& tensor : einsum.tensors)
        if (tensor.written) tensor.bits = bits;
    return einsum;
}

// Tiles of results without gaps: their words are those that are computed.
bool is_dense(const Tensor& tensor) {
    std::set<int> dimensions;
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (std::abs(term.coefficient) != 1 || !dimensions.insert(term.dimension).second) return false;
    return true;
}

bool has_dense_results(const Einsum& einsum) {
    return std::ranges::all_of(einsum.tensors, [](const Tensor& one) { return !one.written || is_dense(one); });
}

Seen for_random_nests(const std::function<void(const Nest&, Seen&)>& check_one) {
    Seen seen;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        Nest nest = (i % 2 == 0 ? random_nest : random_uneven_nest)(Random::split(11, i), 400);
        nest.einsum = with_results_of(nest.einsum, kFinal);
        furnish(nest.architecture);
        if (!problem_with(nest.einsum, partial_widths(nest.einsum, kPartial)).empty()) continue;
        ++seen.nests;
        seen.imperfect += is_perfect(nest.mapping) ? 0 : 1;
        check_one(nest, seen);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "nest " << i << "\n" << to_text(nest);
            return seen;
        }
    }
    return seen;
}

TEST(PartialSums, FinalWordsAreThoseThatOneInstanceFinishes) {
    const Seen seen = for_random_nests([](const Nest& nest, Seen& all) {
        if (!has_dense_results(nest.einsum)) return;
        const Evaluation counted = evaluate(nest.einsum, nest.architecture, nest.mapping);
        const auto final = final_updates(nest.einsum, nest.architecture, nest.mapping, counted);
        const auto judge =
            oracle::words_finished_under_one(nest.einsum, nest.mapping, nest.architecture.memory_count());
        for (std::size_t m = 0; m < final.size(); ++m)
            for (std::size_t t = 0; t < final[m].size(); ++t) {
                const TensorTraffic& traffic = counted.memories[m].tensors[t];
                if (!nest.einsum.tensors[t].written || !traffic.kept) continue;
                ASSERT_NEAR(final[m][t], judge[m][t], 1e-6) << m << " " << t;
                all.wholly_final += traffic.updates > 0.0 && final[m][t] == traffic.updates;
                all.mixed += final[m][t] > 0.0 && final[m][t] < traffic.updates;
            }
    });
    EXPECT_GT(seen.nests, 1000);
    EXPECT_GT(seen.wholly_final, 500);
    EXPECT_GT(seen.mixed, 300);
    EXPECT_GT(seen.imperfect, 300);
}

// The energy of accesses, from the words that the walk counts.
TEST(PartialSums, AccessesTakeTheRowsOfTheirWidth) {
    const Seen seen = for_random_nests([](const Nest& nest, Seen& all) {
        if (!has_dense_results(nest.einsum)) return;
        const Evaluation evaluation =
            evaluate(nest.einsum, nest.architecture, nest.mapping, partial_widths(nest.einsum, kPartial));
        const oracle::Counts counts = oracle::walk(nest.einsum, nest.architecture, nest.mapping);
        const auto judge =
            oracle::words_finished_under_one(nest.einsum, nest.mapping, nest.architecture.memory_count());
        const double wide_row = 64.0 / kPartial;
        const double narrow_row = 64.0 / kFinal;
        for (std::size_t m = 0; m < counts.memories.size(); ++m)
            for (std::size_t t = 0; t < counts.memories[m].size(); ++t) {
                const oracle::Traffic& walked = counts.memories[m][t];
                if (!walked.kept || !nest.einsum.tensors[t].written) continue;
                const auto n = static_cast<double>(counts.instances[m]);
                const double final = std::min(judge[m][t], walked.updates);
                const auto rows = [n](double words, double row) { return std::ceil(words / n / row - 1e-9) * n; };
                const MemoryEnergy& energy = nest.architecture.memories[m].energy;
                const double expected =
                    rows(walked.reads, wide_row) * energy.read_pj.value +
                    rows(walked.fills, wide_row) * energy.fill_pj.value +
                    (rows(walked.updates - final, wide_row) + rows(final, narrow_row)) * energy.update_pj.value;
                ASSERT_NEAR(evaluation.memories[m].tensors[t].energy_pj, expected, 1e-6 * (1.0 + expected)) << m;
                all.mixed += final > 0.0 && final < walked.updates;
            }
    });
    EXPECT_GT(seen.nests, 1000);
    EXPECT_GT(seen.mixed, 300);
}

TEST(PartialSums, OfOneWidthAreTheModel) {
    const Seen seen = for_random_nests([](const Nest& nest, Seen&) {
        const Einsum wide = with_results_of(nest.einsum, kPartial);
        const Evaluation one = evaluate(wide, nest.architecture, nest.mapping);
        const Evaluation two = evaluate(wide, nest.architecture, nest.mapping, partial_widths(wide, kPartial));
        // Accesses of both kinds are rounded up to rows apart: half a dozen rows an instance at most.
        ASSERT_GE(two.energy_pj, one.energy_pj * (1.0 - 1e-12));
        ASSERT_LE(two.cycles, one.cycles + 2);
        ASSERT_EQ(two.bounding_memory, one.bounding_memory);
        for (std::size_t m = 0; m < one.memories.size(); ++m) {
            ASSERT_EQ(two.memories[m].used_words, one.memories[m].used_words);
            ASSERT_NEAR(two.memories[m].link_energy_pj, one.memories[m].link_energy_pj, 1e-6);
        }
    });
    EXPECT_GT(seen.nests, 1000);
}

TEST(PartialSums, LieBetweenBothWidths) {
    int strictly = 0;
    const Seen seen = for_random_nests([&](const Nest& nest, Seen&) {
        const PartialBits bits = partial_widths(nest.einsum, kPartial);
        const Evaluation narrow = evaluate(nest.einsum, nest.architecture, nest.mapping);
        const Evaluation two = evaluate(nest.einsum, nest.architecture, nest.mapping, bits);
        const Einsum all_wide = with_results_of(nest.einsum, kPartial);
        const Evaluation wide = evaluate(all_wide, nest.architecture, nest.mapping);
        ASSERT_GE(two.energy_pj, narrow.energy_pj * (1.0 - 1e-12));
        ASSERT_GE(two.cycles, narrow.cycles);
        ASSERT_LE(two.cycles, wide.cycles + 2);
        for (std::size_t m = 0; m < two.memories.size(); ++m) {
            ASSERT_LE(two.memories[m].link_energy_pj, wide.memories[m].link_energy_pj * (1.0 + 1e-12));
            ASSERT_LE(two.memories[m].used_words, wide.memories[m].used_words);
            ASSERT_GE(two.memories[m].used_words, narrow.memories[m].used_words);
        }
        strictly += two.energy_pj > narrow.energy_pj && two.energy_pj < wide.energy_pj;
    });
    EXPECT_GT(seen.nests, 1000);
    EXPECT_GT(strictly, 500);
}

// A memory has room for exactly what the evaluation says that it uses.
TEST(PartialSums, TilesFitExactlyIntoWhatTheyUse) {
    const Seen seen = for_random_nests([](const Nest& nest, Seen&) {
        const PartialBits bits = partial_widths(nest.einsum, kPartial);
        const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping, bits);
        for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
            Architecture tight = nest.architecture;
            const std::int64_t used = evaluation.memories[m].used_words;
            tight.memories[m].capacity_words = used;
            ASSERT_TRUE(check(nest.einsum, tight, nest.mapping, bits).empty());
            if (used == 0) continue;
            tight.memories[m].capacity_words = used - 1;
            const std::vector<Violation> violations = check(nest.einsum, tight, nest.mapping, bits);
            ASSERT_EQ(violations.size(), 1U);
            ASSERT_EQ(violations.front().kind, ViolationKind::capacity);
        }
    });
    EXPECT_GT(seen.nests, 1000);
}

TEST(PartialSums, WhatIsNotCountedIsRefused) {
    const Einsum einsum{"conv",
                        {{"p", 4}, {"r", 2}},
                        {{"I", {{{{0, 1}}}}, false}, {"W", {{{{1, 1}}}}, false}, {"O", {{{{0, 1}, {1, 1}}}}, true}}};
    EXPECT_NE(problem_with(einsum, {0, 0, 32}), "");
    EXPECT_NE(problem_with(einsum, {32, 0, 0}), "");
    EXPECT_EQ(problem_with(einsum, {0, 0, 0}), "");
    EXPECT_THROW(evaluate(einsum, {}, {}, {0, 0, 32}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::property
