// Families: spatial factors equal up to their distribution over fan-outs without a store between, and their layout.
//
// Columns and rows of a mesh are often two nested fan-outs. The fan-out of a dimension then decides only wire lengths:
// one bound with free wires holds for the whole family (docs/optimal.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapper/optimal/geometry/layouts.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

/// All spatial factors of a mapspace with perfect factors, by family: up to 10^5, with hundreds of members each.
class Families {
   public:
    /// Polls `stop`. Keeps a reference to the mapspace.
    Families(const Mapspace& mapspace, const lean::Setup& setup, const std::function<bool()>& stop);

    bool are_all() const { return all_; }
    std::size_t count() const { return ways_.size() / static_cast<std::size_t>(mapspace_->dimension_count()); }

    /// The family's factors at the innermost of fan-outs without a memory between. Possibly outside the space, but with
    /// free wires no member costs less.
    TilingPoint combined(std::size_t family) const;
    /// Called with each member in its first layout. Not called if only the factors' product has room.
    using Visit = std::function<bool(const TilingPoint&)>;
    /// Until `visit` returns false or the effort is spent; then false.
    bool visit_members(std::size_t family, Effort& effort, const Visit& visit) const;
    std::vector<TilingPoint> members(std::size_t family) const;
    bool has_members(std::size_t family) const { return has_more_than(0, family); }
    bool has_more_than(std::size_t number, std::size_t family) const;

   private:
    using Factors = std::vector<std::int32_t>;
    /// Factors of one dimension, by run (fan-outs without a store between).
    struct Way {
        Factors products;          ///< by run
        std::vector<Factors> all;  ///< by spatial slot: all factors with these products
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

/// Members of a family to follow if wires have a price.
struct Spread {
    std::vector<TilingPoint> points;  ///< members in their layouts: none shorter for every tensor
    bool all = true;                  ///< false: too many layouts, the list is incomplete
};
/// `even`: even mappings only.
Spread spread_of(const Mapspace& mapspace, const lean::Setup& setup, const Families& families, std::size_t family,
                 bool even, lean::LinkCache& links, Effort& effort);

}  // namespace tilewright::optimal
