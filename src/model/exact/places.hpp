// Places: the tiles of each instance of a memory.
//
// The instances below a memory are numbered consecutively as they come up in a step of their block. In a step with
// fewer neighbours (a remainder) the numbers repack: an instance may work elsewhere than in a full step. A place is the
// list of these numbers through all blocks outside a memory; it names one instance.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/exact/fanout.hpp"
#include "model/exact/nest.hpp"

namespace tilewright {

/// By loop (and one more for the inside of all): dimensions with a remainder at this loop or further in. Only their
/// bits of a mask matter there.
std::vector<LastMask> imperfect_inside(const Nest& nest);

/// The blocks of a nest, each made once. Not thread-safe; keeps a reference to the nest.
class Fanouts {
   public:
    explicit Fanouts(const Nest& nest);

    /// The mask bits that change the block below memory `level`.
    LastMask relevant(int level) const { return relevant_[level]; }
    /// Irrelevant bits of `last` are ignored.
    const Fanout& at(int level, LastMask last) { return entry(level, last).block; }
    /// The neighbour with this number, or null. Cached.
    const Neighbour* find(int level, LastMask last, std::int64_t number);
    LastMask inside(int level, LastMask last, const Neighbour& neighbour) const {
        return inside(level, last, neighbour.last);
    }
    /// Likewise, for the mask of that neighbour.
    LastMask inside(int level, LastMask last, LastMask neighbour_last) const {
        return (last & ~relevant_[level]) | (neighbour_last & relevant_[level]);
    }

   private:
    const Nest& nest_;
    std::vector<LastMask> relevant_;  // by level
    struct Entry {
        Fanout block;
        std::unordered_map<std::int64_t, Neighbour> found;  // by number
    };
    Entry& entry(int level, LastMask last);

    std::map<std::pair<int, LastMask>, Entry> known_;
};

/// Neighbours with the same tiles of a tensor at the same times, up to a constant shift.
struct NumberKind {
    struct Run {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    std::vector<Run> runs;  ///< ascending, not empty

    std::int64_t first() const { return runs.front().first; }  ///< the representative
    std::int64_t count() const;
};

/// All neighbours ever present below an instance of memory `level`, by kind.
std::vector<NumberKind> number_kinds(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks);

/// Instances with the same tiles of a tensor up to a constant shift.
struct PlaceKind {
    std::vector<std::int64_t> place;  ///< of one of them: by outer memory, the number in the block below it
    std::int64_t count = 1;
};

/// All instances of memory `level` that ever work, by kind.
std::vector<PlaceKind> place_kinds(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks);

/// Instances of each memory that ever work, and, last, compute units.
std::vector<std::int64_t> instances_in_use(const Nest& nest);

}  // namespace tilewright
