// Parts of the joint walk (joint.cpp): neighbours at work in a step, and the loops around them. Internal to model/.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

#include "model/lean/blocks.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::lean {

template <typename T>
using Pool = std::pmr::vector<T>;

/// Objects here are freed with all of `memory` at once and never destroyed.
template <typename T, typename... Arguments>
T* make(std::pmr::memory_resource& memory, Arguments&&... arguments) {
    return std::construct_at(static_cast<T*>(memory.allocate(sizeof(T), alignof(T))),
                             std::forward<Arguments>(arguments)...);
}

// A position, by rank with changing tiles. Tiles of a plain tensor are equal or disjoint: one number for all ranks
// (kRanks = 0) tells them apart.
template <int kRanks>
struct Coordinates {
    std::array<std::int64_t, std::max(kRanks, 1)> at{};

    bool operator==(const Coordinates&) const = default;
    Coordinates plus(const Coordinates& other, std::int64_t times = 1) const {
        Coordinates result = *this;
        for (std::size_t r = 0; r < at.size(); ++r) result.at[r] += times * other.at[r];
        return result;
    }
};

template <int kRanks>
struct TileBox {
    Coordinates<kRanks> low;
    Coordinates<kRanks> high;  // exclusive

    bool operator==(const TileBox&) const = default;
    TileBox moved(const Coordinates<kRanks>& by) const { return {low.plus(by), high.plus(by)}; }
};

// The neighbours at work in a step, relative to the memory's place.
template <int kRanks>
struct ActiveSet {
    LastMask last;
    int count;
    Pool<TileBox<kRanks>> tiles;
    Pool<double> words;
    Pool<int> numbers;  // equal for equal tiles
    int different;      // tiles
};

// Last places of work of the neighbours, in the order of their numbers.
template <int kRanks>
struct Ends {
    struct Part {
        int end;  // of the numbers, exclusive
        const ActiveSet<kRanks>* step;
        Coordinates<kRanks> at;
    };
    static constexpr int kMost = 8;
    std::array<Part, kMost> parts;
    int count = 0;

    Ends moved(const Coordinates<kRanks>& by, std::int64_t times = 1) const {
        Ends result;
        for (; result.count < count; ++result.count) {
            result.parts[result.count] = parts[result.count];
            result.parts[result.count].at = parts[result.count].at.plus(by, times);
        }
        return result;
    }
};

// From one step to the next, for each neighbour at work in the next.
struct Transition {
    struct Each {
        std::int64_t move;
        double whole;
        double rest;       // words it does not hold yet
        int whole_number;  // equal for equal sets of words
        int rest_number;
    };
    Pool<Each> each;
    int numbers;
};

template <typename Sum>
struct Outcome {
    Pool<std::uint64_t> clashes;   // bit n: the direction of neighbour n clashes with its first move
    Pool<std::int64_t> direction;  // at the end, of neighbours that move
    Sum sum;
};

// The loops inside some point of the nest, in some situation, relative to their start.
template <int kRanks, typename Sum>
struct Sub {
    Sub* next = nullptr;  // of the same loops, in another situation
    LastMask last = 0;
    int count = 0;  // neighbours at work in the first step, and ever
    const ActiveSet<kRanks>* first = nullptr;
    Coordinates<kRanks> first_at;
    Ends<kRanks> end;
    Sum sum;  // of a plain tensor, after the first step
    // Of others: computed once the initial directions are known.
    Sub* body = nullptr;     // null: nothing is sent after the first step
    Sub* final = nullptr;    // the last iteration, if different
    std::int64_t alike = 1;  // iterations of the body
    const Transition* again = nullptr;
    const Transition* into_final = nullptr;
    Pool<std::int64_t> first_move;  // 0: never moves
    Pool<Outcome<Sum>> outcomes;

    explicit Sub(std::pmr::memory_resource* memory) : first_move(memory), outcomes(memory) {}
};

// Numbers sets of words; equal sets have equal numbers. A set is a tile without another box.
template <int kRanks>
class Numbers {
   public:
    explicit Numbers(std::pmr::memory_resource* memory) : known_(memory) {}

    int of(const TileBox<kRanks>& tile, const TileBox<kRanks>& without = {}) {
        for (std::size_t i = 0; i < known_.size(); ++i)
            if (known_[i].first == tile && known_[i].second == without) return static_cast<int>(i);
        known_.emplace_back(tile, without);
        return count() - 1;
    }
    int count() const { return static_cast<int>(known_.size()); }

   private:
    Pool<std::pair<TileBox<kRanks>, TileBox<kRanks>>> known_;
};

}  // namespace tilewright::lean
