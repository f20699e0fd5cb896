#include "yaml/jinja/files.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace tilewright::jinja {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxMatches = 1000;

fs::path real(const fs::path& path) {
    std::error_code ignored;
    fs::path found = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    return found.has_filename() ? found : found.parent_path();
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool is_below(const fs::path& path, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

// Matching entries of `folder`, in order.
std::vector<fs::path> entries(const fs::path& folder, const std::string& pattern) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
        if (fnmatch(pattern.c_str(), at->path().filename().c_str(), FNM_PERIOD) == 0) found.push_back(at->path());
    std::sort(found.begin(), found.end());
    if (found.size() > kMaxMatches) found.resize(kMaxMatches);
    return found;
}

// "a/*/b*.yaml": part by part.
std::vector<fs::path> matches(const fs::path& pattern) {
    std::vector<fs::path> found{""};
    for (const fs::path& part : pattern) {
        std::vector<fs::path> next;
        for (const fs::path& folder : found) {
            if (!is_pattern(part.string())) {
                next.push_back(folder / part);
                continue;
            }
            const std::vector<fs::path> inside = entries(folder.empty() ? "." : folder, part.string());
            next.insert(next.end(), inside.begin(), inside.end());
            if (next.size() > kMaxMatches) break;
        }
        found = std::move(next);
    }
    std::erase_if(found, [](const fs::path& path) { return !is_there(path); });
    return found;
}

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

Files::Files(const std::vector<fs::path>& allowed) {
    for (const fs::path& folder : allowed) {
        const fs::path whole = real(folder.empty() ? fs::path(".") : folder);
        if (whole != whole.root_path()) allowed_.push_back(whole);  // the whole file system is not permitted
    }
}

bool Files::is_allowed(const fs::path& path) const {
    const fs::path whole = real(path);
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const fs::path& folder) { return is_below(whole, folder); });
}

std::vector<fs::path> Files::candidates(const std::string& name, const fs::path& here) const {
    if (name.empty() || name.find('\0') != std::string::npos) return {};
    const fs::path path(name);
    if (path.is_absolute()) return {path};
    std::vector<fs::path> paths{(here / path).lexically_normal()};
    for (const fs::path& folder : folders_) paths.push_back((folder / path).lexically_normal());
    paths.push_back(path);
    return paths;
}

std::optional<fs::path> Files::find(const std::string& name, const fs::path& here) const {
    for (const fs::path& path : candidates(name, here))
        if (is_there(path) && is_allowed(path)) return path;
    return std::nullopt;
}

bool Files::is_outside(const std::string& name, const fs::path& here) const {
    const std::vector<fs::path> paths = candidates(name, here);
    return std::any_of(paths.begin(), paths.end(), [&](const fs::path& path) { return !is_allowed(path); });
}

std::vector<fs::path> Files::match(const std::string& pattern, const fs::path& here) const {
    for (const fs::path& path : candidates(pattern, here)) {
        std::vector<fs::path> found = matches(path);
        std::erase_if(found, [&](const fs::path& one) { return !is_allowed(one); });
        if (!found.empty()) return found;
    }
    return {};
}

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
