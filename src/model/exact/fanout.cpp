#include "model/exact/fanout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright {

Fanout::Fanout(const Nest& nest, int level, LastMask last)
    : loops_(std::span(nest.loops)
                 .subspan(static_cast<std::size_t>(nest.levels[level].spatial),
                          static_cast<std::size_t>(nest.levels[level].end - nest.levels[level].spatial))),
      last_(last),
      inside_(loops_.size() + 1) {
    count(0, last);
}

std::int64_t Fanout::count(std::size_t k, LastMask last) {
    if (const auto known = inside_[k].find(last); known != inside_[k].end()) return known->second;
    std::int64_t all = 1;
    if (k < loops_.size()) {
        const std::int64_t full = count(k + 1, last & ~(LastMask{1} << loops_[k].dimension));
        all = checked_add(checked_mul(trips(loops_[k], last) - 1, full), count(k + 1, last));
    }
    return inside_[k][last] = all;
}

Neighbour Fanout::at(std::int64_t number) const {
    Neighbour neighbour{{}, last_};
    for (std::size_t k = 0; k < loops_.size(); ++k) {
        const LastMask full = neighbour.last & ~(LastMask{1} << loops_[k].dimension);
        const std::int64_t each = inside(k + 1, full);
        const std::int64_t last_index = trips(loops_[k], neighbour.last) - 1;
        const std::int64_t index = std::min(number / each, last_index);
        number -= index * each;
        if (index < last_index) neighbour.last = full;
        neighbour.index.push_back(index);
    }
    return neighbour;
}

FanoutWalk::FanoutWalk(const Fanout& block, const Nest& nest, int level, const Tensor& tensor)
    : block_(block), ranks_(tensor.ranks.size()), at_(block.loops().size() + 1) {
    for (std::size_t k = 0; k < block.loops().size(); ++k) {
        TileOffset& shift = shifts_.emplace_back();
        for (std::size_t r = 0; r < ranks_; ++r)
            shift[r] = nest.shift(nest.levels[level].spatial + static_cast<int>(k), tensor.ranks[r]);
    }
    at_.front().last = block.last();
    for (std::size_t k = 0; k < shifts_.size(); ++k) set(k, 0);
}

void FanoutWalk::set(std::size_t k, std::int64_t index) {
    At& at = at_[k];
    At& inside = at_[k + 1];
    const NestLoop& loop = block_.loops()[k];
    at.trips = Fanout::trips(loop, at.last);
    at.index = index;
    inside.last = index + 1 < at.trips ? at.last & ~(LastMask{1} << loop.dimension) : at.last;
    for (std::size_t r = 0; r < ranks_; ++r) inside.offset[r] = at.offset[r] + index * shifts_[k][r];
}

std::int64_t FanoutWalk::alike() const {
    if (shifts_.empty()) return 1;
    const At& at = at_[shifts_.size() - 1];
    const std::int64_t left = at.trips - at.index;
    const bool last_differs = (at.last >> block_.loops().back().dimension & 1U) != 0;
    return last_differs && left > 1 ? left - 1 : left;
}

void FanoutWalk::advance(std::int64_t count) {
    std::size_t k = shifts_.size();
    number_ += count;
    std::int64_t on = count;
    while (k > 0 && at_[k - 1].index + on == at_[k - 1].trips) {
        --k;
        on = 1;
    }
    if (k == 0) {
        exists_ = false;
        return;
    }
    set(k - 1, at_[k - 1].index + on);
    for (; k < shifts_.size(); ++k) set(k, 0);
}

void FanoutWalk::seek(std::int64_t number) {
    if (exists_ && number == number_) return;
    number_ = number;
    exists_ = number < block_.size();
    if (!exists_) return;
    const Neighbour neighbour = block_.at(number);
    for (std::size_t k = 0; k < shifts_.size(); ++k) set(k, neighbour.index[k]);
}

Mesh grid_of(const NestLevel& level) {
    return {std::max(level.hardware.x, level.mapped.x), std::max(level.hardware.y, level.mapped.y)};
}

double tree_hops(const Mesh& grid, std::vector<std::int64_t> linear) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    // By columns, from the top of each: only the positions matter, not the width of the mesh.
    std::sort(linear.begin(), linear.end(), [&](std::int64_t a, std::int64_t b) {
        return std::pair(a % grid.x, a / grid.x) < std::pair(b % grid.x, b / grid.x);
    });
    double hops = static_cast<double>(linear.back() % grid.x);
    for (std::size_t first = 0; first < linear.size();) {
        std::size_t last = first;
        while (last + 1 < linear.size() && linear[last + 1] % grid.x == linear[first] % grid.x) ++last;
        const std::int64_t first_row = linear[first] / grid.x;
        const std::int64_t last_row = linear[last] / grid.x;
        const double above = centre - static_cast<double>(first_row);
        const double below = static_cast<double>(last_row) - centre;
        hops += std::max(0.0, above) + std::max(0.0, below);
        first = last + 1;
    }
    return hops;
}

double hops_to_each(const Mesh& grid, std::int64_t count) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    const auto along = [](std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n - 1) / 2.0; };
    const std::int64_t rows = count / grid.x;  // full ones
    const std::int64_t rest = count % grid.x;
    const double across = static_cast<double>(rows) * along(grid.x) + along(rest);
    // Sum of |y - centre| over the full rows: those above the centre count down, those below it count up.
    const std::int64_t above = std::min(rows, grid.y / 2);
    const std::int64_t half = (grid.y + 1) / 2;
    const std::int64_t below = std::max<std::int64_t>(0, rows - half);
    const double first_below = static_cast<double>(half) - centre;
    const double down =
        static_cast<double>(above) * centre - along(above) + static_cast<double>(below) * first_below + along(below);
    return across + static_cast<double>(grid.x) * down +
           static_cast<double>(rest) * std::abs(static_cast<double>(rows) - centre);
}

double hops_to_all(const Mesh& grid, std::int64_t count) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    const std::int64_t columns = std::min(count, grid.x);
    const std::int64_t rows = count / grid.x;
    const std::int64_t longer = rows == 0 ? 0 : count % grid.x;  // columns extending one row further
    const auto column = [&](std::int64_t high) {
        return std::max(0.0, centre) + std::max(0.0, static_cast<double>(high) - centre);
    };
    const std::int64_t high = std::max<std::int64_t>(rows - 1, 0);
    return static_cast<double>(columns - 1) + static_cast<double>(longer) * column(high + 1) +
           static_cast<double>(columns - longer) * column(high);
}

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
