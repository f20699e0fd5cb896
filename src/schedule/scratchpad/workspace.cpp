#include "schedule/scratchpad/workspace.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewright::schedule {
namespace {

// Segments between two pinned blocks, and the value of keeping them.
struct Interval {
    std::size_t begin = 0;  ///< of the segments
    std::size_t end = 0;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
};

class Packer {
   public:
    Packer(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
           const Residents& residents)
        : segments_(segments), blocks_(blocks), residents_(residents), order_(blocks.size()), in_(blocks.size(), 0) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
        for (std::size_t i = 0; i < segments.size(); ++i) {
            if (pinned(segments[i])) continue;
            const bool goes_on = !intervals_.empty() && intervals_.back().end == i;
            if (!goes_on) intervals_.push_back({i, i, segments[i].address, 0});
            intervals_.back().end = i + 1;
            intervals_.back().bytes += segments[i].bytes;
        }
        taken_.resize(intervals_.size(), 0);
    }

    std::optional<Packing> run() {
        distribute(0);
        if (!best_) return std::nullopt;
        best_->exact = steps_ < kMostSteps;
        return std::move(best_);
    }

   private:
    static constexpr int kMostSteps = 20000;

    bool pinned(const MemoryMap::Segment& one) const { return one.tile >= 0 && residents_.pinned[one.tile] != 0; }
    double worth(const MemoryMap::Segment& one) const {
        if (one.tile < 0) return 0.0;
        const auto tile = static_cast<std::size_t>(one.tile);
        return residents_.loss.empty() ? static_cast<double>(residents_.stake[tile]) : residents_.loss[tile];
    }

    // Block by block, largest first; equal blocks go to the same interval or later ones.
    void distribute(std::size_t next) {
        if (++steps_ > kMostSteps) return;
        if (next == order_.size()) return keep();
        const std::size_t block = order_[next];
        const bool like_before = next > 0 && blocks_[order_[next - 1]].bytes == blocks_[block].bytes;
        for (std::size_t i = like_before ? in_[order_[next - 1]] : 0; i < intervals_.size(); ++i) {
            if (taken_[i] + blocks_[block].bytes > intervals_[i].bytes) continue;
            taken_[i] += blocks_[block].bytes;
            in_[block] = i;
            distribute(next + 1);
            taken_[i] -= blocks_[block].bytes;
        }
    }

    // Value spilled to free these bytes at one end of an interval.
    double spill(const Interval& interval, std::int64_t bytes, bool at_end, std::vector<int>* spilled) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < interval.end - interval.begin && bytes > 0; ++i) {
            const MemoryMap::Segment& one = segments_[at_end ? interval.end - 1 - i : interval.begin + i];
            sum += worth(one);
            bytes -= one.bytes;
            if (spilled != nullptr && one.tile >= 0) spilled->push_back(one.tile);
        }
        return sum;
    }

    void keep() {
        double cost = 0.0;
        std::vector<char> at_end(intervals_.size(), 0);
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            const double low = spill(intervals_[i], taken_[i], false, nullptr);
            const double high = spill(intervals_[i], taken_[i], true, nullptr);
            at_end[i] = high < low ? 1 : 0;
            cost += std::min(low, high);
        }
        if (best_ && cost >= best_cost_) return;
        best_cost_ = cost;
        best_ = Packing{std::vector<std::int64_t>(blocks_.size(), 0), {}, false};
        std::vector<std::int64_t> next;
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            const Interval& one = intervals_[i];
            next.push_back(at_end[i] != 0 ? one.address + one.bytes - taken_[i] : one.address);
            spill(one, taken_[i], at_end[i] != 0, &best_->spilled);
        }
        for (const std::size_t block : order_) {
            best_->address[block] = next[in_[block]];
            next[in_[block]] += blocks_[block].bytes;
        }
    }

    const std::vector<MemoryMap::Segment>& segments_;
    const std::vector<NewBlock>& blocks_;
    const Residents& residents_;
    std::vector<Interval> intervals_;
    std::vector<std::size_t> order_;   ///< of the blocks, largest first
    std::vector<std::size_t> in_;      ///< by block, its interval
    std::vector<std::int64_t> taken_;  ///< by interval
    int steps_ = 0;
    double best_cost_ = 0.0;
    std::optional<Packing> best_;
};

}  // namespace

Workspace::Workspace(const OperationGraph& graph, LatencyRule rule)
    : graph_(graph),
      timeline_(graph, rule),
      map_(own_bytes(graph.problem.machine, graph.problem.layer)),
      resident_(graph.tiles.size(), 0),
      pinned_(graph.tiles.size(), 0),
      tried_(map_) {
    remaining_.reserve(graph.tiles.size());
    stake_.reserve(graph.tiles.size());
    for (const Tile& tile : graph.tiles) {
        remaining_.push_back(tile.uses);
        stake_.push_back(tile.block_bytes * tile.uses);
        if (tile.block_bytes == 0) resident_[remaining_.size() - 1] = 1;
    }
}

// Largest first: small ones find room between. Equal ones in the order of the set.
void Workspace::find_missing_tiles(const std::vector<int>& set) {
    missing_.clear();
    for (const int operation : set)
        for (const int tile : graph_.operation(operation).tiles) {
            if (resident_[tile] != 0) continue;
            if (std::find(missing_.begin(), missing_.end(), tile) != missing_.end()) continue;
            const std::int64_t bytes = graph_.tile(tile).block_bytes;
            auto at = missing_.end();
            while (at != missing_.begin() && graph_.tile(*std::prev(at)).block_bytes < bytes) --at;
            missing_.insert(at, tile);
        }
}

