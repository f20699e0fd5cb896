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
    if (kReadOver.contains(section.key) || section.value.holds_anchor()) return;
    section.key_node.fail(ErrorCode::unknown_key,
                          "unknown section '" + section.key +
                              "'; there are architecture, problem, mapping, constraints, mapper and others "
                              "(docs/timeloop-inputs.md); a name that ends in '_ignore' is read over");
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
        "architecture", "arch", "problem", "mapping", "layers", "constraints", "architecture_constraints",
        "arch_constraints", "mapspace_constraints", "extra_mapping_constraints", "mapspace", "mapper", "network", "ERT",
        "ART", "vector_unit", "variables", "components", "compound_components", "version", "sparse_optimizations",
        "silicon", "device",
        // Timeloop's own output; says nothing that the others do not say
        "globals", "ERT_summary", "ART_summary", "dumped_by_timeloop_front_end"};
    std::vector<std::string> notes;
    for (const yaml::Node::Entry& entry : tree.entries()) {
        if (kUsed.contains(entry.key) || entry.key.ends_with("ignore")) continue;
        try {
            refuse_unknown_section(entry);
        } catch (const InputError& error) {
            if (mistakes == nullptr) throw;
            mistakes->push_back(error);
            continue;
        }
        const Location where = entry.key_node.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) + ": nothing uses the section '" + entry.key +
                        "'");
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
