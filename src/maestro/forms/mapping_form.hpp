// A dataflow as a mapping, and a mapping as a dataflow: the same loops around the same tiles, for the other analysis.
//
// Both analyses have one definition of reuse: a unit is sent what its new tile has and its last one had not. Where a
// dataflow has a loop nest at all, its top level sends what the outermost memory of the mapping is read for
// (tests/property/property_dataflow.cpp holds them together).
#pragma once

#include <string>
#include <variant>

#include "arch/architecture.hpp"
#include "maestro/dataflow/layer.hpp"
#include "maestro/dataflow/levels.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::dataflow {

/// A mapping on a chain of memories without limits: one per cluster level, outermost first, and one in every unit.
struct MappingForm {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
};

/// Or why there is none: tiles that overlap other than by windows, that do not divide their dimension, spatial maps
/// whose last fold leaves units idle, several spatial maps that move together but for rows of image and filter.
/// Requires levels that levels_of() completed for the layer.
std::variant<MappingForm, std::string> mapping_form(const Layer& layer, const std::vector<Level>& levels);

/// A dataflow, and the units that it has to have, no more: with more of them a spatial map would take several steps of
/// a loop at once.
struct DataflowForm {
    Dataflow dataflow;
    std::int64_t units = 1;
};

/// A level per memory that hands tiles on; one more for every further spatial loop. The innermost memory's loops are
/// what a unit does. Or why there is none: mappings that are uneven, not perfect or let tensors bypass a memory; two
/// loops of a dimension in one memory; filter sides that move over time, or are split among units that do not work on
/// the same outputs. Requires a mapping of the layer's einsum (workload/shapes.hpp) on that many memories.
std::variant<DataflowForm, std::string> dataflow_form(const Layer& layer, const Einsum& einsum, const Mapping& mapping,
                                                      int memories);

}  // namespace tilewright::dataflow
