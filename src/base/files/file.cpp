#include "base/files/file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/files/file_size.hpp"
#include "base/files/reading.hpp"
#include "base/files/temporary_file.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& action, int reason) {
    throw InputError(reason == ENOENT ? ErrorCode::missing_file : ErrorCode::io, {path.string()},
                     "cannot " + action + ": " + std::strerror(reason));
}

// "" for regular and for inaccessible files: opening the latter reports the error.
std::string special_kind(fs::file_type type) {
    switch (type) {
        case fs::file_type::fifo: return "a FIFO";
        case fs::file_type::socket: return "a socket";
        case fs::file_type::block:
        case fs::file_type::character: return "a device";
        default: return "";
    }
}

void require_regular(const fs::path& path, const std::string& action) {
    std::error_code ignored;
    const fs::file_type type = fs::status(path, ignored).type();
    if (type == fs::file_type::directory) fail(path, action, EISDIR);
    if (const std::string kind = special_kind(type); !kind.empty())
        throw InputError(ErrorCode::io, {path.string()},
                         "cannot " + action + ": it is " + kind + ", not a regular file");
}

// Target of the links, existing or not.
fs::path end_of_links(fs::path path) {
    constexpr int kMostLinks = 40;  // Linux follows as many
    std::error_code error;
    for (int i = 0; fs::is_symlink(fs::symlink_status(path, error)); ++i) {
        const fs::path next = i < kMostLinks ? fs::read_symlink(path, error) : fs::path();
        if (next.empty()) fail(path, "write", i < kMostLinks ? error.value() : ELOOP);
        path = path.parent_path() / next;  // an absolute one replaces all of it
    }
    return path;
}

fs::path target_of(const fs::path& path) {
    const fs::path target = end_of_links(path);
    require_regular(path, "write");
    return target;
}

// Errors name the requested file, not the temporary one.
TemporaryFile written_beside(const fs::path& path, const fs::path& target, std::string_view bytes) {
    try {
        TemporaryFile file(target.parent_path());
        file.write(bytes);
        file.take_after(target);
        file.sync();
        return file;
    } catch (const std::system_error& error) {
        fail(path, "write", error.code().value());
    }
}

// Git LFS's stand-in for an unfetched large file; the first line is fixed, and there is little more.
bool is_lfs_pointer(std::string_view bytes) {
    constexpr std::size_t kMostBytes = 1024;
    return bytes.size() < kMostBytes && bytes.starts_with("version https://git-lfs.github.com/");
}

// Byte order mark of editors and spreadsheets; no binary format read here begins like it.
std::string without_mark(const fs::path& path, std::string bytes) {
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        throw InputError(ErrorCode::io, {path.string()}, "cannot read: it is text in UTF-16; save it as UTF-8");
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
    return bytes;
}

}  // namespace

void refuse_oversize(const fs::path& path, std::uintmax_t most_bytes, const std::string& advice) {
    std::error_code unknown;
    const std::uintmax_t size = fs::file_size(path, unknown);
    if (unknown || size <= most_bytes) return;
    throw InputError(ErrorCode::unsupported, {path.string()},
                     "the file has " + std::to_string(size) + " bytes, more than the " +
                         std::to_string(most_bytes >> 20U) + " MiB that are read" + advice);
}

std::string read_file(const fs::path& path, std::uintmax_t most_bytes) {
    require_inside_fence(path);
    require_regular(path, "read");
    refuse_oversize(path, most_bytes);
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(path, "read", errno);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    if (in.bad()) fail(path, "read", EIO);
    if (is_lfs_pointer(bytes.view()))
        throw InputError(
            ErrorCode::io, {path.string()},
            "cannot read: it is a pointer of Git LFS in place of the file; 'git lfs pull' fetches the file");
    return without_mark(path, std::move(bytes).str());
}

InputError looked_at_in_vain(const fs::filesystem_error& error) {
    return {ErrorCode::io, {error.path1().string()}, "cannot look at it: " + error.code().message()};
}

void check_target(const fs::path& path) { target_of(path); }

void write_files(const std::vector<FileBytes>& files, const std::vector<fs::path>& others) {
    std::set<fs::path> folders;
    std::vector<std::pair<TemporaryFile, fs::path>> written;
    written.reserve(files.size());
    for (const fs::path& other : others) check_target(other);
    for (const auto& [path, bytes] : files) {
        const fs::path target = target_of(path);
        if (folders.insert(target.parent_path()).second) remove_leftovers(target.parent_path());
        written.emplace_back(written_beside(path, target, bytes), target);
    }
    for (std::size_t i = 0; i < written.size(); ++i) try {
            written[i].first.take_place_of(written[i].second);
        } catch (const std::system_error& error) {
            fail(files[i].first, "write", error.code().value());
        }
    for (const fs::path& other : others) {
        std::error_code error;
        fs::remove(other, error);
        if (error) fail(other, "remove", error.value());
        folders.insert(other.parent_path());
    }
    for (const fs::path& folder : folders) sync_folder(folder);
}

void write_file(const fs::path& path, std::string_view bytes) { write_files({{path, std::string(bytes)}}); }

}  // namespace tilewright
