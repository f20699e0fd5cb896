#include "timeloop/files/load.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/files/file.hpp"
#include "timeloop/files/accelforge.hpp"
#include "timeloop/files/foreign.hpp"
#include "timeloop/files/libconfig.hpp"
#include "timeloop/files/map_text.hpp"
#include "timeloop/files/merge.hpp"

namespace tilewright::timeloop {
namespace {

// Keys below these are user-defined names (dimensions, tensors), not keywords.
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

// Public files have "[L=1]# why": YAML wants a space before a comment, PyYAML does not.
yaml::Source with_spaced_comments(yaml::Source source) {
    std::string text;
    bool plain = true;  // no quotation mark or comment in this line so far
    for (std::size_t at = 0; at < source.text.size(); ++at) {
        const char letter = source.text[at];
        text += letter;
        if (letter == '\n')
            plain = true;
        else if (letter == '\'' || letter == '"' || letter == '#')
            plain = false;
        else if (plain && (letter == ']' || letter == '}') && source.text.compare(at + 1, 1, "#") == 0)
            text += ' ';
    }
    source.text = std::move(text);
    return source;
}

// Sections of any Timeloop tool. Others are allowed (files keep anchors there) unless they resemble one: a slip.
void refuse_misspelt_section(const yaml::Node::Entry& entry) {
    static const std::vector<std::string> kSections{"architecture",
                                                    "arch",
                                                    "problem",
                                                    "network",
                                                    "mapping",
                                                    "layers",
                                                    "schema",
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
                                                    "extra_mapping_constraints",
                                                    "compound_components",
                                                    "model",
                                                    "specification",
                                                    "version",
                                                    "layout",
                                                    "sparse_optimizations",
                                                    "silicon",
                                                    "accelergy_plug_ins"};
    if (std::find(kSections.begin(), kSections.end(), entry.key) != kSections.end()) return;
    if (const std::string near = nearest(entry.key, kSections); !near.empty())
        entry.key_node.fail(ErrorCode::unknown_key,
                            "unknown section '" + entry.key + "'; did you mean '" + near + "'?");
}

// Throws at a misspelt one unless the caller collects mistakes.
yaml::Node with_known_sections(const yaml::Node& root, Mistakes* mistakes) {
    std::vector<yaml::Node::Entry> entries;
    for (const yaml::Node::Entry& entry : root.entries()) {
        try {
            refuse_misspelt_section(entry);
            entries.push_back(entry);
        } catch (const InputError& error) {
            if (mistakes == nullptr) throw;
            mistakes->push_back(error);
        }
    }
    return yaml::Node::map(std::move(entries), root).with_tag(root.tag());
}

[[noreturn]] void refuse_list(const yaml::Node& document) {
    const bool is_named_list = document.is_sequence() && !document.items().empty() && document.items()[0].is_map() &&
                               document.items()[0].has("name");
    document.fail(ErrorCode::wrong_type,
                  is_named_list ? "expected a map of sections (architecture: ...); as a list of ZigZag's mappings its "
                                  "entries lack 'spatial_mapping', as one of layers 'equation' and 'loop_dims'"
                                : "expected a map of sections (architecture: ...)");
}

// Documents of one file are merged like files.
yaml::Node loaded_text(std::string_view text, const std::string& file, const jinja::Settings& settings,
                       Mistakes* mistakes) {
    refuse_foreign(text, file);
    std::optional<yaml::Node> merged;
    const yaml::Source source = is_map_text(text)          ? map_text_as_yaml(text, file)
                                : is_libconfig(text, file) ? yaml::Source{libconfig_as_yaml(text, file), file, {}, {}}
                                                           : with_spaced_comments(jinja::expand(text, file, settings));
    for (const yaml::Node& document : yaml::parse_documents(source)) {
        if (!document.is_map()) refuse_list(document);
        refuse_accelforge(document);
        const yaml::Node root = with_known_sections(with_flat_lists(with_underscores(document)), mistakes);
        merged = merged ? merged_documents(*merged, root) : root;
    }
    return *merged;
}

yaml::Node loaded(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings,
                  Mistakes* mistakes) {
    if (files.empty()) throw InputError(ErrorCode::usage, {}, "no input file was given");
    const auto read = [&](const std::filesystem::path& file) {
        return loaded_text(read_file(file, settings.most_bytes), file.string(), settings, mistakes);
    };
    yaml::Node merged = read(files.front());
    for (auto file = files.begin() + 1; file != files.end(); ++file) merged = merged_documents(merged, read(*file));
    return merged;
}

}  // namespace

yaml::Node load_text(std::string_view text, const std::string& file, const jinja::Settings& settings) {
    return loaded_text(text, file, settings, nullptr);
}

yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings) {
    return loaded(files, settings, nullptr);
}

yaml::Node load_tolerantly(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings,
                           Mistakes& mistakes) {
    return loaded(files, settings, &mistakes);
}

}  // namespace tilewright::timeloop
