// Components made of parts (Accelergy's compound components): memories, multiply-accumulate units, adders, multipliers,
// comparators and registers, each from the table that knows its class.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/estimation/sram.hpp"

namespace tilewright {

/// How often one action of a component reads, writes (memories) or uses (all else: reads) one of its parts; copies that
/// leak, in its leakage.
struct PartUse {
    double reads = 0.0;
    double writes = 0.0;
    double leaks = 0.0;

    bool operator==(const PartUse&) const = default;
};

/// A part of a class that a table knows. A memory without a shape of its own has that of the component.
struct Part {
    std::string name;  ///< "lut", "storage.address_generators"
    Geometry geometry;
    double copies = 1.0;  ///< area counts so often
    PartUse read;         ///< by a read of a memory, by an operation of a compute unit
    PartUse fill;
    PartUse update;
    PartUse leak;
};

/// What kind of block a class is; `unknown`: no table has it. "aladdin_adder" and the like are the cells of that name.
enum class PartKind { unknown, sram, registers, dram, mac, adder, multiplier, comparator };
PartKind block_of(const std::string& component_class);

/// Energy of a read (or use) and a write, leakage and area of one copy of `part`; a memory without a shape of its own
/// has the one given. Requires a known block.
SramEstimate estimate_part(const Part& part, const SramShape& own_shape, double technology_nm);

/// How the source of a number begins that parts make up: it is an estimate, so wires are estimated beside it, and
/// another estimator replaces it.
inline constexpr const char* kPartsSource = "parts: ";

/// The parts with the estimate of each.
struct EstimatedPart {
    const Part* part;
    SramEstimate estimate;
};

/// What the parts come to by one action, with the share of each: "lut 51.74 pJ (CACTI ...) + mac 0.25 pJ (...)".
Sourced energy_of_parts(const std::vector<EstimatedPart>& parts, PartUse Part::* action, double scale);
double leak_mw_of_parts(const std::vector<EstimatedPart>& parts);
double area_of_parts(const std::vector<EstimatedPart>& parts);

}  // namespace tilewright
