// Shapes of every value of a graph, by libonnx's inference rules applied node by node.
//
// The library's rules are run here, not by its own driver, so that values the model states are only a fallback, newer
// operators than the library knows get their rules from here, hostile models cannot make shapes grow without bound, and
// a missing shape can say where the trail was lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// One extent per axis; -1 where it is not known.
using Extents = std::vector<std::int64_t>;

class Shapes {
   public:
    /// nullopt when not even the number of axes is known.
    std::optional<Extents> of(const std::string& value) const;

    /// Its number in onnx.proto; 0 (undefined) when it is not known.
    std::int32_t element_type(const std::string& value) const;

    /// Why the shape of `value` is not (fully) known: "node 'x' (NonZero) has no shape rule".
    std::string why_unknown(const std::string& value) const;

    /// The subgraph of an If that runs, or the body of a Loop or Scan, and how often, where that is known.
    struct Body {
        const pb::GraphProto* graph = nullptr;
        std::int64_t trips = 1;
    };
    const Body* body_of(const pb::NodeProto& node) const {
        const auto found = bodies_.find(&node);
        return found == bodies_.end() ? nullptr : &found->second;
    }

    /// The number of a value that is a single whole number and known.
    std::optional<std::int64_t> number(const std::string& value) const;

    /// True for weights: what does not depend on the graph's inputs.
    bool is_constant(const std::string& value) const { return constants_.contains(value); }

   private:
    friend class Inference;
    std::unordered_map<std::string, pb::TypeProto> types_;
    std::unordered_map<std::string, std::string> reasons_;
    std::unordered_set<std::string> constants_;
    std::unordered_map<std::string, std::int64_t> numbers_;
    std::unordered_map<const pb::NodeProto*, Body> bodies_;
};

/// Requires a sorted graph with bound symbols and no local functions. Throws InputError for attributes and shapes that
/// no operator allows.
Shapes infer_shapes(pb::ModelProto& model, const std::string& file);

}  // namespace tilewright::onnx
