// Words in blocks that share a scale, on random nests with and without remainders: what moves and what is held against
// an oracle that goes through every word, and against words of one width.
#include "model/exact/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/numbers/random.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/model.hpp"
#include "nest.hpp"
#include "oracle/blocks.hpp"
#include "oracle/oracle.hpp"
#include "random_nest.hpp"

namespace tilewright::property {
namespace {

constexpr std::int64_t kWordBits = 16;
constexpr std::int64_t kRowWords = 4;

struct BlockedNest {
    Nest nest;
    BlockFormats formats;
};

struct Compared {
    int nests = 0;
    int ragged = 0;  ///< tiles whose last block is short
};

void furnish(Architecture& machine) {
    double rate = 0.75;
    for (Memory& memory : machine.memories) {
        memory.word_bits = kWordBits;
        memory.block_words = kRowWords;
        memory.cluster_size = 1;
        memory.energy.read_pj.value = 8.0 + rate;
        memory.energy.fill_pj.value = 5.0;
        memory.energy.update_pj.value = 7.0;
        memory.read_words_per_cycle = rate;
        memory.write_words_per_cycle = rate *= 1.5;
        memory.shared_words_per_cycle.reset();
        memory.bandwidth_scale.clear();
        memory.link.energy_per_hop_pj = 3.0;
    }
}

BlockedNest random_blocks(std::uint64_t i) {
    Random random(Random::split(29, i));
    BlockedNest made{(i % 3 == 0 ? random_uneven_nest : random_nest)(Random::split(23, i), 400), {}};
    furnish(made.nest.architecture);
    for (Tensor& tensor : made.nest.einsum.tensors) {
        tensor.bits = random.between(1, 12);
        made.formats.push_back(random.chance(0.8) ? BlockFormat{random.between(1, 6), random.between(1, 9)}
                                                  : BlockFormat{});
    }
    for (int m = 1; m < made.nest.architecture.memory_count(); ++m)
        made.nest.architecture.memories[m].holds_scales = random.chance(0.7);
    return made;
}

Compared for_random_blocks(const std::function<void(const BlockedNest&, Compared&)>& compare) {
    Compared seen;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const BlockedNest one = random_blocks(i);
        ++seen.nests;
        compare(one, seen);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "nest " << i << "\n" << to_text(one.nest) << blocks_in(one.nest.einsum, one.formats);
            return seen;
        }
    }
    return seen;
}

// `with_scales`: those that pass a memory by are not counted in it.
oracle::HeldWords judged(const BlockedNest& one, int position, int tensor, bool with_scales) {
    const BlockFormat& format = one.formats[static_cast<std::size_t>(tensor)];
    const oracle::Blocks blocks =
        format.is_given() && with_scales ? oracle::Blocks{format.words, format.scale_bits} : oracle::Blocks{1, 0};
    return oracle::words_in_blocks(one.nest.einsum, one.nest.mapping, position, tensor, blocks);
}

// Of a word that moves.
double judged_bits(const BlockedNest& one, int tensor, bool with_scales = true) {
    const oracle::HeldWords all = judged(one, -1, tensor, with_scales);
    return static_cast<double>(all.bits) / static_cast<double>(all.words);
}

TEST(Blocks, MemoriesHoldWholeScales) {
    const Compared seen = for_random_blocks([](const BlockedNest& one, Compared& all) {
        const auto& [einsum, machine, mapping] = one.nest;
        const Evaluation counted = evaluate_blocks(einsum, machine, mapping, Words{{}, one.formats});
        for (int m = 0; m < machine.memory_count(); ++m) {
            std::int64_t bits = 0;
            for (int t = 0; t < einsum.tensor_count(); ++t) {
                if (!counted.memories[m].tensors[t].kept) continue;
                const oracle::HeldWords tile = judged(one, store_positions(mapping, machine.memory_count(), t)[m], t,
                                                      machine.memories[m].holds_scales);
                ASSERT_EQ(counted.memories[m].tensors[t].tile_words, tile.words);
                bits += tile.bits;
                all.ragged +=
                    static_cast<double>(tile.bits) / static_cast<double>(tile.words) > judged_bits(one, t) + 1e-12;
            }
            ASSERT_EQ(counted.memories[m].used_words, (bits + kWordBits - 1) / kWordBits) << "memory " << m;
        }
    });
    EXPECT_EQ(seen.nests, 1000);
    EXPECT_GT(seen.ragged, 1000);
}

