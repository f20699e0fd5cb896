#include "terminal/status_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "base/printable.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

StatusLine::StatusLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::string& line, bool now) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    const auto time = std::chrono::steady_clock::now();
    if (!now && time < next_) return;
    next_ = time + kInterval;
    std::fflush(stdout);  // what was printed before stands above it
    // The last column stays free: some terminals wrap when it is written.
    // The terminal may be gone.
    std::fputs(
        ("\r" + printable(printable_line(line).substr(0, terminal_columns(STDERR_FILENO).value_or(80) - 1)) + "\x1b[K")
            .c_str(),
        stderr);
    std::fflush(stderr);
    dirty_ = true;
}

void StatusLine::show(const std::vector<std::string>& parts, bool now) {
    if (!shown_ || parts.empty()) return;
    std::string line = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (line.size() + 2 + parts[i].size() < terminal_columns(STDERR_FILENO).value_or(80)) line += ", " + parts[i];
    show(line, now);
}

void StatusLine::clear() {
    const std::lock_guard lock(mutex_);
    if (!dirty_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    dirty_ = false;
}

}  // namespace tilewright::cli
