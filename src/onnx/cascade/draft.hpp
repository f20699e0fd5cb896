// An einsum of a cascade, built operand by operand.
// Operator families in a cascade: einsums, or a view of the input.
#pragma once

#include <string>
#include <vector>

#include "onnx/cascade/values.hpp"
#include "onnx/operators/operator.hpp"

namespace tilewright::onnx {

/// "conv1", or the name of the first result.
std::string name_of(const pb::NodeProto& node);

class Draft {
   public:
    Draft(Values& values, std::string name, std::string op, EinsumKind kind, std::vector<OperationCount> operations);

    int dimension(const std::string& name, std::int64_t extent);
    /// One dimension per extent, numbered.
    std::vector<int> dimensions(const Extents& extents);

    /// An operand at these places of the value's axes; its own ranks are the places without offsets. One-word operands
    /// are left out.
    void read(const Value& value, const std::vector<Coordinate>& places);
    void write(int tensor, const std::vector<Coordinate>& places);
    void online() { einsum_.online = true; }
    void finish();

   private:
    void add(const Access& access, const std::vector<Coordinate>& places, bool written);

    Values& values_;
    CascadeEinsum einsum_;
};

/// Reads an operand of one word per channel of the first one; `channels`: their dimension. Throws ErrorCode::bad_value
/// for another shape.
void read_per_channel(const Operator& op, int operand, Values& values, Draft& draft, int channels);

/// Places of an operand of shape `own` under broadcasting, aligned at the right.
std::vector<Coordinate> broadcast_places(const Extents& own, const std::vector<int>& dimensions);

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
