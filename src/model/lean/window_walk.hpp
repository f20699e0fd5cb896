// One instance's words: the walk over its loops, from the inside out (window.cpp). Internal to model/.
#pragma once

#include <array>
#include <cstdint>

#include "model/lean/window_kinds.hpp"

namespace tilewright::lean {

class InstanceWalk {
   public:
    InstanceWalk(const WindowNest& at, const InstanceKinds& kinds) : at_(at), kinds_(kinds) {}

    /// The instances of the dimension are of this kind.
    void choose(int dimension, const Variant& variant) { chosen_[dimension] = &variant; }
    /// Words of one instance, with a choice made for every dimension; NaN if uncertain.
    double words();
    /// There was no room for a case.
    bool failed() const { return failed_; }

   private:
    struct Tile {
        std::array<std::int64_t, kMaxRanks> low;
        std::array<std::int64_t, kMaxRanks> high;  ///< exclusive
    };
    /// A sub-nest in some situation, relative to its start.
    struct Sub {
        std::uint32_t last;  ///< dimensions in their last chunk
        bool moves;
        std::int64_t first_move;
        std::array<double, 2> words;            ///< after the first tile: direction fits, direction clashes
        std::array<std::int64_t, 2> direction;  ///< at the end
        Tile first;
        Tile end;
    };
    struct Transition {
        std::int64_t move;
        double whole;  ///< words of the new tile
        double rest;   ///< those the old one does not hold
    };
    class Walker;  // goes from tile to tile, remembering a direction

    double words_of(const Tile& tile) const;
    const Sub* sub(int k, std::uint32_t last);
    Sub* fresh(std::uint32_t last);
    const Sub* single(std::uint32_t last);
    const Sub* loop(int k, std::uint32_t last);
    Transition between(const Tile& from, const Tile& to, const WalkLoop& at) const;
    void compose(const WalkLoop& at, std::int64_t trips, const Sub& a, const Sub& b, Sub& result) const;

    static constexpr int kMaxKnown = 64;
    static constexpr int kMaxSubs = 768;

    const WindowNest& at_;
    const InstanceKinds& kinds_;
    bool failed_ = false;
    std::array<const Variant*, kMaxDimensions> chosen_;
    std::array<std::uint32_t, kMaxWalkLoops + 1> differs_;  ///< inside walk loop k
    std::array<int, kMaxWalkLoops + 1> known_;
    std::array<std::array<const Sub*, kMaxKnown>, kMaxWalkLoops + 1> by_loop_;
    std::array<Sub, kMaxSubs> subs_;
    int sub_count_ = 0;
};

}  // namespace tilewright::lean
