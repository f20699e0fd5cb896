// Label setting: all undominated nests of one assignment, from the compute units outwards (docs/optimal.md).
//
// Nodes are tiles, one layer per stage (set of stores placed and fan-outs crossed). Loops lead from tile to tile within
// a stage, transitions (a store, a fan-out) to the next stage. A label is one path: its settled energy and its open
// deliveries.
//
// A Delivery prices paths, with numbers for perfect factors and ranges for remainders. It has
//
//     Label                      derived from LabelBase
//     Entry                      of a bucket: a label's lower bound, `least_pj`, and its index, `label`
//     Node, Frontier             a tile of one stage; all of them with their buckets
//     labels()                   all made so far
//     stage_count(), enter(s)    stages in the order of the walk
//     owner(s)                   the memory of the loops allowed there; -1: none
//     transitions(s)             ways out of the stage: each has `to`, a stage
//     start(frontier, label)     the compute units: makes the first label, returns its node
//     group(level, d, to_come)   loops of these dimensions are next: returns the dimensions with any
//     may_extend(label)          by loops of that group
//     visit_extensions(level, frontier, node, d, visit)   every loop allowed there next
//     extend(label, node, e)     adds that loop: returns the label's new node
//     admits(e, label)           its tile has room
//     slides_along(label, d)     tiles may slide on along that dimension
//     take(transition, frontier) makes it the current transition
//     leads_to(transition, node, frontier)      its target node, if any
//     may_pass(transition, label), pass(transition, node, to, label)   moves the label there; false: not allowed
//     estimate(node, label)      its entry, or nothing if pruned
//     dominates(node, a, b)      a costs no more than b with any completion of b
//     drop(label)                discards the last label made
// Legal successions of loops between two stores.
// The labels of one node by ascending least cost.
// Polls a stop function at intervals.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mapper/optimal/engine/words_moved.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

class StopPoll {
   public:
    /// An empty `asked` never stops.
    explicit StopPoll(std::function<bool()> asked) : asked_(std::move(asked)) {}

    /// Counts a label. True once stopped.
    bool count() {
        constexpr std::uint64_t kEvery = 64;
        if (++labels_ % kEvery == 0 && !stopped_ && asked_) stopped_ = asked_();
        return stopped_;
    }
    bool stopped() const { return stopped_; }

   private:
    std::function<bool()> asked_;
    std::uint64_t labels_ = 0;
    bool stopped_ = false;
};

/// Inserts `mine` unless a label of no greater least cost dominates it, and drops the labels it dominates; then keeps
/// the `most` cheapest. False: dominated.
///
/// `least_pj` of an entry is its label's least cost. A label of greater least cost may still end cheaper: the order
/// only directs the comparisons, one direction of dominance per pair.
template <typename Entry, typename IsBetter, typename IsWorse>
bool insert_undominated(std::vector<Entry>& bucket, const Entry& mine, std::size_t most, const IsBetter& is_better,
                        const IsWorse& is_worse) {
    const auto dearer = std::upper_bound(bucket.begin(), bucket.end(), mine.least_pj,
                                         [](double cost, const Entry& entry) { return cost < entry.least_pj; });
    if (std::any_of(bucket.begin(), dearer, is_better)) return false;
    const auto dead = std::remove_if(dearer, bucket.end(), is_worse);
    const auto at = bucket.erase(dead, bucket.end()) - (dead - dearer);
    bucket.insert(at, mine);
    if (bucket.size() > most) bucket.pop_back();
    return true;
}

/// Loops placed since the last store.
///
/// A sliding dimension has one loop in a block. Of other dimensions a second loop is never better than its merger with
/// the first: the search need not exclude it. A bounded factor is placed once, as a whole.
struct BlockLoops {
    std::uint32_t taken = 0;     ///< bit d: the bounded factor's loop has been placed
    std::uint32_t complete = 0;  ///< sliding dimensions with their loop in this block complete
    std::uint32_t sliding = 0;   ///< the last loop's dimension, if tiles slide along it

    std::uint32_t may_follow() const { return ~(taken | complete); }

    /// Adds a loop. `slides`: tiles may slide on along it.
    void add(int dimension, bool bounded, bool slides) {
        const std::uint32_t now = 1U << dimension;
        if (bounded) taken |= now;
        if (sliding != now) complete |= sliding;
        sliding = slides ? now : 0;
    }

