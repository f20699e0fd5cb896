#include "fused_enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "fused_groups.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/lifetimes.hpp"
#include "model/fused/walk.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::property {
namespace {

using Front = std::vector<FusedCost>;

Front front_of(Front all) {
    std::ranges::sort(all, {}, [](const FusedCost& c) { return std::pair(c.energy_pj, c.cycles); });
    Front front;
    for (const FusedCost& cost : all)
        if (front.empty() || cost.cycles < front.back().cycles) front.push_back(cost);
    return front;
}

Front sum(const Front& a, const Front& b) {
    Front all;
    all.reserve(a.size() * b.size());
    for (const FusedCost& one : a)
        for (const FusedCost& two : b) all.push_back({one.energy_pj + two.energy_pj, one.cycles + two.cycles});
    return a.size() == 1 || b.size() == 1 ? all : front_of(std::move(all));
}

// All that a leaf may cost where its own tiles take no more than `bits`, by ascending bits.
struct Fitting {
    std::int64_t bits = 0;
    Front front;
};

// A leaf on boxes of one size: how often, and how often after others whose sums it goes on with.
struct Call {
    int einsum = 0;
    std::vector<std::int64_t> extents;
    std::int64_t begun = 0;
    std::int64_t resumed = 0;

    bool operator==(const Call&) const = default;
};

// What a tensor at its place costs, and what it takes of the buffer while each einsum of the group runs.
struct Standing {
    FusedCost cost;
    std::vector<std::int64_t> reserved_bits;
    bool is_in_buffer = false;
    bool is_of_the_space = true;

    bool operator==(const Standing&) const = default;
};

// What the exact model's walk of a tree says.
struct Look {
    bool is_sound = false;
    std::vector<Call> calls;
    std::map<int, Standing> standings;  // by tensor
};

// What all tensors of the group together cost and take.
struct Taken {
    FusedCost cost;
    std::vector<std::int64_t> reserved_bits;
    std::vector<int> in_buffer;
    std::vector<bool> finished;  // by einsum of the group: its leaf sends the buffer finished sums only
};

class Enumerator {
   public:
    Enumerator(const Cascade& cascade, const Architecture& architecture, const EnumerationLimits& limits,
               const ListLeaf& list_leaf, const PartialBits& partial)
        : cascade_(cascade),
          architecture_(architecture),
          groups_(cascade),
          limits_(limits),
          list_leaf_(list_leaf),
          partial_(partial) {
        partial_.resize(cascade.tensors.size(), 0);
    }

    Enumeration run() {
        result_.trees = trees();
        result_.complete = result_.trees <= limits_.trees;
        if (!result_.complete) return result_;
        result_.front = partitions(limits_.longest_group);
        result_.unfused = partitions(1);
        return result_;
    }

   private:
    Front partitions(int longest) {
        std::vector<Front> before(static_cast<std::size_t>(cascade_.einsum_count()) + 1);
        before[0] = {{}};
        for (int last = 0; last < cascade_.einsum_count(); ++last)
            for (int first = std::max(0, last + 1 - longest); first <= last; ++first) {
                if (before[first].empty()) continue;
                const Front more = sum(before[first], group_front(first, last));
                Front& here = before[last + 1];
                here.insert(here.end(), more.begin(), more.end());
                here = front_of(std::move(here));
            }
        return before.back();
    }

    // How many there are, up to one more than are looked at.
    std::uint64_t trees() const {
        std::uint64_t count = 0;
        for (int last = 0; last < cascade_.einsum_count(); ++last)
            for (int first = std::max(0, last + 1 - limits_.longest_group); first <= last; ++first)
                if (groups_.is_one(first, last))
                    groups_.each(first, last, [&](const Group& group) {
                        std::uint64_t ways = 1;
                        for (const auto& choices : {groups_.homes(group), groups_.others(group)})
                            for (const Choice& choice : choices) ways *= choice.places.size();
                        count += ways;
                        return count <= limits_.trees;
                    });
        return count;
    }

