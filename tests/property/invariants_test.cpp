// What has to hold for the model on every nest, whatever the numbers are. Needs no oracle.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/random.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "nest.hpp"
#include "random_nest.hpp"
#include "repair.hpp"
#include "shrink.hpp"

namespace tilewright::property {
namespace {

constexpr int kNests = 3000;
constexpr std::int64_t kOperations = 20000;

/// Says what is wrong with a nest, "" when nothing is.
using Property = std::function<std::string(const Nest&)>;

/// Fails with the smallest nest that breaks the property. `seed` keeps the tests apart.
void holds_for_random_nests(std::uint64_t seed, const Property& property) {
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = random_nest(Random::split(seed, static_cast<std::uint64_t>(i)), kOperations);
        if (property(nest).empty()) continue;
        const Nest smallest = shrink(nest, [&](const Nest& smaller) { return !property(smaller).empty(); });
        FAIL() << "nest " << i << "\n" << to_text(smallest) << property(smallest);
    }
}

Evaluation evaluated(const Nest& nest) { return evaluate(nest.einsum, nest.architecture, nest.mapping); }

/// The counts of one tensor at one memory.
std::vector<double> counts(const Evaluation& evaluation, std::size_t memory, std::size_t tensor) {
    const TensorTraffic& traffic = evaluation.memories[memory].tensors[tensor];
    const LinkTraffic& link = evaluation.memories[memory].link[tensor];
    return {static_cast<double>(traffic.tile_words),
            traffic.reads,
            traffic.fills,
            traffic.updates,
            traffic.instances,
            link.words,
            link.delivered};
}

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

std::string difference(const std::string& place, const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!equal(a[i], b[i]))
            return place + ", number " + std::to_string(i) + ": " + std::to_string(a[i]) + " and " +
                   std::to_string(b[i]) + "\n";
    return "";
}

/// Compares the counts of one tensor at all memories.
std::string tensor_difference(const Evaluation& a, std::size_t tensor_a, const Evaluation& b, std::size_t tensor_b) {
    for (std::size_t m = 0; m < a.memories.size(); ++m) {
        std::string text = difference(a.memories[m].name + " tensor " + std::to_string(tensor_a),
                                      counts(a, m, tensor_a), counts(b, m, tensor_b));
        if (!text.empty()) return text;
    }
    return "";
}

/// Compares all counts.
std::string difference(const Evaluation& a, const Evaluation& b) {
    std::string text = difference("whole",
                                  {static_cast<double>(a.computes), static_cast<double>(a.compute_cycles),
                                   static_cast<double>(a.compute_units_used)},
                                  {static_cast<double>(b.computes), static_cast<double>(b.compute_cycles),
                                   static_cast<double>(b.compute_units_used)});
    for (std::size_t t = 0; text.empty() && t < a.memories.front().tensors.size(); ++t)
        text = tensor_difference(a, t, b, t);
    return text;
}

TEST(Invariants, ComputesAreTheProductOfTheExtents) {
    holds_for_random_nests(1, [](const Nest& nest) {
        const Evaluation evaluation = evaluated(nest);
        if (evaluation.computes != operation_count(nest.einsum)) return std::string("computes differ\n");
        const std::int64_t units = evaluation.compute_units_used;
        if (evaluation.compute_cycles * units < evaluation.computes) return std::string("more than one per cycle\n");
        if (evaluation.compute_cycles > evaluation.computes) return std::string("less than one per cycle\n");
        return std::string();
    });
}

TEST(Invariants, NoCountIsNegative) {
    holds_for_random_nests(13, [](const Nest& nest) {
        const Evaluation evaluation = evaluated(nest);
        for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
            for (std::size_t t = 0; t < nest.einsum.tensors.size(); ++t)
                for (const double count : counts(evaluation, m, t))
                    if (count < 0.0)
                        return evaluation.memories[m].name + " " + nest.einsum.tensors[t].name +
                               " has a negative count\n";
        }
        return std::string();
    });
}

TEST(Invariants, SizesAndCostsOfTheMachineDoNotChangeCounts) {
    holds_for_random_nests(2, [](const Nest& nest) {
        Nest other = nest;
        for (Memory& memory : other.architecture.memories) {
            memory.capacity_words = 1'000'000'000;
            memory.block_words = 4;
            memory.read_words_per_cycle = 0.5;
            memory.energy.read_pj.value += 3.0;
        }
        return difference(evaluated(nest), evaluated(other));
    });
}

TEST(Invariants, OrderOfTheInnermostLoopsDoesNotMatter) {
    holds_for_random_nests(3, [](const Nest& nest) {
        std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        std::ranges::reverse(levels.back().temporal);
        Nest other = nest;
        repair(other, levels);  // remainders of a dimension that has two loops there
        return difference(evaluated(nest), evaluated(other));
    });
}

