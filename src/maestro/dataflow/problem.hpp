// CompleteLayer: a layer for the analysis: sizes, and each tensor's relevant dimensions.
#pragma once

#include <vector>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/dataflow/levels.hpp"

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

}  // namespace tilewright::dataflow
