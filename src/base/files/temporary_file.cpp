#include "base/files/temporary_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

void remove_leftovers(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder_of(folder), error), end; !error && entry != end; entry.increment(error))
        if (is_ours(entry->path().filename().string())) remove_if_dead(entry->path());
}

// Some file systems cannot; this is ignored.
void sync_folder(const fs::path& folder) {
    const int file = ::open(folder_of(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

}  // namespace tilewright
