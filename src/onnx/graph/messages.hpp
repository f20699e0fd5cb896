// Protobuf's types under a short name, and messages naming file and node.
// A set of names in one text, for readable operator tables.
#pragma once

#include <onnx/onnx_pb.h>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/notes.hpp"

namespace tilewright::onnx {

namespace pb = ::onnx;

/// A name from a file, safe to print: control and non-ASCII characters become '?', long ones are cut.
std::string printable(std::string_view name);

/// "'conv1'", quoted and printable.
std::string in_quotes(std::string_view name);

/// "node 'conv1' (Conv)"; an unnamed node goes by its first output.
std::string describe(const pb::NodeProto& node);

/// "[1, 3, ?, 224]"
std::string shape_text(const std::vector<std::int64_t>& extents);

[[noreturn]] void fail(const std::string& file, ErrorCode code, const std::string& message);
[[noreturn]] void fail(const std::string& file, const pb::NodeProto& node, ErrorCode code, const std::string& message);

class WordSet {
   public:
    /// `words` separated by spaces.
    explicit WordSet(const std::string& words) {
        std::istringstream in(words);
        for (std::string word; in >> word;) words_.insert(word);
    }
    bool contains(const std::string& word) const { return words_.contains(word); }

   private:
    std::set<std::string> words_;
};

// Attributes of one node, with types and bounds checked.
// Other tools' attributes on standard operators.

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
