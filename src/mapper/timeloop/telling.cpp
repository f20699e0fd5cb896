#include "mapper/timeloop/telling.hpp"

namespace tilewright::timeloop_search {

SearchStatistics statistics_of(const StreamResult& stream) {
    SearchStatistics statistics;
    statistics.sampled = stream.tried;
    statistics.valid = stream.valid;
    statistics.evaluations = stream.valid;
    statistics.dead_ends = stream.without_fanout;
    statistics.invalid[static_cast<std::size_t>(ViolationKind::capacity)] = stream.without_room;
    statistics.chunks = 1;
    return statistics;
}

void Telling::tell(const StreamResult& before, const StreamResult& now) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    all_.statistics.sampled += now.tried - before.tried;
    all_.statistics.valid += now.valid - before.valid;
    all_.statistics.evaluations = all_.statistics.valid;
    all_.since_improvement += now.valid - before.valid;
    all_.improved = false;
    if (now.improvements.size() > before.improvements.size()) {
        const LeanCost& cost = now.improvements.back().cost;
        const Score score = objective_.score(cost.energy_pj, cost.cycles);
        all_.improved = score < all_.score;
        if (all_.improved) {
            all_.best = cost;
            all_.score = score;
            all_.since_improvement = 0;
        }
    }
    progress_(all_);
}

}  // namespace tilewright::timeloop_search