    const Front& group_front(int first, int last) {
        const auto [entry, is_new] = fronts_.try_emplace({first, last});
        if (!is_new) return entry->second;
        if (groups_.is_one(first, last))
            groups_.each(first, last, [&](const Group& unplaced) {
                Group group = unplaced;
                each_place(groups_.homes(unplaced), group, [&] {
                    count_with_homes(group, entry->second);
                    return true;
                });
                return true;
            });
        return entry->second = front_of(std::move(entry->second));
    }

    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    const Einsum& einsum(int e) const { return cascade_.einsums[e].einsum; }

    // ------------------------------------------------------------ trees

    // What is made in a step depends on the homes alone (rule 12 of docs/fusion.md), and so does what any other store
    // is sent and holds. So a few trees, in which every other tensor has each of its places once, say what all do; they
    // are held to agree on whatever they have in common.
    void count_with_homes(Group& group, Front& all) {
        const std::vector<Choice> others = groups_.others(group);
        if (limits_.walk_every_tree) return count_each(others, group, all);
        std::size_t most = 1;
        for (const Choice& choice : others) most = std::max(most, choice.places.size());
        std::optional<Look> first;
        std::map<std::pair<int, Place>, Standing> standings;
        for (std::size_t k = 0; k < most; ++k) {
            for (const Choice& choice : others)
                group.places[choice.tensor] = choice.places[std::min(k, choice.places.size() - 1)];
            const std::optional<Look> look = look_at(group);
            if (!look) return count_each(others, group, all);  // some of these trees are illegal
            if (!first) first = look;
            bool agree = look->is_sound == first->is_sound && look->calls == first->calls;
            for (const auto& [t, standing] : look->standings)
                agree = agree && standings.try_emplace({t, group.places[t]}, standing).first->second == standing;
            if (!agree) throw std::logic_error("what is made depends on where other tensors stand");
        }
        count_all(others, *first, standings, group, all);
    }

    // Each tree by itself.
    void count_each(const std::vector<Choice>& others, Group& group, Front& all) {
        each_place(others, group, [&] {
            if (const std::optional<Look> look = look_at(group)) {
                std::map<std::pair<int, Place>, Standing> standings;
                for (const auto& [t, standing] : look->standings) standings[{t, group.places[t]}] = standing;
                count_all({}, *look, standings, group, all);
            }
            return true;
        });
    }

    // Nothing: the tree is illegal.
    std::optional<Look> look_at(const Group& group) {
        ++result_.walks;
        const FusedMapping mapping = groups_.tree_of(group);
        if (!check_fused(cascade_, architecture_, mapping).empty()) return std::nullopt;
        const FusedTree tree(cascade_, mapping);
        const fused::WalkCounts counts = fused::walk_boxes(cascade_, tree);
        Look look;
        look.is_sound = counts.violations.empty();
        std::map<std::pair<int, std::vector<std::int64_t>>, Call> calls;
        for (const auto& [call, times] : counts.calls) {
            const int e = tree.leaf(call.leaf)->einsum;
            if (e < group.first || e > group.last) continue;
            Call& one = calls.try_emplace({e, call.extents}, Call{e, call.extents}).first->second;
            (call.resumed.empty() ? one.begun : one.resumed) += times;
        }
        for (auto& [key, call] : calls) look.calls.push_back(std::move(call));
        for (const auto& [t, place] : group.places) look.standings[t] = standing_of(group, tree, counts, t);
        return look;
    }

