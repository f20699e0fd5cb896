// Network layers in data-centric terms, and back.
#pragma once

#include <string>
#include <variant>

#include "maestro/dataflow/dataflow.hpp"
#include "workload/einsum.hpp"

namespace tilewright::dataflow {

/// The layer of an einsum over the dimensions of workload/shapes.hpp, or the reason for none: other dimensions, a third
/// axis, a scattered output. The width is X and S, the height Y and R; the name stays empty.
std::variant<Layer, std::string> layer_of(const Einsum& einsum);

/// A layer's einsum in the form of workload/shapes.hpp, or the reason for none: pooling has no products.
std::variant<Einsum, std::string> einsum_of(const Layer& layer);

/// The einsum dimension of an axis (workload/shapes.hpp): "Q" for Y.
std::string dimension_of(Axis axis, LayerType type);

}  // namespace tilewright::dataflow
