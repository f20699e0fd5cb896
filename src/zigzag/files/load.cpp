#include "zigzag/files/load.hpp"

#include "base/notes.hpp"
#include "zigzag/files/accelerator.hpp"
#include "zigzag/files/stream.hpp"
#include "zigzag/files/upgrade.hpp"

namespace tilewright::zigzag {
namespace {

void note_overridden(const yaml::Node& node, std::vector<std::string>& notes) {
    for (const yaml::Node& key : node.overridden()) {
        const Location where = key.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": '" +
                        key.text() + "' is given again below; as in ZigZag, the last one counts");
    }
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries()) note_overridden(entry.value, notes);
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) note_overridden(item, notes);
}

Document with_notes(const yaml::Node& root) {
    Document document;
    document.of_several_cores = is_mapping_to_cores(root) || (is_accelerator(root) && root.has("type"));
    note_overridden(root, document.notes);
    Notes notes;
    document.root = upgraded(root, notes);
    for (std::string& note : notes.texts()) document.notes.push_back(std::move(note));
    return document;
}

}  // namespace

Document load(const std::filesystem::path& path, std::uintmax_t most_bytes) {
    return with_notes(yaml::parse_file(path, yaml::Duplicates::last_wins, most_bytes));
}

Document load_core(const std::filesystem::path& path, const std::string& choice, const std::string& machine,
                   std::uintmax_t most_bytes) {
    Document document = load(path, most_bytes);
    refuse_other_kinds_of_core(document.root);
    if (!is_accelerator(document.root))
        document.root.fail(ErrorCode::wrong_type, "this is no core of ZigZag's: it has no operational_array");
    document.notes.push_back("core " + choice + " of " + machine + " alone (" + path.string() + ")");
    return document;
}

Document load_text(std::string_view text, std::string file) {
    return with_notes(yaml::parse_text(text, std::move(file), yaml::Duplicates::last_wins));
}

}  // namespace tilewright::zigzag
