// Layers of networks in the terms of data-centric dataflows, and the other way round.
#pragma once

#include <string>
#include <variant>

#include "maestro/dataflow/layer.hpp"
#include "workload/einsum.hpp"

namespace tilewright::dataflow {

/// The layer that an einsum with the dimensions of workload/shapes.hpp is, or why there is none: other dimensions, a
/// third axis, a scattered output. The width is X and S, the height Y and R; the name is left open.
std::variant<Layer, std::string> layer_of(const Einsum& einsum);

/// The einsum of a layer in the form of workload/shapes.hpp, or why there is none: pooling multiplies nothing.
std::variant<Einsum, std::string> einsum_of(const Layer& layer);

/// The name of the einsum's dimension along which an axis runs (workload/shapes.hpp): "Q" for Y.
std::string dimension_of(Axis axis, LayerType type);

}  // namespace tilewright::dataflow
