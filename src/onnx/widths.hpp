// How many bits the words of a layer's operands have, where the model computes on integers.
//
// Either the operator itself does (QLinearConv, MatMulInteger), or it computes on floats between a DequantizeLinear
// before every operand and a QuantizeLinear behind its result, which is how exporters write down what hardware then
// does on the integers. Floats say nothing: machines have formats of their own for them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/operators/infer.hpp"
#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {

/// Of the values of a graph, bodies included. Holds references: both must outlive it.
class Widths {
   public:
    Widths(const pb::GraphProto& graph, const Shapes& shapes);

    /// Sets the bits of the tensors that `node` was lowered to; tensors of which nothing is known keep theirs.
    void set_bits(const pb::NodeProto& node, Contraction& contraction) const;

   private:
    void add(const pb::GraphProto& graph);
    /// Of the words that come in by this value; 0 when not known. What only moves data is looked through.
    std::int64_t read(const std::string& value) const;
    /// Of the words that go out by this value: those of the integers that all its readers want, behind what is applied
    /// to each element on the way. 0 when not known.
    std::int64_t written(const std::string& value, int steps = 0) const;
    std::int64_t wanted_by(const pb::NodeProto& reader, const std::string& value, int steps) const;

    const Shapes& shapes_;
    std::unordered_map<std::string, const pb::NodeProto*> makers_;
    std::unordered_map<std::string, std::vector<const pb::NodeProto*>> readers_;
    std::unordered_set<std::string> results_;  ///< of the graph and of bodies: read by who is not known
};

}  // namespace tilewright::onnx
