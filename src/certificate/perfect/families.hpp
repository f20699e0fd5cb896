// Families: spatial factors equal up to the fan-out of a dimension, among fan-outs without a memory between, and up to
// layout. Internal to certificate/.
//
// These decide wire lengths only: with free wires, the factors at the innermost of those fan-outs cost no more than any
// member. Unconstrained machines have a hundred times as many assignments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

class Families {
   public:
    /// Requires perfect factors. Keeps a reference.
    Families(const Mapspace& mapspace, const Architecture& architecture);

    std::size_t count() const { return codes_.size(); }
    /// It has members other than its factors at the innermost fan-outs.
    bool has_several(std::size_t family) const { return has_several_[family]; }
    /// Its factors at the innermost fan-outs, with compulsory kept tensors. Possibly outside the space.
    TilingPoint combined(std::size_t family) const;
    /// "s0*14.2*2": dimension and factor of every fan-out that spreads anything; "-": none does.
    std::string text(std::size_t family) const;
    /// Walks the space again: every member of the wanted families, in one layout, until `visit` returns false.
    using Visit = std::function<bool(std::size_t family, const TilingPoint& member)>;
    void visit_members(const std::vector<bool>& wanted, const Visit& visit) const;

   private:
    using Code = std::vector<std::int32_t>;  ///< by memory and dimension

    Code code_of(const TilingPoint& point) const;
    bool is_combined(const TilingPoint& point) const;

    const Mapspace& mapspace_;
    std::vector<int> innermost_;  ///< by memory: the last fan-out before a store
    std::vector<Code> codes_;
    std::vector<bool> has_several_;
    std::vector<std::size_t> by_code_;  ///< families in the order of their codes
};

}  // namespace tilewright::certificate
