#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/numbers/number_text.hpp"
#include "base/printable.hpp"

namespace tilewright::cli {
namespace {

bool is_wanted(int descriptor) {
    const char* const refused = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    return isatty(descriptor) != 0 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

struct Word {
    std::string_view text;
    std::string_view colour;
};
constexpr std::array<Word, 2> kWords{{{"error:", "\x1b[1;31m"}, {"note:", "\x1b[1;34m"}}};
constexpr std::array<Word, 3> kVerdicts{
    {{"proven optimal", "\x1b[32m"}, {"is not legal", "\x1b[31m"}, {"there is no mapping", "\x1b[31m"}}};
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";

// "=====" or "-----": what stands under a heading.
bool is_underline(std::string_view line) {
    constexpr std::size_t kShortest = 4;
    while (line.starts_with(' ')) line.remove_prefix(1);
    return line.size() >= kShortest &&
           (line.find_first_not_of('=') == line.npos || line.find_first_not_of('-') == line.npos);
}

std::string painted(std::string_view colour, std::string_view text) {
    return std::string(colour) + std::string(text) + std::string(kPlain);
}

std::string with_verdict(std::string_view line) {
    for (const Word& word : kVerdicts)
        if (const std::size_t at = line.find(word.text); at != line.npos)
            return std::string(line.substr(0, at)) + painted(word.colour, word.text) +
                   std::string(line.substr(at + word.text.size()));
    return std::string(line);
}

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

std::optional<std::size_t> terminal_columns(int descriptor) {
    winsize size = {};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
    return size.ws_col;
}

std::string coloured(const std::string& text) {
    if (!is_wanted(STDERR_FILENO)) return text;
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    for (const Word& word : kWords)
        if (const std::size_t at = line.find(word.text); at != std::string_view::npos)
            return text.substr(0, at) + std::string(word.colour) + std::string(word.text) + "\x1b[0m" +
                   text.substr(at + word.text.size());
    return text;
}

std::string emphasized(const std::string& text) {
    if (!is_wanted(STDOUT_FILENO)) return text;
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const std::string_view rest = std::string_view(text).substr(std::min(end + 1, text.size()));
        const bool is_heading = !line.empty() && is_underline(rest.substr(0, rest.find('\n')));
        out += is_underline(line) ? painted(kDim, line) : is_heading ? painted(kBold, line) : with_verdict(line);
        if (end < text.size()) out += '\n';
        begin = end + 1;
    }
    return out;
}

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

ExploreProgress::ExploreProgress(explore::Store& store, std::int64_t points, bool quiet)
    : store_(store), points_(points), line_(!quiet), before_(store.counts().explored) {}

void ExploreProgress::tell() {
    constexpr std::chrono::milliseconds kPause(500);
    if (!line_.shown() || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + kPause;
    const std::int64_t done = store_.counts().explored;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double rate = static_cast<double>(done - before_) / std::max(spent, 1e-9);
    const double left = static_cast<double>(points_ - done) / std::max(rate, 1e-9);
    line_.show(fmt::format("[{}/{}] {} points/s, {:.0f} s left", count_text(done), count_text(points_),
                           figure_text(rate), left));
}

}  // namespace tilewright::cli
