// Chain: all successions of one dimension's loops, from the compute units outwards, for fixed spatial factors with
// remainders and perfect temporal factors (ruby-s). Internal to certificate/.
//
// Inner loops with product T leave ceil(extent / T) chunks to the outer ones; the last chunk may be shorter. The
// completions depend on a node: the product, the fan-outs filled by the last chunk, and those with idle neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/factors/chains.hpp"

namespace tilewright::certificate {

struct ChainLevel {
    std::int64_t spread = 1;  ///< factor of the fan-out below it
    ChainSlot spatial;
    ChainSlot temporal;
};

/// Pairs with work of an instance and a step.
struct Pairs {
    double all = 1.0;
    double last = 1.0;   ///< of those, in the last chunk
    double slots = 1.0;  ///< pairs if no instance were ever idle
};

class Chain {
   public:
    struct Node {
        double product = 1.0;
        double chunks = 1.0;
        /// Fan-outs below this memory and further in have work for all neighbours in every chunk; the outer crossed
        /// ones follow without a temporal loop between. kAll: all crossed ones.
        int full_from = kAll;
        /// The outermost inner fan-out with idle neighbours in the last chunk is below this memory.
        int idle_below = kNone;
        bool looped = false;  ///< there is one, and a temporal loop running outside of it

        bool is_imperfect() const { return idle_below != kNone; }
        /// Instances of memory `level` were ever idle.
        bool leaves_idle(int level) const { return idle_below < level; }
    };
    struct Edge {
        std::int32_t factor = 2;
        int to = 0;
    };
    static constexpr int kAll = -1;
    static constexpr int kNone = kMaxMemories;
    static constexpr double kNever = 1e300;

    /// Outermost memory first. `whole`: a step is a whole loop, else a prime.
    Chain(std::int64_t extent, std::vector<ChainLevel> levels, bool whole);

    /// Products ascend with the number; 0 is a single iteration.
    int size() const { return static_cast<int>(nodes_.size()); }
    const Node& node(int index) const { return nodes_[index]; }
    double spread(int level) const { return static_cast<double>(levels_[level].spread); }
    bool takes_whole_loops(int level) const { return whole_ || is_bounded(level); }
    bool needs_loop(int level) const { return levels_[level].temporal.at_least > 1; }
    bool is_ever_imperfect() const { return ever_imperfect_; }

    /// The node outside the fan-out below memory `level`; -1 if its factor is not allowed, or a dead end.
    int across(int level, int node) const { return at(level).across[node]; }
    const std::vector<Edge>& edges(int level, int node) const { return at(level).edges[node]; }
    /// Least product of later temporal loops, before loops or store of memory `level`; kNever if the rest is not
    /// covered.
    double least_steps(int level, int node) const { return at(level).least_from[node]; }
    double least_steps_outside(int level, int node) const { return at(level).least_after[node]; }
    double least_steps() const { return least_; }

    /// Of the instances below fan-outs `crossed` to `first`; loops inside `node` and outside these are one step.
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
