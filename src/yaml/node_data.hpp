// What a node holds. Internal to yaml/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::yaml {

// Hostile documents: deep nesting and aliases that multiply. Real files stay far below.
inline constexpr int kMaxDepth = 200;
inline constexpr std::int64_t kMaxNodes = 1'000'000;
inline constexpr std::size_t kMaxKey = 1024;  // bytes; YAML itself allows no more where a key stands without a '?'

struct Node::Data {
    Kind kind = Kind::null;
    bool quoted = false;
    bool anchored = false;
    std::string tag;
    std::string text;
    std::vector<Node> items;
    std::vector<Entry> entries;
    std::vector<Node> overridden;
    std::shared_ptr<const Source> source;
    int line = 0;
    int column = 0;
};

}  // namespace tilewright::yaml
