// The terminal at the other end of a stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::cli {

/// Columns of the terminal that the file descriptor writes to; nothing where it is none, or does not say.
std::optional<std::size_t> terminal_columns(int descriptor);

// Colour on terminals.

/// The text with its first "error:" in red or its first "note:" in blue, where standard error is a terminal that knows
/// colours and NO_COLOR (https://no-color.org) is not set; else the text.
std::string coloured(const std::string& text);

/// A text for standard output, where that is a terminal: headings and heads of tables stand out, verdicts have a
/// colour. Without a terminal, or where NO_COLOR or TERM say so, the text as it is.
std::string emphasized(const std::string& text);

// One line on a terminal that says how far the work is, overwritten as it goes on; nothing anywhere else.

/// Thread-safe. The line is cleared when it ends.
class StatusLine {
   public:
    /// Shows anything only when `wanted` and standard error is a terminal.
    explicit StatusLine(bool wanted);
    ~StatusLine();
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    bool shown() const { return shown_; }
    /// Replaces the line, at most ten times a second unless `now`. Cut to the width of the terminal.
    void show(const std::string& line, bool now = false);
    /// As many of the parts, "one, two, three", as fit the terminal whole: what matters most comes first.
    void show(const std::vector<std::string>& parts, bool now = false);
    void clear();

   private:
    std::mutex mutex_;
    const bool shown_;
    bool dirty_ = false;
    std::chrono::steady_clock::time_point next_{};
};

// How far an exploration is, on one line of a terminal.

class ExploreProgress {
   public:
    ExploreProgress(explore::Store& store, std::int64_t points, bool quiet);

    /// Twice a second at most, as counting takes the store some time.
    void tell();
    void clear() { line_.clear(); }

   private:
    explore::Store& store_;
    std::int64_t points_;
    StatusLine line_;
    std::int64_t before_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace tilewright::cli