    bool may_replace(const BlockLoops& other) const {
        return taken == other.taken && (complete & ~other.complete) == 0 &&
               (sliding & ~(other.complete | other.sliding)) == 0;
    }
};

/// visit(dimensions, to_come) from the inside, for groups of interchangeable dimensions: those the constraints put
/// inside, one by one; all free ones; those put outside. `to_come`: this group and all later ones.
template <typename Visit>
void visit_loop_groups(const Mapspace& mapspace, const TilingLevel& order, int level, int dimension_count,
                       const Visit& visit) {
    const int first = mapspace.first_movable(level);
    const std::vector<std::uint8_t>& movable = mapspace.movable(level);
    std::uint32_t to_come = (1U << dimension_count) - 1U;
    const auto place = [&](std::uint32_t dimensions) {
        visit(dimensions, to_come);
        to_come &= ~dimensions;
    };
    for (int k = 0; k < first; ++k) place(1U << order.order[k]);
    std::uint32_t together = 0;
    for (const std::uint8_t d : movable) together |= 1U << d;
    place(together);
    for (int k = first + static_cast<int>(movable.size()); k < dimension_count; ++k) place(1U << order.order[k]);
}

/// Common part of every label: its last loop, store or fan-out, and its predecessor.
struct LabelBase {
    static constexpr std::int8_t kSettled = -1;

    Range energy;  ///< settled
    std::int32_t parent = -1;
    std::int32_t factor = 1;    ///< of a loop; 1: no loop
    std::int8_t level = 0;      ///< memory of the loop or store
    std::int8_t dimension = 0;  ///< of the loop
    BlockLoops loops;           ///< since the last store
    /// By tensor: the innermost memory with an open delivery.
    std::array<std::int8_t, kMaxTensors> open;
};

template <typename Node>
struct Extension {
    int dimension = 0;
    std::int32_t factor = 2;
    bool whole = false;  ///< a bounded factor: no second loop enlarges it
    Node to;
};

/// Limits on the number of labels. With fewer than all the nests are good but unproven.
struct LabelLimits {
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    std::size_t at_node = kAll;  ///< the cheapest
    std::size_t in_all = kAll;   ///< beyond it the walk ends
};

template <typename Delivery>
class LabelSetting {
   public:
    using Label = typename Delivery::Label;
    using Entry = typename Delivery::Entry;
    using Node = typename Delivery::Node;
    using Frontier = typename Delivery::Frontier;

    /// `stop`: polled; true ends the walk early.
    LabelSetting(const Mapspace& mapspace, Delivery& delivery, LabelLimits limits, std::function<bool()> stop)
        : mapspace_(mapspace), delivery_(delivery), limits_(limits), stop_(std::move(stop)) {}

    void run() {
        walk([this](int level) {
            place_loops(level);
            return true;
        });
    }

    /// One nest: the temporal loops of `point`. False: outside the space.
    bool run(const TilingPoint& point) {
        return walk([&](int level) { return place_loops(level, point[level]); });
    }

    /// Stopped, or too many labels: the last stage is incomplete.
    bool stopped() const { return stop_.stopped(); }
    bool overflowed() const { return overflowed_; }

    Frontier& last() { return frontiers_.back(); }

   private:
    bool goes_on() const { return !stopped() && !overflowed_; }
    const Label& label_of(const Entry& entry) const { return delivery_.labels()[entry.label]; }

    template <typename PlaceLoops>
    bool walk(const PlaceLoops& place_loops) {
        const std::size_t stages = delivery_.stage_count();
        frontiers_.resize(stages);
        Label first;
        const Node units = delivery_.start(frontiers_.front(), first);
        put(frontiers_.front(), units, first);
        for (std::size_t stage = 0; stage + 1 < stages && goes_on(); ++stage) {
            if (frontiers_[stage].empty()) continue;  // no label arrived
            inside_ = std::move(frontiers_[stage]);
            delivery_.enter(stage);
            if (const int owner = delivery_.owner(stage); owner >= 0 && !place_loops(owner)) return false;
            for (const auto& transition : delivery_.transitions(stage)) take(transition);
        }
        return true;
    }

    // ---------------------------------------------------------------- loops

