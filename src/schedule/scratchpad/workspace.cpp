#include "schedule/scratchpad/workspace.hpp"

#include <algorithm>
#include <utility>

#include "schedule/scratchpad/packing.hpp"

namespace tilewright::schedule {

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

}  // namespace tilewright::schedule
