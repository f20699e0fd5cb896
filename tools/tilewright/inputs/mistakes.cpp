#include "inputs/mistakes.hpp"

#include <optional>

namespace tilewright::cli {
namespace {

using yaml::Node;

constexpr int kDeepestEntry = 200;

bool is_there(const Node& node, const Location& place) {
    const Location where = node.where();
    return where.line == place.line && where.column == place.column && where.file == place.file;
}

// Mistakes in a text may be said at the place inside it.
bool is_in(const Node& node, const Location& place) {
    const Location where = node.where();
    if (!node.is_scalar() || where.line != place.line || where.file != place.file) return false;
    const int letters = static_cast<int>(node.text().size()) + (node.is_quoted() ? 2 : 0);
    const int inside = place.column - where.column;
    return inside == 0 || (inside > 0 && inside < letters);
}

// `node` without the entry whose key, or whose plain value, or the item that stands at `place`; nothing when there is
// none.
std::optional<Node> without(const Node& node, const Location& place, int depth) {
    if (depth > kDeepestEntry) return std::nullopt;
    if (node.is_sequence()) {
        std::vector<Node> items = node.items();
        for (auto item = items.begin(); item != items.end(); ++item) {
            const bool meant = is_in(*item, place);
            std::optional<Node> changed = meant ? std::nullopt : without(*item, place, depth + 1);
            if (!meant && !changed) continue;
            if (meant)
                items.erase(item);
            else
                *item = *changed;
            return Node::sequence(std::move(items), node).with_tag(node.tag());
        }
        return std::nullopt;
    }
    if (!node.is_map()) return std::nullopt;
    std::vector<Node::Entry> entries = node.entries();
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const bool meant = is_there(entry->key_node, place) || is_in(entry->value, place);
        std::optional<Node> changed = meant ? std::nullopt : without(entry->value, place, depth + 1);
        if (!meant && !changed) continue;
        if (meant)
            entries.erase(entry);
        else
            entry->value = *changed;
        return Node::map(std::move(entries), node).with_tag(node.tag());
    }
    return std::nullopt;
}

// Perhaps a mistake only because something refused was left out.
bool may_follow(const InputError& error) {
    return error.code() == ErrorCode::missing_key || error.code() == ErrorCode::factor_product;
}

}  // namespace

std::vector<InputError> mistakes_in(Node root, const std::function<void(const Node&)>& read, int most) {
    std::vector<InputError> mistakes;
    while (static_cast<int>(mistakes.size()) < most) {
        try {
            read(root);
            return mistakes;
        } catch (const InputError& error) {
            std::optional<Node> rest = without(root, error.where(), 0);
            if (!mistakes.empty() && (!rest || may_follow(error))) return mistakes;
            mistakes.push_back(error);
            if (!rest) return mistakes;
            root = *rest;
        }
    }
    return mistakes;
}

}  // namespace tilewright::cli
