// Families: spatial factors that only differ in how they are dealt out to fan-outs between which nothing is stored, and
// in how their loops lie on the mesh.
//
// Columns and rows of a mesh are often two fan-outs, one inside the other. Which of them shares out a dimension only
// decides how far words travel, so one bound without wires holds for the whole family (docs/optimal.md).
#pragma once

#include <functional>
#include <vector>

#include "mapper/optimal/assignments.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

struct Family {
    /// All factors of fan-outs without a memory between them at the innermost one. It need not be in the space, but on
    /// a machine without wires no member costs less.
    Assignment combined;
    std::vector<Assignment> members;  ///< each in the first of its layouts
};

/// All spatial factors of a mapspace in which all factors divide, by family, in the order of their first members. Stops
/// when `stop` says so: then `all` becomes false.
std::vector<Family> families_of(const Mapspace& mapspace, const lean::Setup& setup, const std::function<bool()>& stop,
                                bool& all);

/// What is left of a family where wires have a price.
struct Spread {
    std::vector<PerfectPoint> points;  ///< members in their layouts: no other one is shorter for every tensor
    bool all = true;                   ///< false: there are too many layouts, and these are only some of them
};
/// `even`: of even mappings only.
Spread spread_of(const Mapspace& mapspace, const lean::Setup& setup, const Family& family, bool even);

}  // namespace tilewright::optimal