    Standing standing_of(const Group& group, const FusedTree& tree, const fused::WalkCounts& counts, int t) const {
        Standing standing;
        standing.reserved_bits.resize(static_cast<std::size_t>(group.last - group.first) + 1);
        standing.is_of_the_space = is_of_the_space(group, tree, counts, t);
        for (int s = 0; s < static_cast<int>(counts.stores.size()); ++s) {
            const fused::StoreCounts& one = counts.stores[s];
            if (one.tensor != t) continue;
            fused::Evaluation evaluation;
            evaluation.memories.resize(static_cast<std::size_t>(architecture_.memory_count()));
            for (fused::MemoryCost& memory : evaluation.memories) memory.tensors.resize(cascade_.tensors.size());
            const fused::StoreCost cost =
                fused::store_cost(cascade_, architecture_, tree, counts, s, evaluation, partial_);
            hold_to_words(cost, t);
            standing.cost.energy_pj += cost.energy_pj;
            standing.cost.cycles += static_cast<double>(cost.cycles);
            if (tree.store(one.store)->memory != 1) continue;
            standing.is_in_buffer = true;
            for (int e = group.first; e <= group.last; ++e)
                if (fused::is_reserved_at(cascade_, tree, one, tree.leaf_of(e)))
                    standing.reserved_bits[e - group.first] += one.tile_words * bits_of(t, architecture_.memories[1]);
        }
        return standing;
    }

    std::int64_t bits_of(int t, const Memory& memory) const {
        return tensor(t).bits > 0 ? tensor(t).bits : memory.word_bits;
    }

    // Accesses that so many words take: several to a row, or several rows to one.
    double rows(double words, int t, const Memory& memory) const {
        const std::int64_t row = memory.block_words * memory.word_bits;
        const std::int64_t bits = bits_of(t, memory);
        if (bits <= row) return std::ceil(words / static_cast<double>(row / bits));
        return words * static_cast<double>((bits + row - 1) / row);
    }

    // Word by word: what the exact model says of a store's traffic where no wire and no leakage costs anything.
    void hold_to_words(const fused::StoreCost& cost, int t) const {
        const Memory& dram = architecture_.memories[0];
        const Memory& buffer = architecture_.memories[1];
        if (buffer.link.energy_per_hop_pj || cost.words_corrected > 0.0) return;
        const double pj = rows(cost.words_in, t, dram) * dram.energy.read_pj.value +
                          rows(cost.words_out, t, dram) * dram.energy.update_pj.value +
                          rows(cost.words_in, t, buffer) * buffer.energy.fill_pj.value;
        const double bits = static_cast<double>(bits_of(t, dram));
        double cycles = 0.0;
        for (const auto& [memory, words] :
             {std::pair(&dram, cost.words_in + cost.words_out), std::pair(&buffer, cost.words_in)})
            if (memory->shared_words_per_cycle)
                cycles = std::max(cycles, std::ceil(words * bits / static_cast<double>(memory->word_bits) /
                                                    *memory->shared_words_per_cycle * (1.0 - 1e-12)));
        if (std::abs(pj - cost.energy_pj) > 1e-9 * pj || cycles != static_cast<double>(cost.cycles))
            throw std::logic_error("a store's traffic costs " + std::to_string(cost.energy_pj) + " pJ and " +
                                   std::to_string(cost.cycles) + " cycles, by words " + std::to_string(pj) + " and " +
                                   std::to_string(cycles));
    }

    // Several readers of a tile of which nothing serves the next step need the same boxes; sums over slices go to the
    // buffer.
    bool is_of_the_space(const Group& group, const FusedTree& tree, const fused::WalkCounts& counts, int t) const {
        const Place place = group.places.at(t);
        if (place == Place::leaf && groups_.is_made(group, t) && group.segments.back().slices > 1) return false;
        if (place != Place::inside && place != Place::between) return true;
        for (const fused::StoreCounts& one : counts.stores) {
            if (one.tensor != t || tree.store(one.store)->memory != 1 || one.survives) continue;
            std::set<std::set<std::vector<std::int64_t>>> needs;
            for (const TensorUse& use : tensor(t).readers) {
                if (use.einsum < group.first || use.einsum > group.last) continue;
                std::set<std::vector<std::int64_t>> boxes;
                for (const auto& [call, times] : counts.calls)
                    if (tree.leaf(call.leaf)->einsum == use.einsum)
                        boxes.insert(window(use, of_all_slices(group, use.einsum, call.extents)));
                needs.insert(boxes);
            }
            if (needs.size() > 1 && !reach_the_same(tree, counts, t, group)) return false;
        }
        return true;
    }

