// Components made of parts (Accelergy's compound components): memories, multiply-accumulate units, adders, multipliers,
// comparators and registers, each from the table of its class.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/estimation/memories.hpp"

namespace tilewright {

/// Uses of one part per action of a component: reads, writes (memories) or uses (all else: reads); leaking copies in
/// its leakage.
struct PartUse {
    double reads = 0.0;
    double writes = 0.0;
    double leaks = 0.0;

    bool operator==(const PartUse&) const = default;
};

/// A part of a tabulated class. A memory without a shape has the component's.
struct Part {
    std::string name;  ///< "lut", "storage.address_generators"
    Geometry geometry;
    double copies = 1.0;  ///< area counts so often
    PartUse read;         ///< by a read of a memory, by an operation of a compute unit
    PartUse fill;
    PartUse update;
    PartUse leak;
    std::optional<SramEstimate> known = {};  ///< of a copy, by another table than these
};

/// Block kind of a class; `unknown`: not tabulated. "aladdin_adder" and the like are the cells of this name.
enum class PartKind { unknown, sram, registers, dram, mac, adder, multiplier, comparator };
PartKind block_of(const std::string& component_class);

/// Energy of a read (or use) and a write, leakage and area of one copy of `part`; default shape of a memory:
/// `own_shape`. Requires a known block.
SramEstimate estimate_part(const Part& part, const SramShape& own_shape, double technology_nm);

/// Source prefix of numbers from parts: an estimate, so wires are estimated beside it, and another estimator replaces
/// it.
inline constexpr const char* kPartsSource = "parts: ";

/// The parts with the estimate of each.
struct EstimatedPart {
    const Part* part;
    SramEstimate estimate;
};

/// Total of the parts for one action, with each share: "lut 51.74 pJ (CACTI ...) + mac 0.25 pJ (...)".
Sourced energy_of_parts(const std::vector<EstimatedPart>& parts, PartUse Part::* action, double scale);
double leak_mw_of_parts(const std::vector<EstimatedPart>& parts);
double area_of_parts(const std::vector<EstimatedPart>& parts);

}  // namespace tilewright