// Energies and cycles from the words that the walk counts and the bits that the oracle finds in the whole tensor.
TEST(Blocks, WordsMoveWithTheirShareOfTheScales) {
    const Compared seen = for_random_blocks([](const BlockedNest& one, Compared& all) {
        const auto& [einsum, machine, mapping] = one.nest;
        const Evaluation counted = evaluate_blocks(einsum, machine, mapping, Words{{}, one.formats});
        const oracle::Counts walked = oracle::walk(einsum, machine, mapping);
        const auto row = static_cast<double>(kWordBits * kRowWords);
        for (int m = 0; m < machine.memory_count(); ++m) {
            const auto n = static_cast<double>(walked.instances[m]);
            double reads = 0.0;  // words of the memory, of one instance
            double writes = 0.0;
            for (int t = 0; t < einsum.tensor_count(); ++t) {
                const oracle::Traffic& words = walked.memories[m][t];
                if (!words.kept) continue;
                const double bits = judged_bits(one, t, machine.memories[m].holds_scales);
                const double in_row = bits <= row ? std::floor(row / bits + 1e-9) : 1.0 / std::ceil(bits / row - 1e-9);
                const auto rows = [&](double count) { return std::ceil(count / n / in_row - 1e-9) * n; };
                const MemoryEnergy& energy = machine.memories[m].energy;
                const double expected = rows(words.reads) * energy.read_pj.value +
                                        rows(words.fills) * energy.fill_pj.value +
                                        rows(words.updates) * energy.update_pj.value;
                ASSERT_NEAR(counted.memories[m].tensors[t].energy_pj, expected, 1e-6 * (1.0 + expected)) << m << t;
                const auto whole = [&](double count) { return std::ceil(count / n - 1e-9); };
                reads += whole(words.reads) * bits / kWordBits;
                writes += whole(words.fills + words.updates) * bits / kWordBits;
                all.ragged += bits != std::floor(bits);
            }
            const double needed =
                std::max({static_cast<double>(walked.compute_cycles), reads / *machine.memories[m].read_words_per_cycle,
                          writes / *machine.memories[m].write_words_per_cycle});
            ASSERT_NEAR(static_cast<double>(counted.memories[m].cycles), needed, 1.0 + 1e-9 * needed) << m;
        }
    });
    EXPECT_EQ(seen.nests, 1000);
    EXPECT_GT(seen.ragged, 2000);
}

TEST(Blocks, WiresTakeTheSameShare) {
    for_random_blocks([](const BlockedNest& one, Compared&) {
        const auto& [einsum, machine, mapping] = one.nest;
        const Evaluation blocks = evaluate_blocks(einsum, machine, mapping, Words{{}, one.formats});
        const Evaluation plain = evaluate(einsum, machine, mapping);
        for (int m = 0; m < machine.memory_count(); ++m)
            for (int t = 0; t < einsum.tensor_count(); ++t) {
                const double expected = plain.memories[m].link[t].energy_pj * judged_bits(one, t) /
                                        static_cast<double>(einsum.tensors[t].bits);
                ASSERT_NEAR(blocks.memories[m].link[t].energy_pj, expected, 1e-9 * (1.0 + expected));
            }
    });
}

// A scale for every word is a wider word.
TEST(Blocks, OfOneWordAreWiderWords) {
    const Compared seen = for_random_blocks([](const BlockedNest& one, Compared&) {
        Einsum wide = one.nest.einsum;
        BlockFormats single = one.formats;
        Architecture machine = one.nest.architecture;
        for (Memory& memory : machine.memories) memory.holds_scales = true;
        const Mapping& mapping = one.nest.mapping;
        for (std::size_t t = 0; t < single.size(); ++t) {
            if (!single[t].is_given()) continue;
            single[t].words = 1;
            wide.tensors[t].bits += single[t].scale_bits;
        }
        const Evaluation blocks = evaluate_blocks(one.nest.einsum, machine, mapping, Words{{}, single});
        const Evaluation plain = evaluate(wide, machine, mapping);
        ASSERT_EQ(blocks.energy_pj, plain.energy_pj);
        ASSERT_EQ(blocks.cycles, plain.cycles);
        for (std::size_t m = 0; m < plain.memories.size(); ++m)
            ASSERT_EQ(blocks.memories[m].used_words, plain.memories[m].used_words);
    });
    EXPECT_EQ(seen.nests, 1000);
}

// A memory has room for exactly what the evaluation says that it uses; and where there is room for whole scales, there
// is for words of the least width in the search's stead.
TEST(Blocks, TilesFitExactlyIntoWhatTheyUse) {
    const Compared seen = for_random_blocks([](const BlockedNest& one, Compared& all) {
        const auto& [einsum, machine, mapping] = one.nest;
        const Evaluation counted = evaluate_blocks(einsum, machine, mapping, Words{{}, one.formats});
        const std::vector<WordBits> least = least_bits(einsum, one.formats);
        const std::int64_t parts = parts_of_bit(least);
        for (std::size_t m = 0; m < counted.memories.size(); ++m) {
            Architecture tight = machine;
            const std::int64_t used = counted.memories[m].used_words;
            tight.memories[m].capacity_words = used;
            ASSERT_TRUE(check_blocks(einsum, tight, mapping, Words{{}, one.formats}).empty());
            ASSERT_TRUE(check(in_parts(einsum, least, parts), in_parts(tight, parts), mapping).empty());
            if (used == 0) continue;
            tight.memories[m].capacity_words = used - 1;
            const std::vector<Violation> violations = check_blocks(einsum, tight, mapping, Words{{}, one.formats});
            ASSERT_EQ(violations.size(), 1U);
            ASSERT_EQ(violations.front().kind, ViolationKind::capacity);
            all.ragged += check(in_parts(einsum, least, parts), in_parts(tight, parts), mapping).empty();
        }
    });
    EXPECT_EQ(seen.nests, 1000);
    EXPECT_GT(seen.ragged, 250);
}

}  // namespace
}  // namespace tilewright::property
