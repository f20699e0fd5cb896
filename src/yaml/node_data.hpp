// Contents of a node. Internal to yaml/.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::yaml {

// Limits against hostile documents: deep nesting and multiplying aliases. Real files stay far below.
inline constexpr int kMaxDepth = 200;
inline constexpr std::int64_t kMaxNodes = 1'000'000;
inline constexpr std::size_t kMaxKey = 1024;  // bytes; YAML's own limit for a key without a '?'

/// A source with fast access to many lines, for messages.
struct IndexedSource : Source {
    explicit IndexedSource(Source source) : Source(std::move(source)), line_begins_(1, 0) {
        for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
            line_begins_.push_back(end + 1);
    }
    /// As line(), without scanning the lines before it.
    std::string_view line_at(int number) const {
        if (number > static_cast<int>(line_begins_.size())) return {};
        const std::string_view rest = std::string_view(text).substr(line_begins_[std::max(number, 1) - 1]);
        return rest.substr(0, rest.find_first_of("\r\n"));
    }

   private:
    std::vector<std::size_t> line_begins_;
};

struct Node::Data {
    Kind kind = Kind::null;
    bool quoted = false;
    bool block = false;
    bool anchored = false;
    std::string tag;
    std::string text;
    std::vector<Node> items;
    std::vector<Entry> entries;
    std::vector<Node> overridden;
    std::shared_ptr<const IndexedSource> source;
    int line = 0;
    int column = 0;
};

}  // namespace tilewright::yaml