TEST(Invariants, LoopsThatRunOnceDoNotMatter) {
    holds_for_random_nests(4, [](const Nest& nest) {
        std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        for (MappingLevel& level : levels) {
            level.temporal.insert(level.temporal.begin(), Loop{});
            level.temporal.push_back(Loop{});
        }
        Nest other = nest;
        other.mapping = mapping_of(levels);
        return difference(evaluated(nest), evaluated(other));
    });
}

TEST(Invariants, AxesOfTheMeshDoNotMatter) {
    holds_for_random_nests(5, [](const Nest& nest) {
        std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        for (MappingLevel& level : levels)
            for (Loop& loop : level.spatial)
                loop.kind = loop.kind == LoopKind::spatial_x ? LoopKind::spatial_y : LoopKind::spatial_x;
        Nest other = nest;
        repair(other, levels);
        return difference(evaluated(nest), evaluated(other));
    });
}

TEST(Invariants, TensorsDoNotSeeEachOther) {
    holds_for_random_nests(6, [](const Nest& nest) {
        Nest other = nest;
        std::ranges::reverse(other.einsum.tensors);
        std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        const int tensors = nest.einsum.tensor_count();
        for (MappingLevel& level : levels) {
            TensorSet keep;
            for (int t = 0; t < tensors; ++t)
                if (level.keep.has(t)) keep.add(tensors - 1 - t);
            level.keep = keep;
        }
        other.mapping = mapping_of(levels);
        const Evaluation a = evaluated(nest);
        const Evaluation b = evaluated(other);
        std::string text;
        for (int t = 0; text.empty() && t < tensors; ++t) text = tensor_difference(a, t, b, tensors - 1 - t);
        return text;
    });
}

TEST(Invariants, DirectionOfAnAxisDoesNotMatter) {
    holds_for_random_nests(7, [](const Nest& nest) {
        Nest other = nest;
        for (Tensor& tensor : other.einsum.tensors)
            for (Rank& rank : tensor.ranks)
                for (Term& term : rank.terms) term.coefficient = -term.coefficient;
        return difference(evaluated(nest), evaluated(other));
    });
}

/// A tensor cannot tell in which order loops run that do not move it. (With remainders they decide which neighbours
/// exist when, so it can.)
TEST(Invariants, OrderOfLoopsThatDoNotMoveATensorDoesNotMatterToIt) {
    holds_for_random_nests(8, [](const Nest& nest) {
        if (!is_perfect(nest.mapping)) return std::string();
        const Evaluation evaluation = evaluated(nest);
        const std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        std::string text;
        for (std::size_t m = 0; m < levels.size(); ++m) {
            for (std::size_t i = 1; i < levels[m].temporal.size() && text.empty(); ++i) {
                std::vector<MappingLevel> swapped = levels;
                std::swap(swapped[m].temporal[i - 1], swapped[m].temporal[i]);
                Nest other = nest;
                other.mapping = mapping_of(swapped);
                const Evaluation after = evaluated(other);
                for (std::size_t t = 0; t < nest.einsum.tensors.size() && text.empty(); ++t) {
                    const Tensor& tensor = nest.einsum.tensors[t];
                    if (is_relevant(tensor, levels[m].temporal[i - 1].dimension)) continue;
                    if (is_relevant(tensor, levels[m].temporal[i].dimension)) continue;
                    text = tensor_difference(evaluation, t, after, t);
                }
            }
        }
        return text;
    });
}

TEST(Invariants, WhatIsSentArrives) {
    holds_for_random_nests(9, [](const Nest& nest) {
        const Evaluation evaluation = evaluated(nest);
        for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
            for (std::size_t t = 0; t < nest.einsum.tensors.size(); ++t) {
                const TensorTraffic& here = evaluation.memories[m].tensors[t];
                const LinkTraffic& link = evaluation.memories[m].link[t];
                const std::string place = evaluation.memories[m].name + " " + nest.einsum.tensors[t].name;
                if (link.words > link.delivered) return place + " sends more words than arrive\n";
                const bool written = nest.einsum.tensors[t].written;
                if (!equal(link.words, written ? here.updates : here.reads))
                    return place + " sends what it does not read\n";
                if (m + 1 == evaluation.memories.size()) continue;
                const TensorTraffic& inside = evaluation.memories[m + 1].tensors[t];
                if (here.kept && inside.kept && !written && !equal(link.delivered, inside.fills))
                    return place + ": what is sent is not what arrives\n";
            }
        }
        return std::string();
    });
}

