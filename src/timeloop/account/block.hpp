// Spatial blocks: the elements' parts, multicast, and link transfers between neighbours. Timeloop, nest-analysis.cpp:
// ComputeSpatialWorkingSet, ComputeNetworkLinkTransfers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "timeloop/account/box.hpp"
#include "timeloop/account/nest.hpp"

namespace tilewright::account {

/// Accesses of multicast factor `multicast`, in `scatter` groups.
struct Traffic {
    std::int64_t multicast = 1;
    std::int64_t scatter = 1;
    double accesses = 0.0;
    double hops = 0.0;          ///< of multicasts, weighted by accesses
    double unicast_hops = 0.0;  ///< with one unicast per child
};

/// At most one entry per (multicast, scatter), ascending.
using TrafficTable = std::vector<Traffic>;

void add(TrafficTable& table, const Traffic& traffic);
double total_accesses(const TrafficTable& table);

/// All groups of one size at one invocation.
struct MulticastGroups {
    std::int64_t multicast = 1;
    std::int64_t scatter = 0;
    std::int64_t words = 0;  ///< summed over the groups
    double hops = 0.0;
    double unicast_hops = 0.0;

    Traffic traffic(std::int64_t words_per_group_word, std::int64_t epochs) const;
};

/// Displacement of each element's part from element 0's.
struct BlockPattern {
    int elements = 0;
    std::array<std::vector<Point>, kMaxTensors> offsets;
    /// Groups for one word per element and equally shaped parts.
    std::array<std::vector<MulticastGroups>, kMaxTensors> groups;
};

/// Parts received by a block's elements in one invocation.
struct BlockContents {
    const BlockPattern* pattern = nullptr;  ///< null: every element has its own set
    int elements = 0;
    std::array<std::vector<BoxSet>, kMaxTensors> sets;  ///< by element, or element 0's only

    const BoxSet& set(int tensor, int element) const { return sets[tensor][pattern != nullptr ? 0 : element]; }
    Point offset(int tensor, int element) const {
        return pattern != nullptr ? pattern->offsets[tensor][element] : Point{};
    }
};

class BlockRules {
   public:
    BlockRules(const Nest& nest, const SpatialBlock& block, const std::vector<Projection>& projections,
               TensorSet no_multicast, TensorSet no_links);

    /// The pattern with the dimensions in `at_last` (a bit each) at their remainders, at the block's outermost edge.
    const BlockPattern& pattern(std::uint32_t at_last);

    /// Elements of tensor `tensor` outside `served`, grouped by equal parts.
    std::vector<MulticastGroups> groups(const BlockContents& contents, int tensor,
                                        const std::vector<char>& served) const;

    /// Marks the elements served by a mesh neighbour's part in `before`; returns their words.
    std::int64_t passed_on(const BlockContents& now, const BlockContents& before, int tensor,
                           std::vector<char>& served) const;

    TensorSet no_links() const { return no_links_; }

   private:
    MulticastGroups single_group(const std::vector<int>& elements, std::int64_t words) const;

    const Nest& nest_;
    SpatialBlock block_;
    const std::vector<Projection>& projections_;
    TensorSet no_multicast_;
    TensorSet no_links_;
    std::deque<std::pair<std::uint32_t, BlockPattern>> patterns_;  ///< contents keep pointers to them
};

std::int64_t words(const BoxSet& set, int ranks);

}  // namespace tilewright::account
