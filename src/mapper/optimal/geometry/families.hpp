// Families: spatial factors that only differ in how they are dealt out to fan-outs between which nothing is stored, and
// in how their loops lie on the mesh.
//
// Columns and rows of a mesh are often two fan-outs, one inside the other. Which of them shares out a dimension only
// decides how far words travel, so one bound without wires holds for the whole family (docs/optimal.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapper/optimal/geometry/layouts.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

/// All spatial factors of a mapspace in which all factors divide, by family. Members are listed when they are asked
/// for: there may be hundreds in each of 10^5 families.
class Families {
   public:
    /// Stops when `stop` says so. Refers to the mapspace.
    Families(const Mapspace& mapspace, const lean::Setup& setup, const std::function<bool()>& stop);

    /// Not stopped.
    bool are_all() const { return all_; }
    std::size_t count() const { return ways_.size() / static_cast<std::size_t>(mapspace_->dimension_count()); }

    /// All factors of fan-outs without a memory between them at the innermost one. It need not be in the space, but on
    /// a machine without wires no member costs less.
    TilingPoint combined(std::size_t family) const;
    /// Each in the first of its layouts. None where only the factors' product has room.
    using Visit = std::function<bool(const TilingPoint&)>;
    /// Until `visit` says false or the effort is over; false then.
    bool visit_members(std::size_t family, Effort& effort, const Visit& visit) const;
    std::vector<TilingPoint> members(std::size_t family) const;
    bool has_members(std::size_t family) const { return has_more_than(0, family); }
    bool has_more_than(std::size_t number, std::size_t family) const;

   private:
    using Factors = std::vector<std::int32_t>;
    /// One dimension's factors, by fan-outs that nothing is stored between.
    struct Way {
        Factors products;          ///< by run
        std::vector<Factors> all;  ///< by spatial slot: all that come to these products
    };
    void look_at_fan_outs(const lean::Setup& setup);
    void look_at_dimension(int dimension);
    bool list(int dimension, const std::vector<std::int64_t>& room, std::vector<std::uint32_t>& ways,
              const std::function<bool()>& stop);
    const Way& way(std::size_t family, int dimension) const {
        const auto at = family * static_cast<std::size_t>(mapspace_->dimension_count());
        return dimensions_[dimension][ways_[at + static_cast<std::size_t>(dimension)]];
    }
    bool visit_members(std::size_t family, int dimension, TilingPoint& point, Effort& effort, const Visit& visit) const;

    const Mapspace* mapspace_;
    std::vector<int> run_of_;                   ///< by spatial slot
    std::vector<int> innermost_;                ///< level of a run
    std::vector<std::int64_t> rooms_;           ///< of a run
    std::vector<std::vector<Way>> dimensions_;  ///< by dimension
    std::vector<std::uint32_t> ways_;           ///< of all families, one for each dimension
    bool all_ = true;
};

/// What is left of a family where wires have a price.
struct Spread {
    std::vector<TilingPoint> points;  ///< members in their layouts: no other one is shorter for every tensor
    bool all = true;                  ///< false: there are too many layouts, and these are only some of them
};
/// `even`: of even mappings only.
Spread spread_of(const Mapspace& mapspace, const lean::Setup& setup, const Families& families, std::size_t family,
                 bool even, lean::LinkCache& links, Effort& effort);

}  // namespace tilewright::optimal
