// Conversion between dataflow and mapping: the same loops around the same tiles, for the other analysis.
//
// Both analyses define reuse alike: a unit is sent the new part of its tile. If a dataflow has a loop nest, its top
// level sends the reads of the mapping's outermost memory (tests/property/property_dataflow.cpp compares them).
#pragma once

#include <string>
#include <variant>

#include "arch/architecture.hpp"
#include "maestro/dataflow/dataflow.hpp"
#include "maestro/dataflow/levels.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::dataflow {

/// A mapping on an unlimited memory chain: one per cluster level, outermost first, and one in every unit.
struct MappingForm {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
};

/// Or the reason for none: tiles overlapping other than by windows, or not dividing their dimension; spatial maps with
/// idle units in the last fold; several spatial maps moving together other than filter and image rows. Requires levels
/// completed by levels_of() for the layer.
std::variant<MappingForm, std::string> mapping_form(const Layer& layer, const std::vector<Level>& levels);

/// A dataflow and its exact number of units: with more, a spatial map would take several loop steps at once.
struct DataflowForm {
    Dataflow dataflow;
    std::int64_t units = 1;
};

/// A level per memory with child tiles; one more per further spatial loop. The innermost memory's loops are a unit's
/// work. Or the reason for none: uneven or imperfect mappings, bypasses; two loops of a dimension in one memory; filter
/// sides moving over time, or split among units with different outputs. Requires a mapping of the layer's einsum
/// (workload/shapes.hpp) on this number of memories.
std::variant<DataflowForm, std::string> dataflow_form(const Layer& layer, const Einsum& einsum, const Mapping& mapping,
                                                      int memories);

}  // namespace tilewright::dataflow
