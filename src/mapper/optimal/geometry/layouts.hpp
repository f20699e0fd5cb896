// Which layouts of the spatial loops have to be followed where all factors divide: a nest only differs in how far words
// travel.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

/// Orders of the spatial loops at one memory that are looked through, at most.
inline constexpr double kMostOrders = 50'000.0;

/// To lay a member out and price its wires takes as long as so many comparisons.
inline constexpr std::int64_t kLayoutSteps = 16;

/// What may be spent on listing: layouts looked at, and compared with one another. Asks now and then whether to stop.
class Effort {
   public:
    Effort(std::int64_t most, std::function<bool()> stop) : most_(most), stop_(std::move(stop)) {}

    /// False from the step on that is one too many, and once a stop is requested.
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
    bool all = true;  ///< false: there are too many, and these are only some of them
};

/// Those layouts of a choice of spatial factors than which no other one is shorter for every tensor. `spatial`: without
/// temporal loops, in its first layout.
Layouts layouts_to_follow(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& spatial,
                          lean::LinkCache& links, Effort& effort);

}  // namespace tilewright::optimal