// An output is created by its chain's first operation, and loaded after a spill.
bool Workspace::must_load(int tile) const {
    const Tile& one = graph_.tile(tile);
    return one.operand != Operand::output || remaining_uses(tile) < one.uses;
}

std::optional<MemoryPlan> Workspace::plan(const std::vector<int>& set, MemoryPolicy policy,
                                          std::span<const double> loss) {
    MemoryPlan result;
    if (!plan(set, policy, loss, result)) return std::nullopt;
    return result;
}

bool Workspace::plan(const std::vector<int>& set, MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan) {
    find_missing_tiles(set);
    pin(set, 1);
    const bool placed = place(policy, loss, plan);
    pin(set, 0);
    if (placed) account(plan);
    return placed;
}

std::int64_t Workspace::load_cycles(const std::vector<int>& set) {
    find_missing_tiles(set);
    std::int64_t cycles = 0;
    for (const int tile : missing_)
        if (must_load(tile)) cycles += transfer_cycles(graph_.problem.machine, graph_.tile(tile).load_bytes);
    return cycles;
}

void Workspace::pin(const std::vector<int>& set, char value) {
    for (const int operation : set)
        for (const int tile : graph_.operation(operation).tiles) pinned_[tile] = value;
}

bool Workspace::place(MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan) {
    plan.reset();
    if (place_one_by_one(policy, loss, plan)) return true;
    plan.reset();
    const bool together = policy == MemoryPolicy::exact || policy == MemoryPolicy::least_loss;
    return together && place_together(loss, plan);
}

bool Workspace::place_one_by_one(MemoryPolicy policy, std::span<const double> loss, MemoryPlan& plan) {
    tried_ = map_;
    for (const int tile : missing_) {
        // Outputs from one end, the rest from the other, so that block sizes mix less.
        const bool from_top = policy == MemoryPolicy::least_loss && graph_.tile(tile).operand == Operand::output;
        const auto address = tried_.allocate(tile, graph_.tile(tile).block_bytes, policy, {pinned_, stake_, loss},
                                             plan.spilled, from_top);
        if (!address) return false;
        plan.placed.push_back({tile, *address, must_load(tile)});
    }
    plan.used_bytes = own_bytes(graph_.problem.machine, graph_.problem.layer) - tried_.free_bytes();
    return true;
}

bool Workspace::place_together(std::span<const double> loss, MemoryPlan& plan) const {
    std::vector<NewBlock> blocks;
    for (const int tile : missing_) blocks.push_back({tile, graph_.tile(tile).block_bytes});
    std::optional<Packing> packing = pack(map_.segments(), blocks, {pinned_, stake_, loss});
    if (!packing) return false;
    plan.used_bytes = own_bytes(graph_.problem.machine, graph_.problem.layer) - map_.free_bytes();
    for (const int tile : packing->spilled) plan.used_bytes -= graph_.tile(tile).block_bytes;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        plan.placed.push_back({blocks[i].tile, packing->address[i], must_load(blocks[i].tile)});
        plan.used_bytes += blocks[i].bytes;
    }
    plan.spilled = std::move(packing->spilled);
    return true;
}

MemoryPlan Workspace::plan_alone(int operation) const {
    MemoryPlan plan;
    for (const MemoryMap::Segment& one : map_.segments())
        if (one.tile >= 0) plan.spilled.push_back(one.tile);
    std::int64_t address = 0;
    for (const int tile : graph_.operation(operation).tiles) {
        if (graph_.tile(tile).block_bytes == 0) continue;
        plan.placed.push_back({tile, address, must_load(tile)});
        address += graph_.tile(tile).block_bytes;
    }
    plan.used_bytes = address;
    account(plan);
    return plan;
}

void Workspace::account(MemoryPlan& plan) const {
    const auto move = [&](std::int64_t bytes) {
        plan.moved_bytes += bytes;
        plan.overhead_cycles += transfer_cycles(graph_.problem.machine, bytes);
    };
    for (const int tile : plan.spilled) {
        if (remaining_uses(tile) > 0) plan.spilled_bytes += graph_.tile(tile).block_bytes;
        if (graph_.tile(tile).operand == Operand::output) move(graph_.tile(tile).load_bytes);
    }
    for (const MemoryPlan::Placement& one : plan.placed)
        if (one.load) move(graph_.tile(one.tile).load_bytes);
}

void Workspace::run(const std::vector<int>& set, const MemoryPlan& plan) {
    timeline_.begin_set();
    for (const int tile : plan.spilled) {
        timeline_.evict(tile);
        map_.release(tile);
        resident_[tile] = 0;
    }
    for (const MemoryPlan::Placement& one : plan.placed) {
        map_.put(one.tile, one.address, graph_.tile(one.tile).block_bytes);
        resident_[one.tile] = 1;
        if (one.load) timeline_.load(one.tile, one.address);
    }
    for (const int operation : set) {
        const int output = graph_.operation(operation).tiles[2];
        std::int64_t address = timeline_.resident(output) ? timeline_.address(output) : 0;
        for (const MemoryPlan::Placement& one : plan.placed)
            if (one.tile == output) address = one.address;
        timeline_.execute(operation, address);
    }
    for (const int operation : set)
        for (const int tile : graph_.operation(operation).tiles) {
            const auto t = static_cast<std::size_t>(tile);
            stake_[t] -= graph_.tile(tile).block_bytes;
            if (--remaining_[t] > 0) continue;
            if (graph_.tile(tile).block_bytes == 0) continue;
            if (graph_.tile(tile).operand == Operand::output)
                timeline_.store(tile);
            else
                timeline_.evict(tile);
            map_.release(tile);
            resident_[t] = 0;
        }
}

std::optional<Packing> pack(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
                            const Residents& residents) {
    return Packer(segments, blocks, residents).run();
}

}  // namespace tilewright::schedule
