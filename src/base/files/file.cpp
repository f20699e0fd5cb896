#include "base/files/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

// A temporary file beside its target. Internal to base; the interface is write_files() (file.hpp).
//
// Its name marks it as ours, and a lock on it marks a live writer: this tells leftovers of dead runs from pending
// writes, on any machine sharing the folder.

/// Removed on destruction unless it replaced its target. Everything throws std::system_error on failure.
class TemporaryFile {
   public:
    explicit TemporaryFile(std::filesystem::path folder);
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view bytes);
    /// Takes over owner (as far as permitted) and permissions of `target`, if it exists.
    void take_after(const std::filesystem::path& target);
    /// Returns with the bytes on the disk.
    void sync();
    void take_place_of(const std::filesystem::path& target);

   private:
    bool create(const std::filesystem::path& path);

    std::filesystem::path path_;  ///< "" once it has replaced its target
    int file_ = -1;
};

// ".tilewright-PROCESS-NUMBER"
constexpr std::string_view kPrefix = ".tilewright-";

bool is_ours(std::string_view name) {
    if (!name.starts_with(kPrefix)) return false;
    name.remove_prefix(kPrefix.size());
    return std::count(name.begin(), name.end(), '-') == 1 && name.front() != '-' && name.back() != '-' &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return c == '-' || std::isdigit(c) != 0; });
}

[[noreturn]] void fail(int reason) { throw std::system_error(reason, std::generic_category()); }

void require(bool done) {
    if (!done) fail(errno);
}

fs::path folder_of(const fs::path& folder) { return folder.empty() ? fs::path(".") : folder; }

// Names are reused: since opening, the file may have replaced its target, and another writer taken the name. A writer
// keeps its lock until then, so under the lock the name stays with the file.
bool still_names(const fs::path& path, const struct stat& file) {
    struct stat now = {};
    return ::lstat(path.c_str(), &now) == 0 && now.st_dev == file.st_dev && now.st_ino == file.st_ino;
}

void remove_if_dead(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    struct stat status = {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ::flock(file, LOCK_EX | LOCK_NB) == 0 &&
        still_names(path, status))
        ::unlink(path.c_str());
    ::close(file);
}

// Another process of ours may have the name, or a clean-up take the file between creation and locking.
TemporaryFile::TemporaryFile(fs::path folder) {
    folder = folder_of(folder);
    for (int number = 0;
         !create(folder / (std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(number)));
         ++number) {
    }
}

TemporaryFile::~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
    if (file_ >= 0) ::close(file_);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::exchange(other.file_, -1)) {}

// With an ordinary new file's permissions. False if the name is taken.
bool TemporaryFile::create(const fs::path& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) return false;
    require(file >= 0);
    const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    struct stat status = {};
    if (!locked || ::fstat(file, &status) != 0 || status.st_nlink == 0) {
        ::close(file);
        return false;
    }
    path_ = path;
    file_ = file;
    return true;
}

void TemporaryFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        require(written >= 0 || errno == EINTR);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void TemporaryFile::take_after(const fs::path& target) {
    struct stat old = {};
    if (::stat(target.c_str(), &old) != 0) return;
    // Only root may give files away; for others the file becomes theirs. Before the permissions, possibly cleared by
    // it.
    if (::fchown(file_, old.st_uid, old.st_gid) != 0 && errno != EPERM) fail(errno);
    require(::fchmod(file_, old.st_mode & 07777) == 0);
}

void TemporaryFile::sync() { require(::fsync(file_) == 0); }

void TemporaryFile::take_place_of(const fs::path& target) {
    require(::rename(path_.c_str(), target.c_str()) == 0);
    path_.clear();
}

/// Removes temporary files of dead writers. Failures are ignored.
void remove_leftovers(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder_of(folder), error), end; !error && entry != end; entry.increment(error))
        if (is_ours(entry->path().filename().string())) remove_if_dead(entry->path());
}

// Some file systems cannot; this is ignored.
/// Returns with the folder's names on the disk, as far as the system can.
void sync_folder(const fs::path& folder) {
    const int file = ::open(folder_of(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

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
