#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tilewright {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& action, int reason) {
    throw InputError(reason == ENOENT ? ErrorCode::missing_file : ErrorCode::io, {path.string()},
                     "cannot " + action + ": " + std::strerror(reason));
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail(path, "read", EISDIR);
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(path, "read", errno);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    if (in.bad()) fail(path, "read", EIO);
    return std::move(bytes).str();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    std::string temporary = path.string() + ".XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0) fail(path, "write", errno);
    int reason = 0;
    for (std::size_t done = 0; done < bytes.size() && reason == 0;) {
        const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno != EINTR) reason = errno;
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    // mkstemp makes the file private; give it the permissions an ordinary file would have got.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (reason == 0 && ::fchmod(file, 0666 & ~mask) != 0) reason = errno;
    if (::close(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
    if (reason != 0) {
        ::unlink(temporary.c_str());
        fail(path, "write", reason);
    }
}

}  // namespace tilewright
