// Tallies: counts of every step of the joint walk (joint.cpp). Internal to model/.
//
// A step sends sets of words, by number, to neighbours in ascending order: begin(), send() each, end(). Results are
// sums, to be added any number of times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/exact/costs.hpp"
#include "model/lean/imperfect.hpp"

namespace tilewright::lean {

inline constexpr std::int64_t kMaxNeighbours = 256;
/// Two for every neighbour: all of its tile, or the words it does not hold yet.
inline constexpr int kMaxSets = 2 * static_cast<int>(kMaxNeighbours);

/// Accesses and deliveries.
class FlowTally {
   public:
    using Sum = Flow;

    void begin(int sets) {
        std::fill_n(sent_.begin(), sets, false);
        flow_ = {};
    }
    void send(int /*neighbour*/, int set, double words) {
        flow_.delivered += words;
        bool& known = sent_[set];
        if (!known) flow_.words += words;
        known = true;
    }
    Flow end() const { return flow_; }

   private:
    std::array<bool, kMaxSets> sent_;
    Flow flow_;
};

/// Also hops: every set to all its receivers in one multicast.
class MulticastTally {
   public:
    using Sum = Multicasts;
    static constexpr std::int64_t kMaxColumns = 256;

    /// Requires at most kMaxColumns columns.
    explicit MulticastTally(const Mesh& grid) : grid_(grid) {}

    void begin(int sets);
    void send(int neighbour, int set, double words);
    Multicasts end();

   private:
    Mesh grid_;
    int sets_ = 0;
    std::array<double, kMaxSets> words_;        // of a set
    std::array<std::int16_t, kMaxSets> first_;  // first receiver, -1 for none
    std::array<std::int16_t, kMaxSets> last_;
    std::array<std::int16_t, kMaxNeighbours> next_;  // next receiver of the same set
    std::array<std::int64_t, kMaxNeighbours> positions_;
    std::array<ColumnSpan, kMaxColumns> columns_;
};

/// joint_flow() with another tally.
std::optional<Multicasts> joint_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                           const MulticastTally& tally);

}  // namespace tilewright::lean
