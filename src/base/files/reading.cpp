#include "base/files/reading.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Global, because formats include each other: threading the fence through all readers would miss one.
std::atomic<const ReadingOnly*> fence{nullptr};

// Unresolvable paths are nowhere.
fs::path resolved(const fs::path& path) {
    std::error_code error;
    fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? fs::path() : whole;
}

}  // namespace

ReadingOnly::ReadingOnly(const std::vector<fs::path>& places) {
    for (const fs::path& place : places) {
        fs::path whole = resolved(place);
        if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
        if (!whole.empty()) places_.push_back(std::move(whole));
    }
    fence.store(this);
}

ReadingOnly::~ReadingOnly() { fence.store(nullptr); }

bool ReadingOnly::allows(const fs::path& path) const {
    const fs::path whole = resolved(path);
    return std::any_of(places_.begin(), places_.end(), [&](const fs::path& place) {
        return std::mismatch(place.begin(), place.end(), whole.begin(), whole.end()).first == place.end();
    });
}

void require_inside_fence(const fs::path& path) {
    const ReadingOnly* const now = fence.load();
    if (now == nullptr || now->allows(path)) return;
    throw InputError(ErrorCode::io, {path.string()},
                     "is not among the files that came with the work, and is not read: the worker's --allow names "
                     "files and folders that are");
}

}  // namespace tilewright