    // What a leaf works on in one step of the group's loops.
    std::vector<std::int64_t> of_all_slices(const Group& group, int e, std::vector<std::int64_t> extents) const {
        for (const Segment& segment : group.segments) {
            if (segment.slices == 1 || e < segment.first || segment.last < e) continue;
            const Driven driven = groups_.driven(segment.first, segment.last, segment.dimension);
            for (const int d : driven.dimensions.at(e)) extents[d] *= segment.slices;
        }
        return extents;
    }

    // All readers work in one step, on all of their iterations, and reach the same words.
    bool reach_the_same(const FusedTree& tree, const fused::WalkCounts& counts, int t, const Group& group) const {
        std::vector<fused::Box> reached;
        for (const TensorUse& use : tensor(t).readers) {
            if (use.einsum < group.first || use.einsum > group.last) continue;
            const fused::Iterations all = fused::all_iterations(einsum(use.einsum));
            for (const auto& [call, times] : counts.calls)
                if (tree.leaf(call.leaf)->einsum == use.einsum &&
                    of_all_slices(group, use.einsum, call.extents) != fused::extents_of(all))
                    return false;
            const auto box = fused::touched(cascade_.einsums[use.einsum], use.operand, all, tensor(t));
            if (!box) return false;
            reached.push_back(*box);
        }
        return std::ranges::all_of(reached, [&](const fused::Box& box) { return box == reached.front(); });
    }

    // Extents and offsets of what the reader reaches.
    std::vector<std::int64_t> window(const TensorUse& use, const std::vector<std::int64_t>& extents) const {
        std::vector<std::int64_t> reached;
        for (const Coordinate& coordinate : cascade_.einsums[use.einsum].accesses[use.operand].coordinates) {
            std::int64_t width = 1;
            for (const Term& term : coordinate.terms) width += term.coefficient * (extents[term.dimension] - 1);
            reached.push_back(width);
            reached.push_back(coordinate.offset);
        }
        return reached;
    }

    // ------------------------------------------------------------ counts

    // All choices of places for the others.
    void count_all(const std::vector<Choice>& others, const Look& look,
                   const std::map<std::pair<int, Place>, Standing>& standings, Group& group, Front& all) {
        if (!look.is_sound) return;
        each_place(others, group, [&] {
            const auto size = static_cast<std::size_t>(group.last - group.first) + 1;
            Taken taken{{}, std::vector<std::int64_t>(size), {}, std::vector<bool>(size, false)};
            for (const auto& [t, place] : group.places) {
                const Standing& standing = standings.at({t, place});
                if (!standing.is_of_the_space) return true;
                taken.cost.energy_pj += standing.cost.energy_pj;
                taken.cost.cycles += standing.cost.cycles;
                for (std::size_t e = 0; e < taken.reserved_bits.size(); ++e)
                    taken.reserved_bits[e] += standing.reserved_bits[e];
                if (standing.is_in_buffer) taken.in_buffer.push_back(t);
            }
            count_widths(group, look, standings, taken, all);
            return true;
        });
    }