    void place_loops(int level) {
        visit_loop_groups(mapspace_, delivery_.assignment()[level], level, delivery_.dimension_count(),
                          [&](std::uint32_t dimensions, std::uint32_t to_come) {
                              place_loops(level, delivery_.group(level, dimensions, to_come));
                          });
    }

    // Loops only lead to later nodes: a bucket is final at its turn.
    void place_loops(int level, std::uint32_t dimensions) {
        if (dimensions == 0) return;
        inside_.visit_outwards([&](const Node& node) {
            const std::vector<Entry>& bucket = inside_.bucket(node);
            if (bucket.empty()) return true;
            for (const Entry& entry : bucket) {
                if (stopped()) break;
                if (delivery_.may_extend(label_of(entry))) extend(level, node, entry.label, dimensions);
            }
            overflowed_ = delivery_.labels().size() > limits_.in_all;
            return goes_on();
        });
    }

    void extend(int level, const Node& node, std::int32_t from, std::uint32_t dimensions) {
        dimensions &= delivery_.labels()[from].loops.may_follow();
        delivery_.visit_extensions(level, inside_, node, dimensions,
                                   [&](const Extension<Node>& extension) { extend(level, node, from, extension); });
    }

    void extend(int level, const Node& node, std::int32_t from, const Extension<Node>& extension) {
        const Label& origin = delivery_.labels()[from];
        if (!delivery_.admits(extension, origin)) return;
        Label label = origin;
        label.parent = from;
        label.level = static_cast<std::int8_t>(level);
        label.dimension = static_cast<std::int8_t>(extension.dimension);
        label.factor = extension.factor;
        const Node to = delivery_.extend(label, node, extension);
        label.loops.add(extension.dimension, extension.whole, delivery_.slides_along(label, extension.dimension));
        put(inside_, to, label);
    }

    // Keeps only the node and label of these loops.
    bool place_loops(int level, const TilingLevel& loops) {
        for (int k = 0; k < delivery_.dimension_count(); ++k) {
            const int d = loops.order[k];
            for (std::int32_t left = loops.temporal[d]; left > 1;) {
                const auto node = inside_.only();
                if (!node) return false;
                std::optional<Extension<Node>> next;
                delivery_.visit_extensions(level, inside_, *node, 1U << d, [&](const Extension<Node>& extension) {
                    const bool fits = extension.whole ? extension.factor == left : left % extension.factor == 0;
                    if (!next && fits) next = extension;
                });
                if (!next) return false;
                extend(level, *node, inside_.bucket(*node).front().label, *next);
                left /= next->factor;
                inside_.remove(*node);
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- stores and fan-outs

    template <typename Transition>
    void take(const Transition& transition) {
        Frontier& outside = frontiers_[transition.to];
        delivery_.take(transition, outside);
        inside_.visit([&](const Node& node) {
            const std::vector<Entry>& bucket = inside_.bucket(node);
            if (bucket.empty()) return;
            const std::optional<Node> to = delivery_.leads_to(transition, node, outside);
            if (!to) return;
            for (const Entry& entry : bucket) {
                if (stopped() || !delivery_.may_pass(transition, label_of(entry))) continue;
                Label label = label_of(entry);
                label.parent = entry.label;
                label.factor = 1;
                if (delivery_.pass(transition, node, *to, label)) put(outside, *to, label);
            }
        });
    }

    // ---------------------------------------------------------------- which labels live

    void put(Frontier& frontier, const Node& node, const Label& label) {
        if (stop_.count()) return;
        const std::optional<Entry> mine = delivery_.estimate(node, label);
        if (!mine) {
            delivery_.drop(label);
            return;
        }
        delivery_.labels().push_back(label);
        const auto is_better = [&](const Entry& other) { return delivery_.dominates(node, other, *mine); };
        const auto is_worse = [&](const Entry& other) { return delivery_.dominates(node, *mine, other); };
        if (insert_undominated(frontier.bucket(node), *mine, limits_.at_node, is_better, is_worse)) return;
        delivery_.labels().pop_back();
        delivery_.drop(label);
    }

    const Mapspace& mapspace_;
    Delivery& delivery_;
    LabelLimits limits_;
    StopPoll stop_;
    bool overflowed_ = false;
    std::vector<Frontier> frontiers_;  ///< by stage
    Frontier inside_;                  ///< of the current stage
};

}  // namespace tilewright::optimal
