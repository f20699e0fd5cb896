// Shapes of every value of a graph, by libonnx's inference rules node by node.
//
// The library's rules run here, not under its own driver, so that stated shapes are only a fallback, newer operators
// get rules, hostile models cannot grow shapes without bound, and a missing shape has a stated origin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// One extent per axis; -1 if unknown.
using Extents = std::vector<std::int64_t>;

class Shapes {
   public:
    /// nullopt for an unknown number of axes.
    std::optional<Extents> of(const std::string& value) const;

    /// Its number in onnx.proto; 0 (undefined) if unknown.
    std::int32_t element_type(const std::string& value) const;

    /// Reason for an incomplete shape of `value`: "node 'x' (NonZero) has no shape rule".
    std::string why_unknown(const std::string& value) const;

    /// The taken subgraph of an If, or the body of a Loop or Scan, with its repeats if known.
    struct Body {
        const pb::GraphProto* graph = nullptr;
        std::int64_t trips = 1;
    };
    const Body* body_of(const pb::NodeProto& node) const {
        const auto found = bodies_.find(&node);
        return found == bodies_.end() ? nullptr : &found->second;
    }

    /// The value of a known integer scalar.
    std::optional<std::int64_t> number(const std::string& value) const;

    /// True for weights: values independent of the graph's inputs.
    bool is_constant(const std::string& value) const { return constants_.contains(value); }

   private:
    friend class Inference;
    std::unordered_map<std::string, pb::TypeProto> types_;
    std::unordered_map<std::string, std::string> reasons_;
    std::unordered_set<std::string> constants_;
    std::unordered_map<std::string, std::int64_t> numbers_;
    std::unordered_map<const pb::NodeProto*, Body> bodies_;
};

/// Requires a sorted graph with bound symbols and no local functions. Throws InputError for invalid attributes and
/// shapes.
Shapes infer_shapes(pb::ModelProto& model, const std::string& file);

}  // namespace tilewright::onnx
