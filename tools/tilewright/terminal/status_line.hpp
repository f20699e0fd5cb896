// One line on a terminal that says how far the work is, overwritten as it goes on; nothing anywhere else.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::cli {

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

}  // namespace tilewright::cli
