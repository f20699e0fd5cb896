// Layouts of spatial loops to follow with perfect factors: nests differ in wire lengths only.
// Result of label setting.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "mapping/mapping.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

inline constexpr double kMostOrders = 50'000.0;

/// Laying out and pricing a member takes as long as so many comparisons.
inline constexpr std::int64_t kLayoutSteps = 16;

/// Step limit for listing layouts and comparing them. Polls `stop`.
class Effort {
   public:
    Effort(std::int64_t most, std::function<bool()> stop) : most_(most), stop_(std::move(stop)) {}

    /// False beyond the limit and once stopped.
    bool spend(std::int64_t steps = 1) {
        constexpr std::int64_t kBetweenQuestions = 4096;
        spent_ += steps;
        if (spent_ >= next_question_ && !is_over_) {
            next_question_ = spent_ + kBetweenQuestions;
            is_over_ = stop_();
        }
        is_over_ = is_over_ || spent_ > most_;
        return !is_over_;
    }
    bool is_over() const { return is_over_; }
    std::int64_t spent() const { return spent_; }

   private:
    std::int64_t most_;
    std::function<bool()> stop_;
    std::int64_t spent_ = 0;
    std::int64_t next_question_ = 0;
    bool is_over_ = false;
};

struct Layouts {
    std::vector<TilingPoint> points;
    bool all = true;  ///< false: too many, the list is incomplete
};

/// Layouts of spatial factors without one shorter for every tensor. `spatial`: no temporal loops, first layout.
Layouts layouts_to_follow(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& spatial,
                          lean::LinkCache& links, Effort& effort);

/// A complete nest of one assignment, with its least energy and cycles.
struct Nesting {
    TilingPoint point;              ///< of even stages
    std::optional<Mapping> uneven;  ///< of uneven stages
    double energy_pj = 0.0;         ///< without leakage
    double cycles = 0.0;            ///< without the latency of links
};

/// True if every nest of at least this cost is of no interest.
using Pruned = std::function<bool(double energy_pj, double cycles)>;

}  // namespace tilewright::optimal
