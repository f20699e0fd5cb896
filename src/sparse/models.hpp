// The models behind occupancy_of() that have more than one use. Internal to this room and to Timeloop's counting.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sparse/occupancy.hpp"

namespace tilewright::sparse {

class Uniform : public Occupancy {
   public:
    Uniform(double density, std::int64_t all)
        : all_(all), marked_(static_cast<std::int64_t>(std::ceil(density * static_cast<double>(all)))) {}

    std::string name() const override;
    std::vector<Outcome> outcomes(const Tile& tile) const override;
    double probability(const Tile& tile, std::int64_t occupied) const override;
    double probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const override;
    std::int64_t most(const Tile& tile) const override;
    double least_share(const Tile& tile) const override;
    double expected(const Tile& tile) const override;

    std::int64_t all() const { return all_; }
    std::int64_t marked() const { return marked_; }

   private:
    std::int64_t all_;
    std::int64_t marked_;  ///< elements that are not zero
};

/// N:M. A tile takes whole groups, which hold what they hold, and at most two parts of groups of every line along the
/// pattern's rank, which are draws of their own. Within an outer tile of whole groups that is so, too; within any other
/// one all elements count as equally likely.
class Patterned : public Occupancy {
   public:
    Patterned(const Pattern& pattern, Tile tensor) : pattern_(pattern), tensor_(std::move(tensor)) {}

    std::string name() const override;
    std::vector<Outcome> outcomes(const Tile& tile) const override;
    double probability(const Tile& tile, std::int64_t occupied) const override;
    double probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const override;
    std::int64_t most(const Tile& tile) const override;
    double least_share(const Tile& tile) const override;
    double expected(const Tile& tile) const override;

   private:
    Pattern pattern_;
    Tile tensor_;
};

/// Elements whose places are known. Every tile is counted, those at the edge as they are.
class Placed : public Occupancy {
   public:
    using Places = std::shared_ptr<const std::vector<std::int64_t>>;

    Placed(std::string name, Tile tensor, Places places)
        : name_(std::move(name)), tensor_(std::move(tensor)), places_(std::move(places)) {}

    std::string name() const override { return name_; }
    std::vector<Outcome> outcomes(const Tile& tile) const override;
    double probability(const Tile& tile, std::int64_t occupied) const override;
    double probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const override;
    std::int64_t most(const Tile& tile) const override;
    double least_share(const Tile& tile) const override;
    double expected(const Tile& tile) const override;

   private:
    using Counts = std::map<std::int64_t, std::int64_t>;                           // tiles by occupancy
    using Inside = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;  // by the outer's and the own

    const Counts& counts(const Tile& tile) const;
    const Inside& inside(const Tile& tile, const Tile& outer) const;

    std::string name_;
    Tile tensor_;
    Places places_;
    mutable std::mutex mutex_;  ///< of what was counted before
    mutable std::map<Tile, Counts> counts_;
    mutable std::map<std::pair<Tile, Tile>, Inside> inside_;
};

/// Of a band, ascending. Throws OverflowError for more than 2^26 places.
Placed::Places places_in_band(const Banded& band, const Tile& tensor);

}  // namespace tilewright::sparse
