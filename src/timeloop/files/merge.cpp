#include "timeloop/files/load.hpp"

#include <algorithm>
#include <array>

namespace tilewright::timeloop {
namespace {

using yaml::Node;

bool same_content(const Node& a, const Node& b) {
    if (a.kind() != b.kind()) return false;
    if (a.is_scalar()) return a.text() == b.text();
    if (a.is_sequence())
        return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), same_content);
    if (!a.is_map()) return true;
    return a.entries().size() == b.entries().size() &&
           std::all_of(a.entries().begin(), a.entries().end(), [&](const Node::Entry& entry) {
               const Node* other = b.find(entry.key);
               return other != nullptr && same_content(entry.value, *other);
           });
}

bool is_empty(const Node& node) {
    return node.is_null() || (node.is_map() && node.entries().empty()) || (node.is_sequence() && node.items().empty());
}

[[noreturn]] void refuse_duplicate(const Node& again, const Node& first, const std::string& path) {
    const Location where = first.where();
    again.fail(ErrorCode::duplicate_key,
               "'" + path + "' is already given in " + where.file + ":" + std::to_string(where.line));
}

const Node* name_of(const Node& item) { return item.is_map() ? item.find("name") : nullptr; }

const Node* same_name(const std::vector<Node>& items, const Node& item) {
    const Node* name = name_of(item);
    if (name == nullptr || !name->is_scalar()) return nullptr;
    for (const Node& known : items)
        if (const Node* other = name_of(known); other != nullptr && other->is_scalar() && other->text() == name->text())
            return &known;
    return nullptr;
}

Node joined_lists(const Node& first, const Node& second, const std::string& path) {
    std::vector<Node> items = first.items();
    for (const Node& item : second.items()) {
        const Node* known = same_name(items, item);
        if (known != nullptr && !same_content(*known, item))
            refuse_duplicate(*name_of(item), *known, path + ": " + name_of(item)->text());
        if (known == nullptr) items.push_back(item);
    }
    return Node::sequence(std::move(items), first).with_tag(first.tag());
}

// List-valued sections, and section keys with lists below.
bool is_joined(const std::string& path) {
    static constexpr std::array<const char*, 11> kLists{"components",
                                                        "components.classes",
                                                        "compound_components",
                                                        "compound_components.classes",
                                                        "architecture.components",
                                                        "ERT.tables",
                                                        "ART.tables",
                                                        "constraints.targets",
                                                        "architecture_constraints.targets",
                                                        "mapspace_constraints.targets",
                                                        "extra_mapping_constraints.targets"};
    return std::find(kLists.begin(), kLists.end(), path) != kLists.end();
}

Node merged_section(const Node& first, const Node::Entry& second) {
    std::vector<Node::Entry> entries = first.entries();
    for (const Node::Entry& entry : second.value.entries()) {
        const auto known =
            std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.key == entry.key; });
        const std::string path = second.key + "." + entry.key;
        if (known == entries.end()) {
            entries.push_back(entry);
        } else if (is_empty(known->value)) {
            *known = entry;
        } else if (known->value.is_sequence() && entry.value.is_sequence() && is_joined(path)) {
            known->value = joined_lists(known->value, entry.value, path);
        } else if (!is_empty(entry.value) && !(entry.value.is_scalar() && same_content(known->value, entry.value))) {
            refuse_duplicate(entry.key_node, known->value, path);
        }
    }
    return Node::map(std::move(entries), first);
}

void merge_entry(Node::Entry& known, const Node::Entry& entry, bool is_dump) {
    if (is_empty(entry.value)) return;
    if (is_empty(known.value) || (is_dump && entry.key == "mapping")) {
        known = entry;
    } else if (known.value.is_map() && entry.value.is_map()) {
        known.value = merged_section(known.value, entry);
    } else if (known.value.is_sequence() && entry.value.is_sequence() && is_joined(entry.key)) {
        known.value = joined_lists(known.value, entry.value, entry.key);
    } else if (!(entry.value.is_scalar() && same_content(known.value, entry.value))) {
        refuse_duplicate(entry.key_node, known.value, entry.key);
    }
}

// Nested lists, flattened.
void add_flat(const Node& list, std::vector<Node>& items, int depth) {
    constexpr int kMaxDepth = 20;
    if (depth > kMaxDepth) list.fail(ErrorCode::syntax, "lists are nested too deeply");
    for (const Node& item : list.items()) {
        if (item.is_sequence())
            add_flat(item, items, depth + 1);
        else if (!item.is_null())
            items.push_back(item);
    }
}

Node flat(const Node& list) {
    std::vector<Node> items;
    add_flat(list, items, 0);
    return Node::sequence(std::move(items), list);
}

Node one_map(const Node& list) {
    Node merged;
    const Node all = flat(list);
    for (const Node& item : all.items()) {
        if (!item.is_map()) item.fail(ErrorCode::wrong_type, "expected a map of variables (name: value)");
        merged = merged.is_null() ? item : Node::merged(merged, item);
    }
    return merged.is_null() ? Node::null_at(list) : merged;
}

Node with_flat_classes(const Node& section) {
    if (section.is_sequence()) return flat(section);
    if (!section.is_map()) return section;
    std::vector<Node::Entry> entries = section.entries();
    for (Node::Entry& entry : entries)
        if (entry.key == "classes" && entry.value.is_sequence()) entry.value = flat(entry.value);
    return Node::map(std::move(entries), section);
}

}  // namespace

Node merged_documents(const Node& first, const Node& second) {
    const bool is_dump = first.has("dumped_by_timeloop_front_end");
    std::vector<Node::Entry> entries = first.entries();
    for (const Node::Entry& entry : second.entries()) {
        const auto known =
            std::find_if(entries.begin(), entries.end(), [&](const auto& other) { return other.key == entry.key; });
        if (known == entries.end())
            entries.push_back(entry);
        else
            merge_entry(*known, entry, is_dump);
    }
    return Node::map(std::move(entries), first);
}

Node with_flat_lists(const Node& root) {
    std::vector<Node::Entry> entries = root.entries();
    for (Node::Entry& entry : entries) {
        if (entry.key == "variables" && entry.value.is_sequence()) entry.value = one_map(entry.value);
        if (entry.key == "components" || entry.key == "compound_components")
            entry.value = with_flat_classes(entry.value);
    }
    return Node::map(std::move(entries), root);
}

}  // namespace tilewright::timeloop
