#include "mapper/optimal/wires/hops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers/factors.hpp"

namespace tilewright::optimal {
namespace {

double price_of(const LinkRates& rates) { return rates.kind == NetworkKind::legacy ? rates.hop_pj : 0.0; }

}  // namespace

double pj_per_hop(const lean::Setup& setup, int tensor, int level) {
    const lean::LevelForm& form = setup.levels[level];
    double pj = price_of(form.link) * form.link_share[tensor];
    if (setup.tensors[tensor].written && form.has_update_link)
        pj += price_of(form.update_link) * form.update_link_share[tensor];
    return pj;
}

// Words enter in the middle of the first column; a word for several neighbours goes up and down their columns
// (group_hops, model/exact/costs.hpp).
Hops::Hops(const Mapspace& mapspace, const lean::Setup& setup, int level) : hop_pj_(setup.tensors.size(), 0.0) {
    const lean::LevelForm& form = setup.levels[level];
    const Mesh room = mapspace.room(level);
    constexpr std::int64_t kMost = 1 << 20;
    const bool is_known = room.x <= form.fanout.x && room.y <= form.fanout.y && room.size() <= kMost;
    if (form.link_is_free || !form.spreads || !is_known) return;
    for (std::size_t t = 0; t < hop_pj_.size(); ++t) hop_pj_[t] = pj_per_hop(setup, static_cast<int>(t), level);
    one_each_ = together_ = {0.0};
    nearest_ = {std::numeric_limits<double>::infinity()};
    const double centre = static_cast<double>(form.fanout.y - 1) / 2.0;
    for (std::int64_t place = 0; place < room.size(); ++place) {
        const auto x = static_cast<double>(place % form.fanout.x);
        const std::int64_t row = place / form.fanout.x;
        const auto y = static_cast<double>(row);
        const double alone = x + std::abs(y - centre);
        one_each_.push_back(one_each_.back() + alone);
        nearest_.push_back(std::min(nearest_.back(), alone));
        const double before = y > 0.0 ? std::max(0.0, y - 1.0 - centre) : 0.0;
        const double more = y > 0.0 ? std::max(0.0, y - centre) - before : centre + (place > 0 ? 1.0 : 0.0);
        together_.push_back(together_.back() + more);
    }
}

double Hops::mean_apart(std::span<const SpreadDimension> dimensions) const {
    std::vector<std::int64_t> chunks;
    return least_with(dimensions, chunks);
}

// The loops inside take any divisor of a dimension.
double Hops::least_with(std::span<const SpreadDimension> dimensions, std::vector<std::int64_t>& chunks) const {
    if (chunks.size() == dimensions.size()) return mean_with(dimensions, chunks);
    double least = std::numeric_limits<double>::infinity();
    const SpreadDimension& dimension = dimensions[chunks.size()];
    for (const std::int64_t count : divisors(dimension.extent)) {
        if (count < dimension.factor) continue;
        chunks.push_back(count);
        least = std::min(least, least_with(dimensions, chunks));
        chunks.pop_back();
    }
    return least;
}

// All combinations of full steps and the last one. Each chunk belongs to one neighbour in one step.
double Hops::mean_with(std::span<const SpreadDimension> dimensions, std::span<const std::int64_t> chunks) const {
    double hops = 0.0;
    for (std::size_t last = 0; last < std::size_t{1} << dimensions.size(); ++last) {
        double steps = 1.0;
        std::int64_t neighbours = 1;
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const bool is_last = (last >> i & 1U) != 0;
            const std::int64_t rest = chunks[i] % dimensions[i].factor;
            if (is_last && rest == 0) steps = 0.0;
            const std::int64_t full = chunks[i] / dimensions[i].factor;
            if (!is_last) steps *= static_cast<double>(full);
            neighbours *= is_last ? rest : dimensions[i].factor;
        }
        if (steps > 0.0) hops += steps * one_each_[neighbours];
    }
    for (const std::int64_t count : chunks) hops /= static_cast<double>(count);
    return hops;
}

}  // namespace tilewright::optimal
