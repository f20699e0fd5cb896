#include "yaml/jinja/includes.hpp"

#include <algorithm>

namespace tilewright::jinja {
namespace {

constexpr std::string_view kTag = "!include";

std::string with_underscores(std::string text) {
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

// The file name behind the tag, without quotes and comment; "" if absent or with quotes inside.
std::string_view file_behind(std::string_view rest) {
    const std::size_t begin = rest.find_first_not_of(" \t");
    if (begin == 0 || begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    if (const std::size_t comment = rest.find(" #"); comment != std::string_view::npos) rest = rest.substr(0, comment);
    rest = rest.substr(0, rest.find_last_not_of(" \t\r") + 1);
    if (rest.size() >= 2 && (rest.front() == '"' || rest.front() == '\'') && rest.back() == rest.front())
        rest = rest.substr(1, rest.size() - 2);
    return rest.find_first_of("'\"\\{}") == std::string_view::npos ? rest : std::string_view();
}

std::string changed(std::string_view line) {
    const std::size_t tag = line.find(kTag);
    if (tag == std::string_view::npos) return std::string(line);
    const std::string_view before = line.substr(0, tag);
    const std::size_t last = before.find_last_not_of(" \t");
    const bool alone = last == std::string_view::npos;
    const bool behind = !alone && last + 1 < before.size() && (before[last] == ':' || before[last] == '-');
    const std::string_view file = file_behind(line.substr(tag + kTag.size()));
    if ((!alone && !behind) || file.empty() || before.find('#') != std::string_view::npos) return std::string(line);
    const char* function = alone ? "include_text" : "include";
    return std::string(before) + "{{" + function + "('" + std::string(file) + "')}}";
}

}  // namespace

std::string with_include_tags(const std::string& text) {
    if (text.find(kTag) == std::string::npos) return text;
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        made += changed(std::string_view(text).substr(at, end - at));
        if (end < text.size()) made += '\n';
        at = end + 1;
    }
    return made;
}

yaml::Node part_of(const yaml::Node& node, const std::string& key) {
    for (const yaml::Node::Entry& entry : node.entries())
        if (with_underscores(entry.key) == with_underscores(key)) return entry.value;
    return node.at(key);  // throws missing_key
}

}  // namespace tilewright::jinja
