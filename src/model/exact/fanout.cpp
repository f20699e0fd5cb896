#include "model/exact/fanout.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace tilewright
