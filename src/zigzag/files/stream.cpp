#include "zigzag/files/stream.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tilewright::zigzag {
namespace {

using yaml::Node;
namespace fs = std::filesystem;

struct Core {
    std::string number;
    Node file;

    std::string name() const { return fs::path(file.text()).stem().string(); }
};

bool names_yaml(const Node& node) {
    return node.is_scalar() && (node.text().ends_with(".yaml") || node.text().ends_with(".yml"));
}

std::vector<Core> cores_of(const Node& list) {
    std::vector<Core> cores;
    if (list.is_map())
        for (const Node::Entry& entry : list.entries()) cores.push_back({entry.key, entry.value});
    else
        for (const Node& item : list.items()) cores.push_back({std::to_string(cores.size()), item});
    return cores;
}

std::string choices(const std::vector<Core>& cores) {
    std::vector<std::string> words;
    for (const Core& core : cores) words.push_back(core.number + " (" + core.name() + ")");
    return list_words(words);
}

/// Paths start in the file's own folder, the cores' folder, or a repository's root.
fs::path found_file(const Node& file) {
    const fs::path given = file.text();
    fs::path folder = fs::path(file.where().file).parent_path();
    std::vector<fs::path> tried{folder / given, folder / "cores" / given};
    constexpr int kMostFolders = 16;
    for (int i = 0; i < kMostFolders && folder.has_parent_path() && folder != folder.parent_path(); ++i) {
        folder = folder.parent_path();
        tried.push_back(folder / given);
    }
    tried.push_back(given);
    std::error_code ignored;
    for (const fs::path& path : tried)
        if (fs::is_regular_file(path, ignored)) return path;
    file.fail(ErrorCode::missing_file, "there is no file '" + given.string() +
                                           "' in the folder of this one, in 'cores' " +
                                           "below it, or from a folder above");
}

/// An entry without statement on the array.
bool says_nothing_of_the_array(const Node& entry) {
    for (const char* key : {"spatial_mapping", "spatial_mapping_hint", "temporal_mapping"})
        if (const Node* given = entry.find(key); given != nullptr && !given->is_null()) return false;
    return true;
}

Node with_array(const Node& entry, const Node& spatial) {
    std::vector<Node::Entry> entries;
    for (const Node::Entry& one : entry.entries())
        if (one.key != "spatial_mapping") entries.push_back(one);
    entries.push_back({"spatial_mapping", entry, spatial});
    return Node::map(std::move(entries), entry);
}

}  // namespace

bool is_machine_of_cores(const Node& root) {
    const Node* cores = root.is_map() ? root.find("cores") : nullptr;
    if (cores == nullptr || (!cores->is_map() && !cores->is_sequence())) return false;
    const std::vector<Core> all = cores_of(*cores);
    return !all.empty() && std::all_of(all.begin(), all.end(), [](const Core& core) { return names_yaml(core.file); });
}

fs::path file_of_core(const Node& root, const std::string& choice, const std::string& option) {
    const Node& list = root.at("cores");
    const std::vector<Core> cores = cores_of(list);
    if (choice.empty())
        list.fail(ErrorCode::unsupported,
                  "a machine of several cores (Stream) is not supported: give the file of one "
                  "core, or choose it with " +
                      option + ": " + choices(cores));
    for (const Core& core : cores)
        if (core.number == choice || core.name() == choice) return found_file(core.file);
    list.fail(ErrorCode::unknown_name, "there is no core '" + choice + "'; there are " + choices(cores));
}

void refuse_other_kinds_of_core(const Node& root) {
    const bool is_core = root.is_map() && root.has("type") && root.has("memory") && !root.has("architecture");
    if (!is_core || !root.at("type").is_scalar() || !root.at("memory").is_map()) return;
    root.at("type").fail(ErrorCode::unsupported, "a core of Stream of the kind '" + root.at("type").text() +
                                                     "', which says nothing of an array: cores with an "
                                                     "operational_array and memories of operands are read");
}

bool is_mapping_to_cores(const Node& root) {
    const Node* layers = root.is_map() ? root.find("layers") : nullptr;
    if (layers == nullptr || !layers->is_sequence() || layers->items().empty()) return false;
    return std::all_of(layers->items().begin(), layers->items().end(), [](const Node& layer) {
        return layer.is_map() && layer.has("name") && (layer.has("core_allocation") || layer.has("inter_core_tiling"));
    });
}

Node mapping_of_one_core(const Node& root, Notes& notes) {
    root.expect_keys({"layers", "fused_groups", "runtime_args"});
    const auto leave_out = [&](const Node::Entry& one) {
        const Location where = one.key_node.where();
        notes.add("keys of Stream about several cores, which nothing here uses", "'" + one.key + "'",
                  where.file + ":" + std::to_string(where.line));
    };
    for (const Node::Entry& one : root.entries())
        if (one.key != "layers") leave_out(one);
    std::vector<Node> entries;
    for (const Node& layer : root.at("layers").items()) {
        layer.expect_keys({"name", "core_allocation", "inter_core_tiling", "intra_core_tiling", "kernel",
                           "core_allocation_is_fixed", "layer_dimension_names", "spatial_mapping",
                           "memory_operand_links"});
        std::vector<Node::Entry> kept;
        for (const Node::Entry& one : layer.entries()) {
            if (one.key == "name" || one.key == "spatial_mapping" || one.key == "memory_operand_links")
                kept.push_back(one);
            else
                leave_out(one);
        }
        if (!layer.has("spatial_mapping")) kept.push_back({"spatial_mapping", layer, Node::null_at(layer)});
        entries.push_back(Node::map(std::move(kept), layer));
    }
    return Node::sequence(std::move(entries), root);
}

Node with_dataflows(const Node& mapping, const Node& core) {
    const Node* dataflows = core.is_map() ? core.find("dataflows") : nullptr;
    if (dataflows == nullptr || dataflows->is_null() || !mapping.is_sequence()) return mapping;
    std::vector<Node> entries;
    for (const Node& entry : mapping.items())
        entries.push_back(entry.is_map() && says_nothing_of_the_array(entry) ? with_array(entry, *dataflows) : entry);
    return Node::sequence(std::move(entries), mapping);
}

}  // namespace tilewright::zigzag
