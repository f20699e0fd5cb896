// Chain: all ways in which the loops of one dimension may follow each other, from the compute units outwards, where its
// spatial factors are fixed and may leave remainders while temporal ones divide (ruby-s). Internal to certificate/.
//
// Loops with the product T inside leave ceil(extent / T) chunks to those outside; the last chunk may be shorter. What
// happens outside depends on a node: the product, which fan-outs the last chunk fills, and which of them ever leave
// neighbours without work.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/factors/extent_runs.hpp"

namespace tilewright::certificate {

/// What one memory may do of the dimension.
struct ChainLevel {
    std::int64_t spread = 1;  ///< factor of the fan-out below it
    ChainSlot spatial;
    ChainSlot temporal;
};

/// Pairs of an instance and a step that have anything to do.
struct Pairs {
    double all = 1.0;
    double last = 1.0;   ///< of those, in the last chunk
    double slots = 1.0;  ///< pairs if no instance ever were idle
};

class Chain {
   public:
    struct Node {
        double product = 1.0;
        double chunks = 1.0;
        /// Fan-outs below this memory and those further in have work for all neighbours in every chunk; the ones
        /// outside that are crossed follow each other without a temporal loop between. kAll: all that are crossed.
        int full_from = kAll;
        /// The outermost fan-out inside that leaves neighbours without work in the last chunk is below this memory.
        int idle_below = kNone;
        bool looped = false;  ///< there is one, and a temporal loop outside of it that runs

        bool is_imperfect() const { return idle_below != kNone; }
        /// Instances of memory `level` were ever without work.
        bool leaves_idle(int level) const { return idle_below < level; }
    };
    struct Edge {
        std::int32_t factor = 2;
        int to = 0;
    };
    static constexpr int kAll = -1;
    static constexpr int kNone = kMaxMemories;
    static constexpr double kNever = 1e300;

    /// Outermost memory first. `whole`: steps take all of a loop at once, else prime by prime.
    Chain(std::int64_t extent, std::vector<ChainLevel> levels, bool whole);

    /// Products ascend with the number; 0 is a single iteration.
    int size() const { return static_cast<int>(nodes_.size()); }
    const Node& node(int index) const { return nodes_[index]; }
    double spread(int level) const { return static_cast<double>(levels_[level].spread); }
    bool takes_whole_loops(int level) const { return whole_ || is_bounded(level); }
    bool needs_loop(int level) const { return levels_[level].temporal.at_least > 1; }
    bool is_ever_imperfect() const { return ever_imperfect_; }

    /// The node outside the fan-out below memory `level`; -1 where its factor is not allowed, or leads nowhere.
    int across(int level, int node) const { return at(level).across[node]; }
    /// Loops of memory `level` from here.
    const std::vector<Edge>& edges(int level, int node) const { return at(level).edges[node]; }
    /// The least product of the temporal loops that follow, when loops of memory `level` may, or when its store is
    /// placed; kNever when they cannot deal what is left.
    double least_steps(int level, int node) const { return at(level).least_from[node]; }
    double least_steps_outside(int level, int node) const { return at(level).least_after[node]; }
    double least_steps() const { return least_; }

    /// Of the instances below the fan-outs of memories `crossed` to `first`, when the loops inside `node` that are
    /// outside these instances are run through in one step.
    const Pairs& pairs(int node, int crossed, int first) const {
        return pairs_[(static_cast<std::size_t>(crossed) * (levels_.size() + 2) + static_cast<std::size_t>(first + 2)) *
                          nodes_.size() +
                      static_cast<std::size_t>(node)];
    }

   private:
    struct At {
        std::vector<int> across;
        std::vector<std::vector<Edge>> edges;
        std::vector<double> least_from;
        std::vector<double> least_after;
    };
    const At& at(int level) const { return at_[level]; }
    bool is_bounded(int level) const {
        const ChainSlot& slot = levels_[level].temporal;
        return slot.at_least > 1 || static_cast<double>(slot.at_most) < extent_;
    }
    bool crosses(int level, const Node& from, Node& to) const;
    Node looped(const Node& from, std::int64_t factor) const;
    std::vector<std::int64_t> factors(int level, const Node& node) const;
    void find_nodes();
    void link();
    void find_least();
    void count_pairs();
    Pairs count(const Node& node, int crossed, int first) const;
    int index_of(const Node& node) const;

    double extent_;
    std::vector<ChainLevel> levels_;
    bool whole_;
    bool ever_imperfect_ = false;
    double least_ = kNever;
    std::vector<Node> nodes_;
    std::vector<At> at_;        ///< by memory
    std::vector<Pairs> pairs_;  ///< by outermost fan-out crossed, by the last one that counts (from -2), by node
};

}  // namespace tilewright::certificate
