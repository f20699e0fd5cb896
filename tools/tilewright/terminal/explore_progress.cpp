#include "terminal/explore_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/number_text.hpp"

namespace tilewright::cli {

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
