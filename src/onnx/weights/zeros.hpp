// Zeros in a model's weights, for --density onnx.
//
// A constant operand is followed to its stored values through data movement and DequantizeLinear, whose zero point
// represents zero. Computed weights (folded scales, fills of a shape) are not counted, with a reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/graph/messages.hpp"
#include "onnx/weights/counted.hpp"

namespace tilewright::onnx {

/// Of one graph, bodies included. Refers to it; it must outlive this.
class Weights {
   public:
    /// `folder`: the model's, with its external data.
    Weights(const pb::GraphProto& graph, std::filesystem::path folder);

    /// Of the constant input `index` of `node`.
    CountedWeights counted(const pb::NodeProto& node, int index) const;

   private:
    /// Representation of zero: one number, or one per place along an axis.
    struct ZeroPoints {
        std::vector<std::int64_t> values{0};
        std::int64_t axis = 0;  ///< from the end below 0
    };
    struct Followed {
        std::string value;
        ZeroPoints zero;
    };

    void add(const pb::GraphProto& graph);
    void add_name(const std::string& value);
    const pb::TensorProto* stored(const std::string& value) const;
    std::string follow(Followed& at) const;
    std::string take_zero_points(const std::string& value, std::int64_t axis, ZeroPoints& zero) const;
    std::string start(const pb::NodeProto& node, int index, Followed& at) const;
    std::string count(const Followed& at, CountedWeights& counted) const;

    std::filesystem::path folder_;
    std::unordered_map<std::string, const pb::TensorProto*> stored_;
    std::unordered_map<std::string, const pb::SparseTensorProto*> few_;
    std::unordered_map<std::string, const pb::NodeProto*> makers_;
    std::unordered_set<std::string> names_;
    std::unordered_set<std::string> shared_;  ///< names reused inside bodies
};

}  // namespace tilewright::onnx
