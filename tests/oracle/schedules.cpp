#include "oracle/schedules.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace tilewright::schedule {
namespace {

using Mask = std::uint32_t;

Mask bit(int index) { return Mask{1} << index; }

template <typename Visit>
void for_each(Mask mask, const Visit& visit) {
    for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

// Keeps the Pareto front.
bool add_to_front(std::vector<ExactPoint>& front, const ExactPoint& point) {
    for (const ExactPoint& other : front)
        if (other.latency_cycles <= point.latency_cycles && other.traffic_bytes <= point.traffic_bytes) return false;
    std::erase_if(front, [&](const ExactPoint& other) {
        return point.latency_cycles <= other.latency_cycles && point.traffic_bytes <= other.traffic_bytes;
    });
    front.push_back(point);
    return true;
}

class Exact {
   public:
    explicit Exact(const OperationGraph& graph)
        : graph_(graph), users_(graph.tiles.size(), 0), by_done_(graph.operations.size() + 1) {
        for (int id = 0; id < graph.operation_count(); ++id)
            for (const int tile : graph.operation(id).tiles) users_[tile] |= bit(id);
    }

    // States by number of executed operations: every step increases it.
    std::vector<ExactPoint> run() {
        by_done_[0][{0, 0}] = {{0, 0}};
        for (std::size_t done = 0; done + 1 < by_done_.size(); ++done)
            for (const auto& [state, front] : by_done_[done]) expand(state, front);
        std::vector<ExactPoint> result;
        for (const auto& [state, front] : by_done_.back())
            for (const ExactPoint& point : front) add_to_front(result, point);
        std::sort(result.begin(), result.end(),
                  [](const ExactPoint& a, const ExactPoint& b) { return a.latency_cycles < b.latency_cycles; });
        return result;
    }

   private:
    struct State {
        Mask done = 0;      ///< operations
        Mask resident = 0;  ///< tiles
        auto operator<=>(const State&) const = default;
    };
    using Front = std::vector<ExactPoint>;

    void expand(const State& state, const Front& front) {
        Mask ready = 0;
        for (int id = 0; id < graph_.operation_count(); ++id) {
            const bool first = graph_.operation(id).step == 0;
            if ((state.done & bit(id)) == 0 && (first || (id > 0 && (state.done & bit(id - 1)) != 0))) ready |= bit(id);
        }
        for (Mask set = ready; set != 0; set = (set - 1) & ready)
            if (std::popcount(set) <= graph_.problem.machine.cores) run_set(state, front, set);
    }

    void run_set(const State& state, const Front& front, Mask set) {
        Mask needed = 0;
        for_each(set, [&](int id) {
            for (const int tile : graph_.operation(id).tiles) needed |= bit(tile);
        });
        const std::int64_t room = own_bytes(graph_.problem.machine, graph_.problem.layer) - bytes(needed);
        if (room < 0) return;
        const Mask others = state.resident & ~needed;
        // Only maximal kept sets: dropping more never helps.
        for (Mask kept = others;; kept = (kept - 1) & others) {
            const std::int64_t left = room - bytes(kept);
            if (left >= 0 && !fits_more(others & ~kept, left)) step(state, front, set, needed, kept);
            if (kept == 0) break;
        }
    }

    std::int64_t bytes(Mask tiles) const {
        std::int64_t sum = 0;
        for_each(tiles, [&](int tile) { sum += graph_.tile(tile).block_bytes; });
        return sum;
    }

    bool fits_more(Mask tiles, std::int64_t left) const {
        bool fits = false;
        for_each(tiles, [&](int tile) { fits = fits || graph_.tile(tile).block_bytes <= left; });
        return fits;
    }

    void step(const State& state, const Front& front, Mask set, Mask needed, Mask kept) {
        ExactPoint cost;
        const auto move = [&](std::int64_t moved) {
            if (moved == 0) return;
            cost.traffic_bytes += moved;
            cost.latency_cycles += transfer_cycles(graph_.problem.machine, moved);
        };
        for_each(state.resident & ~needed & ~kept, [&](int tile) {
            if (graph_.tile(tile).operand == Operand::output) move(graph_.tile(tile).load_bytes);
        });
        for_each(needed & ~state.resident, [&](int tile) {
            const bool made = graph_.tile(tile).operand == Operand::output && (users_[tile] & state.done) == 0;
            if (!made) move(graph_.tile(tile).load_bytes);
        });
        std::int64_t longest = 0;
        for_each(set, [&](int id) { longest = std::max(longest, graph_.operation(id).cycles); });
        cost.latency_cycles += longest;
        State next{state.done | set, kept | needed};
        for_each(next.resident, [&](int tile) {
            if ((users_[tile] & ~next.done) != 0) return;
            if (graph_.tile(tile).operand == Operand::output) move(graph_.tile(tile).store_bytes);
            next.resident &= ~bit(tile);
        });
        Front& its = by_done_[static_cast<std::size_t>(std::popcount(next.done))][next];
        for (const ExactPoint& point : front)
            add_to_front(its, {point.latency_cycles + cost.latency_cycles, point.traffic_bytes + cost.traffic_bytes});
    }

    const OperationGraph& graph_;
    std::vector<Mask> users_;  ///< by tile, its operations
    std::vector<std::map<State, Front>> by_done_;
};

}  // namespace

std::vector<ExactPoint> exact_front(const OperationGraph& graph) { return Exact(graph).run(); }

}  // namespace tilewright::schedule
