// One block of spatial loops: the neighbours below a memory present at some moment, with their places on the mesh.
// MulticastGroups: neighbours with simultaneous requests for the same words, and their multicasts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "arch/architecture.hpp"
#include "model/exact/nest.hpp"
#include "model/exact/traffic.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// One bit per dimension: set while all its enclosing loops are at their last iteration.
using LastMask = std::uint32_t;

struct Neighbour {
    std::vector<std::int64_t> index;  ///< by block loop, outermost first
    LastMask last = 0;                ///< its own mask: its tiles that are the last of their dimension
};

/// The neighbours below a memory for a given mask, numbered in row-major order; the number decides the place on the
/// mesh. Time and space do not depend on their number. Keeps a reference to the nest.
class Fanout {
   public:
    Fanout(const Nest& nest, int level, LastMask last);

    std::int64_t size() const { return inside(0, last_); }
    /// Requires 0 <= number < size().
    Neighbour at(std::int64_t number) const;

    LastMask last() const { return last_; }
    std::span<const NestLoop> loops() const { return loops_; }
    static std::int64_t trips(const NestLoop& loop, LastMask last) {
        return (last >> loop.dimension & 1U) != 0 ? loop.remainder : loop.extent;
    }

   private:
    /// Neighbours inside loop k - 1 if loop k is entered with this mask.
    std::int64_t inside(std::size_t k, LastMask last) const { return inside_[k].at(last); }
    std::int64_t count(std::size_t k, LastMask last);

    std::span<const NestLoop> loops_;
    LastMask last_;
    std::vector<std::map<LastMask, std::int64_t>> inside_;  // by loop, and one more
};

using TileOffset = std::array<std::int64_t, kMaxRanks>;  ///< by rank; absent ranks are 0

/// Iterates over a block's neighbours with the start of each one's tile of a tensor, relative to the first neighbour's.
/// Keeps a reference to the block.
class FanoutWalk {
   public:
    FanoutWalk(const Fanout& block, const Nest& nest, int level, const Tensor& tensor);

    bool exists() const { return exists_; }  ///< false past the end: nothing below is valid then
    std::int64_t number() const { return number_; }
    LastMask last() const { return at_.back().last; }
    const TileOffset& offset() const { return at_.back().offset; }

    /// This neighbour and its successors that differ in the innermost loop only and have the same mask.
    std::int64_t alike() const;
    /// Advances by `count` neighbours. Requires 1 <= count <= alike().
    void advance(std::int64_t count = 1);
    /// To the neighbour of this number, or past the end.
    void seek(std::int64_t number);

   private:
    struct At {
        LastMask last = 0;  ///< on entry of the loop
        TileOffset offset{};
        std::int64_t trips = 1;  ///< of the loop
        std::int64_t index = 0;
    };
    void set(std::size_t k, std::int64_t index);

    const Fanout& block_;
    const std::size_t ranks_;
    std::vector<TileOffset> shifts_;  // by loop
    std::vector<At> at_;              // by loop; the last one is the neighbour itself
    std::int64_t number_ = 0;
    bool exists_ = true;
};

/// Mesh of the packed neighbours: the available one, or the mapped one if larger.
Mesh grid_of(const NestLevel& level);

/// Hops of the multicast tree to the neighbours with these linear indices (group_hops in model/exact/costs.hpp), packed
/// densely into the grid. Linear in their number, for any grid.
double tree_hops(const Mesh& grid, std::vector<std::int64_t> linear);

/// Sum of tree_hops over the numbers 0 to count - 1, each by itself; and tree_hops of all together. Closed forms.
/// Requires count >= 1.
double hops_to_each(const Mesh& grid, std::int64_t count);
double hops_to_all(const Mesh& grid, std::int64_t count);

/// Neighbours are distinguished by the position of their words. Time and space are linear in their number.
class MulticastGroups {
   public:
    /// `ranks`: of a position. `most`: neighbours to reserve space for.
    MulticastGroups(const Mesh& grid, std::size_t ranks, std::int64_t most);

    /// `count` neighbours from number `first` on with the same words. Numbers ascend between calls.
    void add(const TileOffset& position, std::int64_t first, std::int64_t count = 1);

    /// One word to each group.
    Traffic traffic() const;

    std::vector<TileOffset> positions() const;

   private:
    struct Group {
        TileOffset position{};
        std::int64_t members = 0;
    };

    std::size_t slot_of(const TileOffset& position) const;
    std::vector<std::int64_t> numbers_by_group() const;

    const Mesh grid_;
    const std::size_t ranks_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> slots_;     // hash table of groups; -1: free. A power of two, at most half full
    std::vector<std::int32_t> group_of_;  // by neighbour, in order of addition
    std::vector<std::int64_t> numbers_;   // likewise
};

}  // namespace tilewright