    // A store of what an einsum makes is as wide as its leaf's nest asks for: one after the other is held to finish its
    // sums below.
    void count_widths(const Group& group, const Look& look, const std::map<std::pair<int, Place>, Standing>& standings,
                      const Taken& taken, Front& all) {
        std::vector<int> made;
        for (const int t : taken.in_buffer)
            if (partial_[t] > 0 && groups_.is_made(group, t)) made.push_back(t);
        for (std::uint32_t wide = 0; wide < 1U << made.size(); ++wide) {
            Taken one = taken;
            for (std::size_t i = 0; i < made.size(); ++i) {
                const int t = made[i];
                if ((wide >> i & 1U) == 0) {
                    one.finished[tensor(t).writers.front().einsum - group.first] = true;
                    continue;
                }
                const std::vector<std::int64_t>& bits = standings.at({t, group.places.at(t)}).reserved_bits;
                for (std::size_t e = 0; e < bits.size(); ++e)
                    one.reserved_bits[e] += bits[e] / bits_of(t, architecture_.memories[1]) * partial_[t] - bits[e];
            }
            count(group, look, one, all);
        }
    }

    void count(const Group& group, const Look& look, const Taken& taken, Front& all) {
        ++result_.mappings;
        Front front{taken.cost};
        for (const Call& call : look.calls) {
            if (call.begun == 0 || call.resumed % call.begun != 0) return;
            const Front* leaf = leaf_front(group, call, taken);
            if (leaf == nullptr) {
                ++result_.too_large;
                return;
            }
            front = sum(front, scaled(*leaf, static_cast<double>(call.begun)));
        }
        all.insert(all.end(), front.begin(), front.end());
        constexpr std::size_t kMany = 500;
        if (all.size() > kMany) all = front_of(std::move(all));
    }

    static Front scaled(Front front, double times) {
        for (FusedCost& cost : front) cost = {cost.energy_pj * times, cost.cycles * times};
        return front;
    }

    // Of one call; nothing where none fits into what the stores leave of the buffer.
    const Front* leaf_front(const Group& group, const Call& call, const Taken& taken) {
        const std::int64_t room = *architecture_.memories[1].usable_words() * architecture_.memories[1].word_bits -
                                  taken.reserved_bits[call.einsum - group.first];
        fusion::LeafQuestion question{call.extents, {}, call.resumed / call.begun};
        const std::vector<Access>& accesses = cascade_.einsums[call.einsum].accesses;
        for (int t = 0; t < einsum(call.einsum).tensor_count(); ++t)
            if (std::ranges::find(taken.in_buffer, accesses[t].tensor) != taken.in_buffer.end()) question.held.add(t);
        const bool finished = taken.finished[call.einsum - group.first];
        const auto [entry, is_new] = leaves_.try_emplace({call.einsum, question, finished});
        if (is_new) entry->second = fitting(call.einsum, question, finished);
        const Front* best = nullptr;
        for (const Fitting& one : entry->second)
            if (one.bits <= room) best = &one.front;
        return best;
    }

    std::vector<Fitting> fitting(int e, const fusion::LeafQuestion& question, bool finished) const {
        std::vector<fusion::LeafPoint> points = list_leaf_(e, question, finished);
        std::ranges::sort(points, {}, &fusion::LeafPoint::words);
        std::vector<Fitting> all;
        for (const fusion::LeafPoint& point : points) {
            if (all.empty()) all.push_back({point.words, {}});
            if (all.back().bits < point.words) all.push_back({point.words, front_of(all.back().front)});
            all.back().front.push_back({point.energy_pj, point.cycles});
        }
        if (!all.empty()) all.back().front = front_of(all.back().front);
        return all;
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    FusedGroups groups_;
    EnumerationLimits limits_;
    const ListLeaf& list_leaf_;
    Enumeration result_;
    std::map<std::pair<int, int>, Front> fronts_;
    PartialBits partial_;
    std::map<std::tuple<int, fusion::LeafQuestion, bool>, std::vector<Fitting>> leaves_;
};

}  // namespace

Enumeration enumerate_fused(const Cascade& cascade, const Architecture& architecture, const EnumerationLimits& limits,
                            const ListLeaf& list_leaf, const PartialBits& partial) {
    return Enumerator(cascade, architecture, limits, list_leaf, partial).run();
}

}  // namespace tilewright::property
