#include "timeloop/files/sections.hpp"

#include "base/error.hpp"

namespace tilewright::timeloop {
namespace {

void refuse_unknown_section(const yaml::Node::Entry& section) {
    static const std::set<std::string> kReadOver = {
        "name",  "title",         "description",        "notes", "author", "date",
        "model", "specification", "accelergy_plug_ins", "shape"};
    const bool asks_for_nothing = section.value.is_null() ||
                                  (section.value.is_sequence() && section.value.items().empty()) ||
                                  (section.value.is_map() && section.value.entries().empty());
    if (section.key == "layout" && !asks_for_nothing)
        section.key_node.fail(ErrorCode::unsupported,
                              "layouts are not supported: how words lie in a memory has no part in any count here");
    if (section.key == "layout") return;
    if (section.key.starts_with("globals") || section.key == "ERT_summary" || section.key == "ART_summary") return;
    if (kReadOver.contains(section.key) || section.value.holds_anchor()) return;
    section.key_node.fail(ErrorCode::unknown_key,
                          "unknown section '" + section.key +
                              "'; there are architecture, problem, mapping, constraints, mapper and others "
                              "(docs/timeloop-inputs.md); a name that ends in '_ignore' is read over");
}

// A circuit simulator's file of cells: each line of it would be an unknown section.
void refuse_cell_description(const yaml::Node& tree) {
    for (const yaml::Node::Entry& entry : tree.entries())
        if (entry.key.ends_with("MemCellType"))
            entry.key_node.fail(ErrorCode::unsupported,
                                "the description of a memory cell holds no machine, layer or mapping: 'cells' of a "
                                "!CellArray, or 'cell_config' of AccelForge's components, names it");
}

// TileFlow's problems carry search and output options, without effect on counts.
bool is_of_tileflow(const std::string& section, const yaml::Node& tree) {
    static const std::set<std::string> kSections = {"output", "verbose", "check", "tileflow_mapper"};
    if (!kSections.contains(section)) return false;
    const yaml::Node* problem = tree.find("problem");
    return tree.has("macro") || (problem != nullptr && problem->is_map() && problem->has("ops"));
}

std::string unused(const yaml::Node::Entry& section) {
    const Location where = section.key_node.where();
    return where.file + ":" + std::to_string(where.line) + ": nothing uses the section '" + section.key + "'";
}

// A summary replaces a missing table; the requests in a dump's globals are already carried out in it.
bool is_read(const std::string& section, const yaml::Node& tree) {
    if (section == "globals") return tree.has("dumped_by_timeloop_front_end");
    return (section == "ERT_summary" && !tree.has("ERT")) || (section == "ART_summary" && !tree.has("ART"));
}

void add_files_of(const yaml::Node& node, std::set<std::string>& files) {
    if (!node.where().file.empty()) files.insert(node.where().file);
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries()) add_files_of(entry.value, files);
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) add_files_of(item, files);
}

std::vector<std::string> unused_sections_of(const yaml::Node& tree, std::vector<InputError>* mistakes) {
    static const std::set<std::string> kUsed = {
        "architecture", "arch", "problem", "mapping", "layers", "schema", "constraints", "architecture_constraints",
        "arch_constraints", "mapspace_constraints", "extra_mapping_constraints", "mapspace", "mapper", "network", "ERT",
        "ART", "vector_unit", "variables", "components", "compound_components", "version", "sparse_optimizations",
        "silicon", "device", "dumped_by_timeloop_front_end",
        // TileFlow's numbers by name
        "macro"};
    std::vector<std::string> notes;
    refuse_cell_description(tree);
    for (const yaml::Node::Entry& entry : tree.entries()) {
        if (kUsed.contains(entry.key) || is_read(entry.key, tree) || entry.key.ends_with("ignore")) continue;
        if (is_of_tileflow(entry.key, tree)) {
            notes.push_back(unused(entry));
            continue;
        }
        try {
            refuse_unknown_section(entry);
        } catch (const InputError& error) {
            if (mistakes == nullptr) throw;
            mistakes->push_back(error);
            continue;
        }
        notes.push_back(unused(entry));
    }
    return notes;
}

}  // namespace

std::vector<std::string> unused_sections(const yaml::Node& tree) { return unused_sections_of(tree, nullptr); }

std::vector<std::string> unused_sections(const yaml::Node& tree, std::vector<InputError>& mistakes) {
    return unused_sections_of(tree, &mistakes);
}

std::set<std::string> files_of(const yaml::Node& tree) {
    std::set<std::string> files;
    add_files_of(tree, files);
    return files;
}

}  // namespace tilewright::timeloop
