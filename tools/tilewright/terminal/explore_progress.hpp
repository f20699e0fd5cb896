// How far an exploration is, on one line of a terminal.
#pragma once

#include <chrono>
#include <cstdint>

#include "explore/store.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {

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
