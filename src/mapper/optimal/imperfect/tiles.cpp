#include "mapper/optimal/imperfect/tiles.hpp"

#include <algorithm>
#include <set>

#include "base/numbers/factors.hpp"

namespace tilewright::optimal {
namespace {

bool bounds_loops(const ChainSlot& slot, std::int64_t extent) { return slot.at_least > 1 || slot.at_most < extent; }

}  // namespace

ImperfectTiles::ImperfectTiles(std::int64_t extent, const std::vector<Level>& levels) {
    find_products(extent, levels);
    levels_.resize(levels.size());
    for (std::size_t l = 0; l < levels.size(); ++l) {
        Reach& reach = levels_[l];
        reach.bounded = bounds_loops(levels[l].temporal, extent);
        reach.across.assign(products_.size(), -1);
        reach.steps.resize(products_.size());
        set_steps(levels[l], reach);
        set_least(l == 0 ? nullptr : &levels_[l - 1], levels[l], reach);
        for (int tile = 0; tile < size(); ++tile) {
            if (!levels[l].may_spread(static_cast<std::int64_t>(chunks(tile)))) continue;
            const int to = index_of(static_cast<std::int64_t>(product(tile)) * levels[l].spread);
            if (to >= 0 && reach.least_from[at(to)] < kNever) reach.across[at(tile)] = to;
        }
    }
}

// From the inside out.
void ImperfectTiles::find_products(std::int64_t extent, const std::vector<Level>& levels) {
    std::set<std::int64_t> all{1};
    std::set<std::int64_t> here{1};
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        std::set<std::int64_t> next;
        for (const std::int64_t product : here) {
            if (!level->may_spread(ceil_div(extent, product))) continue;
            const std::int64_t spread = product * level->spread;
            for (const std::int64_t factor : divisors(ceil_div(extent, spread)))
                if (factor == 1 || factor <= level->temporal.at_most) next.insert(spread * factor);
        }
        all.insert(next.begin(), next.end());
        for (const std::int64_t product : here)
            if (level->may_spread(ceil_div(extent, product))) all.insert(product * level->spread);
        here = std::move(next);
    }
    for (const std::int64_t product : all) {
        products_.push_back(static_cast<double>(product));
        chunks_.push_back(static_cast<double>(ceil_div(extent, product)));
    }
}

int ImperfectTiles::index_of(std::int64_t product) const {
    const auto found = std::lower_bound(products_.begin(), products_.end(), static_cast<double>(product));
    if (found == products_.end() || *found != static_cast<double>(product)) return -1;
    return static_cast<int>(found - products_.begin());
}

void ImperfectTiles::set_steps(const Level& level, Reach& reach) const {
    for (int tile = 0; tile < size(); ++tile) {
        const auto left = static_cast<std::int64_t>(chunks(tile));
        const auto add = [&](std::int64_t factor) {
            const int to = index_of(static_cast<std::int64_t>(product(tile)) * factor);
            if (to >= 0) reach.steps[at(tile)].push_back({static_cast<std::int32_t>(factor), to});
        };
        if (!reach.bounded) {
            for (const PrimePower& power : prime_factors(left)) add(power.prime);
        } else {
            for (const std::int64_t factor : divisors(left))
                if (factor > 1 && level.temporal.allows(factor, left)) add(factor);
        }
    }
}

// Tiles grow outwards: the largest first.
void ImperfectTiles::set_least(const Reach* outside, const Level& level, Reach& reach) const {
    reach.least_after.assign(products_.size(), kNever);
    for (int tile = 0; tile < size(); ++tile) {
        if (outside == nullptr) {
            if (chunks(tile) == 1.0) reach.least_after[at(tile)] = 1.0;
        } else if (const int to = outside->across[at(tile)]; to >= 0) {
            reach.least_after[at(tile)] = outside->least_from[at(to)];
        }
    }
    reach.least_from = reach.least_after;
    if (level.temporal.at_least > 1) std::fill(reach.least_from.begin(), reach.least_from.end(), kNever);
    for (int tile = size() - 1; tile >= 0; --tile)
        for (const Step& step : reach.steps[at(tile)]) {
            // A bounded loop is placed once; others continue from their tile.
            const double after = reach.bounded ? reach.least_after[at(step.to)] : reach.least_from[at(step.to)];
            reach.least_from[at(tile)] = std::min(reach.least_from[at(tile)], step.factor * after);
        }
}

}  // namespace tilewright::optimal
