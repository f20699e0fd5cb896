// CompleteLayer: a layer for the analysis: sizes, and each tensor's relevant dimensions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/dataflow/levels.hpp"
#include "workload/einsum.hpp"

namespace tilewright::dataflow {

struct CompleteLayer {
    Extents extents;  ///< complete: Y' and X' follow from Y, X, stride and dilation
    AxisTable<std::int64_t> stride{std::int64_t{1}};
    AxisTable<std::int64_t> dilation{std::int64_t{1}};
    std::vector<Axis> input;
    std::vector<Axis> filter;
    std::vector<Axis> output;   ///< Y and X stand for the output rows and columns
    std::vector<Axis> coupled;  ///< all, in the order of completing levels
    bool windows = true;        ///< false: Y and X are plain dimensions (matrix products, LSTM)
    Densities density;          ///< of a transposed layer: also the zeros between the expanded elements
};

/// Convolutions multiply Input[N,C,Y,X] by Filter[K,C,R,S]; depthwise ones have Filter[C,K,R,S] and
/// Output[N,C,K,Y',X']; grouped ones G everywhere; pooling has no filter; an LSTM layer (X inputs, C gates, K units) is
/// Input[N,X] * Filter[K,C,X]; a transposed layer is a convolution over its expanded image, with one non-zero in Stride
/// Y * X elements (MAESTRO, section 4.6).
CompleteLayer problem_of(const Layer& layer);

/// Multiply-accumulates of the layer. Throws OverflowError.
std::int64_t operations_of(const CompleteLayer& problem);

/// Input of levels_of() for this problem.
LevelsRequest request_for(const CompleteLayer& problem, std::int64_t units, Reading reading = Reading::exact);

// Network layers in data-centric terms, and back.

/// The layer of an einsum over the dimensions of workload/shapes.hpp, or the reason for none: other dimensions, a third
/// axis, a scattered output. The width is X and S, the height Y and R; the name stays empty.
std::variant<Layer, std::string> layer_of(const Einsum& einsum);

/// A layer's einsum in the form of workload/shapes.hpp, or the reason for none: pooling has no products.
std::variant<Einsum, std::string> einsum_of(const Layer& layer);

/// The einsum dimension of an axis (workload/shapes.hpp): "Q" for Y.
std::string dimension_of(Axis axis, LayerType type);

}  // namespace tilewright::dataflow
