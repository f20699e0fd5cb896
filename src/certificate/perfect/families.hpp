// Families: spatial factors that only differ in which of several fan-outs without a memory between them shares a
// dimension out, and in how their loops lie on the mesh. Internal to certificate/.
//
// That decides how far words travel, and nothing else: with wires for nothing, all factors at the innermost of those
// fan-outs are no dearer than any member. Machines without constraints have a hundred times as many assignments.
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
    /// Requires a mapspace all of whose factors divide. Refers to it.
    Families(const Mapspace& mapspace, const Architecture& architecture);

    std::size_t count() const { return codes_.size(); }
    /// It has other members than its factors at the innermost fan-outs.
    bool has_several(std::size_t family) const { return has_several_[family]; }
    /// Its factors at the innermost fan-outs, and what has to be kept. It need not be in the space.
    TilingPoint combined(std::size_t family) const;
    /// "s0*14.2*2": dimension and factor of every fan-out that shares something out; "-": none does.
    std::string text(std::size_t family) const;
    /// Goes through the space again: every member of the families that are wanted, in one layout, until `visit` returns
    /// false.
    using Visit = std::function<bool(std::size_t family, const TilingPoint& member)>;
    void visit_members(const std::vector<bool>& wanted, const Visit& visit) const;

   private:
    using Code = std::vector<std::int32_t>;  ///< by memory and dimension

    Code code_of(const TilingPoint& point) const;
    bool is_combined(const TilingPoint& point) const;

    const Mapspace& mapspace_;
    std::vector<int> innermost_;  ///< by memory: the last fan-out before something is stored
    std::vector<Code> codes_;
    std::vector<bool> has_several_;
    std::vector<std::size_t> by_code_;  ///< families in the order of their codes
};

}  // namespace tilewright::certificate
