// Operator families in a cascade: einsums, or a view of the input.
#pragma once

#include <string>

#include "onnx/cascade/values.hpp"
#include "onnx/operators/operator.hpp"

namespace tilewright::onnx {

/// Each returns false for operators outside its family, or with unknown accesses. Operand and result shapes must be
/// known. Throw InputError as lowering does.
bool add_contraction(const Operator& op, const Shapes& shapes, Values& values);  ///< with a bias of its own
bool add_elementwise(const Operator& op, const Shapes& shapes, Values& values);
bool add_normalisation(const Operator& op, const Shapes& shapes, Values& values);  ///< as its passes
bool add_pooling(const Operator& op, const Shapes& shapes, Values& values);        ///< windows and reductions
bool add_view(const Operator& op, const Shapes& shapes, Values& values);           ///< only moves data

/// value + bias along `axis`, if input `bias` is present; `name`: the result's.
void add_bias(const Operator& op, Values& values, int before, int bias, std::size_t axis, const std::string& name,
              const Extents& shape);

}  // namespace tilewright::onnx