/// The validity check and the model agree on how much a memory holds.
TEST(Invariants, TilesFitExactlyIntoWhatTheModelSaysTheyUse) {
    holds_for_random_nests(10, [](const Nest& nest) {
        const Evaluation evaluation = evaluated(nest);
        for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
            const std::int64_t used = evaluation.memories[m].used_words;
            Nest tight = nest;
            tight.architecture.memories[m].capacity_words = used;
            if (!check(tight.einsum, tight.architecture, tight.mapping).empty())
                return evaluation.memories[m].name + " cannot hold what it uses\n";
            if (used == 0) continue;
            tight.architecture.memories[m].capacity_words = used - 1;
            const std::vector<Violation> violations = check(tight.einsum, tight.architecture, tight.mapping);
            if (violations.size() != 1 || violations.front().kind != ViolationKind::capacity)
                return evaluation.memories[m].name + " can hold more than its capacity\n";
        }
        return std::string();
    });
}

/// A machine whose words have `bits` bits, which is what a machine looks like to a layer that has only such words.
Architecture with_words_of(std::int64_t bits, Architecture architecture) {
    for (Memory& memory : architecture.memories) {
        const double ratio = static_cast<double>(memory.word_bits) / static_cast<double>(bits);
        memory.block_words = memory.block_words * memory.word_bits / bits;
        if (memory.capacity_words) memory.capacity_words = *memory.capacity_words * memory.word_bits / bits;
        for (auto* rate : {&memory.read_words_per_cycle, &memory.write_words_per_cycle, &memory.shared_words_per_cycle})
            if (*rate) **rate *= ratio;
        if (memory.link.energy_per_hop_pj)
            *memory.link.energy_per_hop_pj *= static_cast<double>(bits) / static_cast<double>(memory.link.word_bits);
        memory.word_bits = memory.link.word_bits = bits;
    }
    return architecture;
}

/// Energy, cycles, and whether a mapping fits: a layer that says its words' width on any machine, and one that does not
/// on a machine of that width.
TEST(Invariants, AMachineMayBeSaidInWordsOfTheLayer) {
    int differs_from_plain = 0;
    holds_for_random_nests(14, [&](const Nest& nest) {
        Nest own = nest;
        const std::int64_t bits = std::int64_t{1} << (nest.einsum.dimensions.front().extent % 5);  // 1 to 16
        for (Tensor& tensor : own.einsum.tensors) tensor.bits = bits;
        double rate = 0.75;
        for (Memory& memory : own.architecture.memories) {
            memory.block_words = 4;
            memory.energy.read_pj.value = 8.0 + rate;
            memory.energy.fill_pj.value = memory.energy.update_pj.value = 5.0;
            memory.read_words_per_cycle = rate;
            memory.write_words_per_cycle = rate *= 1.5;
            memory.link.energy_per_hop_pj = 3.0;
            memory.capacity_words = 64;
        }
        const Nest told{nest.einsum, with_words_of(bits, own.architecture), nest.mapping};
        const Evaluation a = evaluated(own);
        const Evaluation b = evaluated(told);
        if (!equal(a.energy_pj, b.energy_pj)) return std::string("energies differ\n");
        if (a.cycles != b.cycles) return std::string("cycles differ\n");
        const Nest plain{nest.einsum, own.architecture, nest.mapping};
        if (!equal(evaluated(plain).energy_pj, a.energy_pj)) ++differs_from_plain;
        const bool fits = check(own.einsum, own.architecture, own.mapping).empty();
        if (fits != check(told.einsum, told.architecture, told.mapping).empty())
            return std::string("fits in one only\n");
        return difference(a, b);
    });
    EXPECT_GT(differs_from_plain, kNests / 2);
}

TEST(Invariants, EnergyIsTheSumOfItsParts) {
    holds_for_random_nests(11, [](const Nest& nest) {
        const Evaluation evaluation = evaluated(nest);
        double sum = evaluation.compute_energy_pj + evaluation.compute_leakage_pj;
        for (const MemoryEvaluation& memory : evaluation.memories) {
            sum += memory.leakage_pj;
            for (const TensorTraffic& traffic : memory.tensors) sum += traffic.energy_pj + traffic.address_energy_pj;
            for (const LinkTraffic& link : memory.link) sum += link.energy_pj;
        }
        return equal(sum, evaluation.energy_pj) ? "" : "energies do not add up\n";
    });
}

TEST(Invariants, MoreBandwidthIsNeverSlower) {
    holds_for_random_nests(12, [](const Nest& nest) {
        Nest faster = nest;
        for (Memory& memory : faster.architecture.memories)
            for (std::optional<double>* rate :
                 {&memory.read_words_per_cycle, &memory.write_words_per_cycle, &memory.shared_words_per_cycle})
                if (*rate) **rate *= 2.0;
        const Evaluation slow = evaluated(nest);
        const Evaluation fast = evaluated(faster);
        if (fast.cycles > slow.cycles) return std::string("more bandwidth is slower\n");
        if (fast.cycles < fast.compute_cycles) return std::string("faster than the compute units\n");
        for (const MemoryEvaluation& memory : slow.memories)
            if (slow.cycles < memory.cycles) return memory.name + " needs longer than the whole run\n";
        return std::string();
    });
}

}  // namespace
}  // namespace tilewright::property
