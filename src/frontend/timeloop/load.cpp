#include "frontend/timeloop/load.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/file.hpp"

namespace tilewright::timeloop {
namespace {

// Keys below these are names of the user's (dimensions, tensors), not keywords.
bool holds_names(const std::string& key) {
    return key == "instance" || key == "per_dataspace_bandwidth_consumption_scale" || key == "densities" ||
           key == "arguments";
}

yaml::Node with_underscores(const yaml::Node& node) {
    if (node.is_sequence()) {
        std::vector<yaml::Node> items;
        for (const yaml::Node& item : node.items()) items.push_back(with_underscores(item));
        return yaml::Node::sequence(std::move(items), node).with_tag(node.tag());
    }
    if (!node.is_map()) return node;
    std::set<std::string> keys;
    std::vector<yaml::Node::Entry> entries;
    for (const yaml::Node::Entry& entry : node.entries()) {
        std::string key = entry.key;
        std::replace(key.begin(), key.end(), '-', '_');
        if (!keys.insert(key).second)
            entry.key_node.fail(ErrorCode::duplicate_key, "duplicate key '" + key + "' (hyphens count as underscores)");
        yaml::Node value = holds_names(key) ? entry.value : with_underscores(entry.value);
        entries.push_back({std::move(key), entry.key_node, std::move(value)});
    }
    return yaml::Node::map(std::move(entries), node).with_tag(node.tag());
}

[[noreturn]] void refuse_duplicate(const yaml::Node::Entry& again, const yaml::Node& first, const std::string& path) {
    const Location where = first.where();
    again.key_node.fail(ErrorCode::duplicate_key,
                        "'" + path + "' is already given in " + where.file + ":" + std::to_string(where.line));
}

bool same_plain_value(const yaml::Node& a, const yaml::Node& b) {
    return a.is_scalar() && b.is_scalar() && a.text() == b.text();
}

// Sections that some Timeloop tool knows. Others are allowed (files keep anchors there), unless they look like a slip.
void refuse_misspelt_sections(const yaml::Node& root) {
    static const std::vector<std::string> kSections{"architecture",
                                                    "arch",
                                                    "problem",
                                                    "mapping",
                                                    "layers",
                                                    "mapper",
                                                    "mapspace",
                                                    "constraints",
                                                    "components",
                                                    "variables",
                                                    "globals",
                                                    "arch_constraints",
                                                    "architecture_constraints",
                                                    "ERT",
                                                    "ART",
                                                    "ERT_summary",
                                                    "ART_summary",
                                                    "mapspace_constraints",
                                                    "compound_components",
                                                    "model",
                                                    "specification",
                                                    "version",
                                                    "layout",
                                                    "sparse_optimizations",
                                                    "accelergy_plug_ins"};
    for (const yaml::Node::Entry& entry : root.entries()) {
        if (std::find(kSections.begin(), kSections.end(), entry.key) != kSections.end()) continue;
        if (const std::string near = nearest(entry.key, kSections); !near.empty())
            entry.key_node.fail(ErrorCode::unknown_key,
                                "unknown section '" + entry.key + "'; did you mean '" + near + "'?");
    }
}

yaml::Node merged_section(const yaml::Node& first, const yaml::Node::Entry& second) {
    std::vector<yaml::Node::Entry> entries = first.entries();
    for (const yaml::Node::Entry& entry : second.value.entries()) {
        const yaml::Node* known = first.find(entry.key);
        if (known == nullptr)
            entries.push_back(entry);
        else if (!same_plain_value(*known, entry.value))
            refuse_duplicate(entry, *known, second.key + "." + entry.key);
    }
    return yaml::Node::map(std::move(entries), first);
}

yaml::Node merged_documents(const yaml::Node& first, const yaml::Node& second) {
    std::vector<yaml::Node::Entry> entries = first.entries();
    for (const yaml::Node::Entry& entry : second.entries()) {
        const auto same =
            std::find_if(entries.begin(), entries.end(), [&](const auto& known) { return known.key == entry.key; });
        if (same == entries.end()) {
            entries.push_back(entry);
        } else if (same->value.is_map() && entry.value.is_map()) {
            same->value = merged_section(same->value, entry);
        } else if (!same_plain_value(same->value, entry.value)) {
            refuse_duplicate(entry, same->value, entry.key);
        }
    }
    return yaml::Node::map(std::move(entries), first);
}

}  // namespace

// Several documents in one file are merged as files are.
yaml::Node load_text(std::string_view text, const std::string& file, const JinjaVariables& variables) {
    std::optional<yaml::Node> merged;
    for (const yaml::Node& document : yaml::parse_documents(expand_jinja(text, file, variables))) {
        if (!document.is_map()) document.fail(ErrorCode::wrong_type, "expected a map of sections (architecture: ...)");
        yaml::Node root = with_underscores(document);
        refuse_misspelt_sections(root);
        merged = merged ? merged_documents(*merged, root) : root;
    }
    return *merged;
}

yaml::Node load(const std::vector<std::filesystem::path>& files, const JinjaVariables& variables) {
    if (files.empty()) throw InputError(ErrorCode::usage, {}, "no input file was given");
    yaml::Node merged = load_text(read_file(files.front()), files.front().string(), variables);
    for (auto file = files.begin() + 1; file != files.end(); ++file)
        merged = merged_documents(merged, load_text(read_file(*file), file->string(), variables));
    return merged;
}

}  // namespace tilewright::timeloop
