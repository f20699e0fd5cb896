// Repacking blocks of spatial loops (places.hpp) for the lean evaluator: the neighbours of a step, their places, and
// the loops between blocks. Internal to model/.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "model/lean/imperfect.hpp"

namespace tilewright::lean {

using Position = std::array<std::int64_t, kMaxRanks>;

using LastMask = std::uint32_t;

struct Neighbour {
    bool exists = false;
    LastMask inside = 0;                               ///< dimensions in their last chunk there
    std::array<std::int32_t, kMaxDimensions> index{};  ///< by dimension; 0 without a loop in the block
};

/// A temporal loop around a memory, or all spatial loops below one.
struct Around {
    bool is_block = false;
    int first = 0;         ///< index of its (first) loop in the nest
    int end = 0;           ///< one past the last one
    LastMask matters = 0;  ///< dimensions whose last chunk differs from a full one from here inwards
    LastMask decides = 0;  ///< of a block: those that change its neighbours or their places
};

/// Everything outside memory `child`, innermost first, for `tensor`.
class Surroundings {
   public:
    Surroundings(const Setup& setup, const ImperfectNest& nest, int child, int tensor);

    int count() const { return count_; }
    const Around& operator[](int i) const { return around_[i]; }
    const ImperfectLoop& loop(int j) const { return nest_.loops[j]; }
    /// Shift of the tensor by one step of the loop.
    const Position& shift(int j) const { return shifts_[j]; }
    int ranks() const { return ranks_; }
    bool is_relevant(int d) const { return (relevant_ >> d & 1U) != 0; }

    /// Neighbours in a full step, at most 2^31.
    std::int64_t size(const Around& block) const;
    /// The neighbour of that number in a step with these dimensions in their last chunk.
    Neighbour neighbour(const Around& block, LastMask last, std::int64_t number) const;
    /// Its place of work relative to the first one's.
    Position offset(const Around& block, const Neighbour& neighbour) const;

   private:
    const ImperfectNest& nest_;
    std::uint32_t relevant_;
    int ranks_;
    int count_ = 0;
    std::array<Around, kMaxImperfectLoops> around_;
    std::array<Position, kMaxImperfectLoops> shifts_;
};

/// Neighbours of one block with equal work, up to a constant shift.
struct PlaceKind {
    std::int64_t number = 0;  ///< of one of them
    std::int64_t count = 0;
};

/// The kinds of a block's neighbours; empty if too many.
std::pmr::vector<PlaceKind> place_kinds(const Surroundings& around, const Around& block,
                                        std::pmr::memory_resource* memory);

/// All kinds of instances of the memory inside `around`: calls visit(numbers, count) for every combination of one kind
/// per block from `first` on, `numbers` by index into `around`. False if too many.
template <typename Visit>
bool visit_places(const Surroundings& around, int first, std::pmr::memory_resource* memory, Visit&& visit) {
    constexpr std::int64_t kMostPlaces = 1024;
    std::array<std::int64_t, kMaxImperfectLoops> numbers{};
    std::pmr::vector<std::pmr::vector<PlaceKind>> kinds(memory);
    std::pmr::vector<int> blocks(memory);
    std::int64_t places = 1;
    for (int i = first; i < around.count(); ++i) {
        if (!around[i].is_block) continue;
        blocks.push_back(i);
        kinds.push_back(place_kinds(around, around[i], memory));
        places *= static_cast<std::int64_t>(kinds.back().size());
        if (places == 0 || places > kMostPlaces) return false;
    }
    for (std::int64_t place = 0; place < places; ++place) {
        std::int64_t rest = place;
        double count = 1.0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const auto size = static_cast<std::int64_t>(kinds[b].size());
            const PlaceKind& kind = kinds[b][rest % size];
            rest /= size;
            numbers[blocks[b]] = kind.number;
            count *= static_cast<double>(kind.count);
        }
        if (!visit(numbers, count)) return false;
    }
    return true;
}

}  // namespace tilewright::lean
