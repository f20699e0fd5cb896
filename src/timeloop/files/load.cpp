#include "timeloop/files/load.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

using yaml::Node;
namespace {

// Refusal of other programs' files, by format name, before a reader fails on their text.

std::string_view first_line(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(0, line.find('\r'));
}

std::string without_spaces(std::string_view line) {
    std::string kept(line);
    std::erase(kept, ' ');
    return kept;
}

bool has_key(std::string_view text, std::string_view key) {
    return text.find("\"" + std::string(key) + "\"") != std::string_view::npos;
}

// {"device": {"compute_chiplet": {...}, "io": {...}}, "interconnect": ...}
bool is_llmcompass(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{' && has_key(text, "device") &&
           has_key(text, "compute_chiplet");
}

/// Throws InputError(unsupported) for GAMMA's layer tables, other comma-separated tables (*.csv) and LLMCompass
/// hardware.
void refuse_foreign(std::string_view text, const std::string& file) {
    const auto refuse = [&](const std::string& message) {
        throw InputError(ErrorCode::unsupported, {file, 1, 1}, message, first_line(text));
    };
    if (without_spaces(first_line(text)).starts_with("K,C,Y,X,R,S"))
        refuse(
            "a CSV file of GAMMA's, a layer in each row; it is not read: give the layers in MAESTRO's notation (*.m, "
            "docs/maestro.md)");
    if (text.find("\nSummary Stats") != std::string_view::npos && text.find("\n=== ") != std::string_view::npos)
        refuse("Timeloop's report of a mapping, no input: --against FILE compares with it");
    if (file.ends_with(".csv")) refuse("a CSV file of no known format (docs/cli.md)");
    if (is_llmcompass(text))
        refuse("a machine of LLMCompass: describe it in Timeloop's format (docs/timeloop-inputs.md)");
}

// AccelForge's files: section names as Timeloop's, with another meaning.

constexpr int kDeepestNode = 100;  // the readers refuse deeper nodes

// Tags absent from Timeloop's hierarchies.
bool is_own_tag(const Node& node) {
    static constexpr std::array<std::string_view, 9> kTags{"!Memory",  "!Compute",  "!Toll",    "!Fork",      "!Array",
                                                           "!Storage", "!Temporal", "!Spatial", "!Sequential"};
    return std::find(kTags.begin(), kTags.end(), node.tag()) != kTags.end();
}

bool has_own_node(const Node& section, int depth) {
    const Node* nodes = section.is_map() && depth < kDeepestNode ? section.find("nodes") : nullptr;
    if (nodes == nullptr || !nodes->is_sequence()) return false;
    return std::ranges::any_of(nodes->items(),
                               [&](const Node& node) { return is_own_tag(node) || has_own_node(node, depth + 1); });
}

bool has_any(const Node& section, std::initializer_list<const char*> keys) {
    return section.is_map() && std::ranges::any_of(keys, [&](const char* key) { return section.has(key); });
}

bool is_accelforge(const Node::Entry& section) {
    if (section.key == "workload") return has_any(section.value, {"einsums", "rank_sizes"});
    if (section.key == "arch" || section.key == "architecture")
        return has_own_node(section.value, 0) || has_any(section.value, {"extra_attributes_for_all_component_models"});
    return section.key == "mapping" && has_own_node(section.value, 0);
}

/// unsupported, with the tool's name, for AccelForge's machines (arch: nodes of !Memory, !Toll, ...), workloads
/// (workload: einsums) and mappings (mapping: nodes).
void refuse_accelforge(const yaml::Node& document) {
    for (const Node::Entry& section : document.entries())
        if (is_accelforge(section))
            section.key_node.fail(ErrorCode::unsupported, "this is a file of AccelForge, whose '" + section.key +
                                                              "' is not Timeloop's; AccelForge's files are not read");
}

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
