// Word widths of a layer's operands in integer models.
//
// Either the operator is on integers (QLinearConv, MatMulInteger), or on floats between a DequantizeLinear before every
// operand and a QuantizeLinear behind its result, the exporters' notation for integer hardware. Floats give no width:
// machines have formats of their own for them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/operators/infer.hpp"
#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {

/// Of a graph's values, bodies included. Holds references: both must outlive it.
class Widths {
   public:
    Widths(const pb::GraphProto& graph, const Shapes& shapes);

    /// Sets the bits of the lowered `node`'s tensors; unknown ones keep theirs.
    void set_bits(const pb::NodeProto& node, Contraction& contraction) const;

   private:
    void add(const pb::GraphProto& graph);
    /// Of the incoming words of this value, looking through data movement. 0 if unknown.
    std::int64_t read(const std::string& value) const;
    /// Of the outgoing words: the common integer width of all readers, behind element-wise operators. 0 if unknown.
    std::int64_t written(const std::string& value, int steps = 0) const;
    std::int64_t wanted_by(const pb::NodeProto& reader, const std::string& value, int steps) const;

    const Shapes& shapes_;
    std::unordered_map<std::string, const pb::NodeProto*> makers_;
    std::unordered_map<std::string, std::vector<const pb::NodeProto*>> readers_;
    std::unordered_set<std::string> results_;  ///< of the graph and of bodies: with unknown readers
};

}  // namespace tilewright::onnx
