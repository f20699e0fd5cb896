// Protobuf's types under a short name, and messages naming file and node.
// A set of names in one text, for readable operator tables.
#pragma once

#include <onnx/onnx_pb.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.hpp"

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

}  // namespace tilewright::onnx
