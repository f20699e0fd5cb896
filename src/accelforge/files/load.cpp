#include "accelforge/files/load.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::accelforge {
namespace {

constexpr std::array<std::string_view, 12> kOwnTags{"!Memory",  "!Compute",    "!Toll",     "!Fork",
                                                    "!Array",   "!Network",    "!Nested",   "!Storage",
                                                    "!Spatial", "!Sequential", "!Temporal", "!Pipeline"};

bool has_line(std::string_view text, std::string_view begin) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text.substr(at, end - at).starts_with(begin)) return true;
        at = end + 1;
    }
    return false;
}

// Without keys that only hold anchors; other unknown ones are refused.
yaml::Node known_sections(const yaml::Node& document) {
    static const std::vector<std::string> kKnown{"arch",      "workload", "mapping", "renames",
                                                 "variables", "config",   "mapper",  "model"};
    std::vector<yaml::Node::Entry> entries;
    for (const yaml::Node::Entry& entry : document.entries()) {
        const bool known = std::ranges::find(kKnown, entry.key) != kKnown.end();
        if (known || !(entry.value.holds_anchor() || entry.key.ends_with("_ignore"))) entries.push_back(entry);
    }
    yaml::Node rest = yaml::Node::map(std::move(entries), document);
    rest.expect_keys(kKnown);
    return rest;
}

yaml::Node joined(const yaml::Node& first, const yaml::Node& second) {
    std::vector<yaml::Node::Entry> entries = first.entries();
    for (const yaml::Node::Entry& entry : second.entries()) {
        if (first.has(entry.key))
            entry.key_node.fail(ErrorCode::duplicate_key, "'" + entry.key +
                                                              "' is in another file, too (AccelForge "
                                                              "would drop this one without a word)");
        entries.push_back(entry);
    }
    return yaml::Node::map(std::move(entries), first.is_null() ? second : first);
}

}  // namespace

bool is_accelforge(std::string_view text) {
    const auto holds = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (has_line(text, "workload:")) return holds("einsums:") || holds(".workload");
    return (has_line(text, "arch:") || has_line(text, "mapping:")) && std::ranges::any_of(kOwnTags, holds);
}

yaml::Node load_text(std::string_view text, const std::string& file, const jinja::Settings& settings) {
    return known_sections(yaml::parse(jinja::expand(text, file, settings)));
}

yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings) {
    jinja::Settings wider = settings;
    for (const std::filesystem::path& file : files) {
        const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
        wider.folders.push_back(folder);
        wider.folders.push_back(folder / "..");
        wider.folders.push_back(folder / ".." / "..");  // include folder of AccelForge's own workloads
    }
    yaml::Node whole;
    for (const std::filesystem::path& file : files)
        whole = joined(whole, load_text(read_file(file, settings.most_bytes), file.string(), wider));
    return whole;
}

}  // namespace tilewright::accelforge
