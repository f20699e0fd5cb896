// Mappings that keep the same tensors, counted exactly as far as they may be better than the best so far. Internal to
// mapper/priced.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "mapper/chunks.hpp"
#include "mapper/front.hpp"
#include "mapper/mapper.hpp"
#include "mapspace/costs/layer_costs.hpp"

namespace tilewright::priced {

/// Sums of the two accounts are made in different orders.
inline constexpr double kSameSum = 1.0 - 1e-9;

/// The best mapping so far by the exact account; of a Pareto search the one of the least energy-delay product.
struct BestCounted {
    std::optional<FoundMapping> mapping;
    LeanCost cost;
    Score score;
    std::size_t part = 0;  ///< whose it is
};

/// Counts mappings and keeps the best, or those that no other one beats.
class Counting {
   public:
    /// `begin`: of the search.
    Counting(const LayerProblem& problem, const Objective& objective, std::chrono::steady_clock::time_point begin)
        : problem_(problem), objective_(objective), begin_(begin) {}

    /// The memories that it fills too much or too little; none, too, where it is illegal for another reason or not
    /// counted.
    std::vector<std::string> offer(const FoundMapping& mapping, std::size_t part);

    /// What costs at least that may be better than the best, or than all of the front.
    bool may_be_better(const LeanCost& least) const;

    const BestCounted& best() const { return best_; }
    bool keeps_front() const { return objective_.kind == ObjectiveKind::pareto; }
    const std::vector<FrontPoint>& front() const { return front_.points(); }
    std::int64_t counted() const { return counted_; }
    /// By mappings that were counted, not by those that prices ranked.
    const std::vector<Improvement>& improvements() const { return improvements_; }
    /// Why a mapping was not counted; "": all were.
    const std::string& uncounted() const { return uncounted_; }

   private:
    const LayerProblem& problem_;
    const Objective& objective_;
    const std::chrono::steady_clock::time_point begin_;
    BestCounted best_;
    Front front_;  ///< of a Pareto search
    std::vector<Improvement> improvements_;
    std::int64_t counted_ = 0;
    std::string uncounted_;
};

struct Part {
    Mapspace mapspace;
    LeanEvaluator least;  ///< never more than the exact account, whatever the mapping
    Score bound = {};     ///< nothing of it has less
    /// Of a Pareto search: everything costs at least one of these in energy and latency.
    std::vector<LeanCost> bounds = {};

    bool may_beat(const TilingPoint& point, const Counting& counting) const {
        const LeanCost cost = least.evaluate(point);
        return cost.valid() && counting.may_be_better(cost);
    }
};

/// Small changes of the best mapping so far, which is of this part, as long as they make it better.
void improve(const Part& part, std::size_t number, int tries, std::uint64_t seed, const Interrupt& interrupt,
             Counting& counting);

/// Counts every mapping that may be better than the best so far. False, having done less, where there are more than
/// `most` mappings, or far too many of them to be counted.
bool see_all(const Part& part, std::size_t number, double most, const Interrupt& interrupt, Counting& counting);

}  // namespace tilewright::priced
