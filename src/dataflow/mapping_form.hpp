// A dataflow as a mapping: the same loops around the same tiles, for the exact model of mappings.
//
// Both analyses have one definition of reuse: a unit is sent what its new tile has and its last one had not. Where a
// dataflow has a loop nest at all, its top level sends what the outermost memory of the mapping is read for
// (tests/property/property_dataflow.cpp holds them together).
#pragma once

#include <string>
#include <variant>

#include "arch/architecture.hpp"
#include "dataflow/layer.hpp"
#include "dataflow/levels.hpp"
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

}  // namespace tilewright::dataflow
