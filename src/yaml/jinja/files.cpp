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

}  // namespace tilewright::jinja
