// Attributes of one node, with types and bounds checked.
// Other tools' attributes on standard operators.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

class Attributes {
   public:
    /// The node and file must outlive this.
    Attributes(const pb::NodeProto& node, const std::string& file) : node_(node), file_(file) {}
    /// Throws InputError for a duplicate attribute or one not `known`.
    Attributes(const pb::NodeProto& node, const std::string& file, std::initializer_list<const char*> known);

    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    std::string text(std::string_view name, std::string_view otherwise) const;
    /// `count` integers of at least `least`; `otherwise` repeated if the attribute is missing.
    std::vector<std::int64_t> integers(std::string_view name, std::size_t count, std::int64_t least,
                                       std::int64_t otherwise) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }

   private:
    const pb::AttributeProto* find(std::string_view name) const;
    const pb::AttributeProto* find(std::string_view name, pb::AttributeProto_AttributeType type,
                                   std::string_view expected) const;

    const pb::NodeProto& node_;
    const std::string& file_;
};

/// The newest operator set of libonnx 1.12.
inline constexpr int kLibraryOpset = 17;

/// Removes non-standard attributes from contractions (Conv, Gemm, MatMul, ..) of the graph and its subgraphs, with a
/// note. One within two letters of a standard one stays and is refused: possibly a slip.
void drop_foreign_attributes(pb::GraphProto& graph, int opset, const std::string& file, Notes& notes);

}  // namespace tilewright::onnx
