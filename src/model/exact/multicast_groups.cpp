#include "model/exact/multicast_groups.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace tilewright {
namespace {

/// tree_hops() of ascending numbers, linear in their number, with columns reused between calls.
class Trees {
   public:
    explicit Trees(const Mesh& grid) : grid_(grid), columns_(static_cast<std::size_t>(grid.x)) {}

    double hops(std::span<const std::int64_t> numbers) {
        ++turn_;
        touched_.clear();
        std::int64_t furthest = 0;
        for (const std::int64_t number : numbers) {
            const std::int64_t y = number / grid_.x;
            const std::int64_t x = number - y * grid_.x;
            Column& column = columns_[x];
            if (column.turn != turn_) {
                column = {turn_, y, y};
                touched_.push_back(x);
                furthest = std::max(furthest, x);
            }
            column.lowest = y;
        }
        const double centre = static_cast<double>(grid_.y - 1) / 2.0;
        double hops = static_cast<double>(furthest);
        for (const std::int64_t x : touched_) {
            const Column& column = columns_[x];
            hops += std::max(0.0, centre - static_cast<double>(column.highest)) +
                    std::max(0.0, static_cast<double>(column.lowest) - centre);
        }
        return hops;
    }

   private:
    struct Column {
        std::int64_t turn = 0;  // of the call that set the rest
        std::int64_t highest = 0;
        std::int64_t lowest = 0;
    };

    const Mesh grid_;
    std::int64_t turn_ = 0;
    std::vector<Column> columns_;
    std::vector<std::int64_t> touched_;
};

}  // namespace

MulticastGroups::MulticastGroups(const Mesh& grid, std::size_t ranks, std::int64_t most)
    : grid_(grid), ranks_(ranks), slots_(std::bit_ceil(2 * static_cast<std::size_t>(most)), -1) {
    group_of_.reserve(static_cast<std::size_t>(most));
    numbers_.reserve(static_cast<std::size_t>(most));
}

std::size_t MulticastGroups::slot_of(const TileOffset& position) const {
    std::uint64_t hash = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
        hash = (hash ^ static_cast<std::uint64_t>(position[r])) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32U;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] >= 0 && groups_[slots_[slot]].position != position) slot = (slot + 1) & mask;
    return slot;
}

void MulticastGroups::add(const TileOffset& position, std::int64_t first, std::int64_t count) {
    std::int32_t group = group_of_.empty() ? -1 : group_of_.back();
    if (group < 0 || groups_[group].position != position) {
        std::int32_t& slot = slots_[slot_of(position)];
        if (slot < 0) {
            slot = static_cast<std::int32_t>(groups_.size());
            groups_.push_back({position, 0});
        }
        group = slot;
    }
    groups_[group].members += count;
    group_of_.insert(group_of_.end(), static_cast<std::size_t>(count), group);
    for (std::int64_t i = 0; i < count; ++i) numbers_.push_back(first + i);
}

// Group after group, ascending in each.
std::vector<std::int64_t> MulticastGroups::numbers_by_group() const {
    std::vector<std::size_t> next;
    std::size_t begin = 0;
    for (const Group& group : groups_) {
        next.push_back(begin);
        begin += static_cast<std::size_t>(group.members);
    }
    std::vector<std::int64_t> sorted(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) sorted[next[group_of_[i]]++] = numbers_[i];
    return sorted;
}

Traffic MulticastGroups::traffic() const {
    const std::vector<std::int64_t> sorted = numbers_by_group();
    Trees trees(grid_);
    Traffic traffic;
    std::size_t begin = 0;
    for (const Group& group : groups_) {
        const auto members = static_cast<std::size_t>(group.members);
        traffic.add(group.members, 1, trees.hops(std::span(sorted).subspan(begin, members)));
        begin += members;
    }
    return traffic;
}

std::vector<TileOffset> MulticastGroups::positions() const {
    std::vector<TileOffset> positions;
    for (const Group& group : groups_) positions.push_back(group.position);
    return positions;
}

}  // namespace tilewright
