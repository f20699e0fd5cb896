#include "mapper/optimal/geometry/families.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {
namespace {

// The innermost fan-out without a store between: level l itself, or a memory inside keeping nothing.
std::vector<int> innermost_of(const lean::Setup& setup) {
    const int levels = static_cast<int>(setup.levels.size());
    std::vector<int> innermost(setup.levels.size());
    for (int l = levels - 1; l >= 0; --l) {
        const auto at = static_cast<std::size_t>(l);
        const bool stores_next = l + 1 == levels || setup.levels[at + 1].stores;
        innermost[at] = stores_next ? l : innermost[at + 1];
    }
    return innermost;
}

// Hops are paid singly, with no loop between fan-outs without memory: words sent over one are sent over all.
bool hops_add_up(const Mapspace& mapspace, const lean::Setup& setup) {
    const auto by_hop = [](const LinkRates& link) {
        return link.kind == NetworkKind::legacy && link.router_pj == 0.0 && link.adder_pj == 0.0;
    };
    for (int l = 0; l < mapspace.level_count(); ++l) {
        const lean::LevelForm& form = setup.levels[l];
        if (!form.link_is_free && (!by_hop(form.link) || (form.has_update_link && !by_hop(form.update_link))))
            return false;
        for (int d = 0; d < mapspace.dimension_count() && !form.stores; ++d)
            if (mapspace.temporal_bounds(l, d).at_most > 1) return false;
    }
    return true;
}

/// Prices of a member relative to its family.
struct Price {
    std::vector<double> pj;  ///< of wires, by tensor and word, and leakage
    /// Tensors with overlaps or gaps: relevant spatial factors by fan-out. Prices compare only if they are equal.
    std::vector<double> ways;

    bool is_no_dearer_than(const Price& other) const {
        if (ways != other.ways) return false;
        for (std::size_t i = 0; i < pj.size(); ++i)
            if (pj[i] > other.pj[i]) return false;
        return true;
    }
};

// Without overlaps and gaps every neighbour with different relevant indices gets the same number of words.
void add_plain_price(const Charges& charges, const std::vector<int>& innermost, int tensor, Price& price) {
    const std::uint32_t relevant = charges.setup().tensors[tensor].relevant;
    double word_pj = 0.0;
    for (int l = 0; l < charges.level_count(); ++l) {
        const int last = innermost[l];
        double ways = 1.0;
        for (int d = 0; d < charges.dimension_count(); ++d)
            if ((relevant >> d & 1U) != 0) ways *= charges.inner(l + 1)[d] / charges.inner(last + 1)[d];
        double passed = ways;  // by requesters with different words
        for (int d = 0; d < charges.dimension_count(); ++d)
            if ((relevant >> d & 1U) != 0) passed *= charges.inner(l)[d] / charges.inner(l + 1)[d];
        word_pj += charges.hop_pj(tensor, l, charges.inner(l + 1)) * ways + charges.passage_pj(tensor, l) * passed;
        if (l != last) continue;
        price.pj.push_back(word_pj);
        word_pj = 0.0;
    }
}

void add_window_price(const Charges& charges, int tensor, double number, Price& price) {
    const std::uint32_t relevant = charges.setup().tensors[tensor].relevant;
    for (int l = 0; l < charges.level_count(); ++l) {
        const bool varies = charges.is_dynamic(tensor, l);  // tile-dependent: compares with no other
        price.ways.push_back(varies ? number : -1.0);
        for (int d = 0; d < charges.dimension_count(); ++d)
            if ((relevant >> d & 1U) != 0) price.ways.push_back(charges.inner(l)[d] / charges.inner(l + 1)[d]);
        price.pj.push_back(varies ? 0.0 : charges.hop_pj(tensor, l, charges.inner(l + 1)));
        price.pj.push_back(varies ? 0.0 : charges.passage_pj(tensor, l));
    }
}

Price price_of(const Charges& charges, const std::vector<int>& innermost, double number) {
    Price price;
    for (int t = 0; t < charges.tensor_count(); ++t) {
        const lean::TensorForm& form = charges.setup().tensors[t];
        if (form.plain && form.gapless) {
            add_plain_price(charges, innermost, t, price);
        } else {
            add_window_price(charges, t, number, price);
        }
    }
    price.pj.push_back(charges.leak_pj_per_cycle());
    return price;
}

// Members with different sharing are never compared: each of 10^5 layouts meets its likes alone.
void keep_cheapest(const lean::Setup& setup, std::vector<TilingPoint>& points, lean::LinkCache& links, Effort& effort) {
    const std::vector<int> innermost = innermost_of(setup);
    std::map<std::vector<double>, std::vector<std::pair<Price, std::size_t>>> best;  // with their places in `points`
    double number = 0.0;
    for (std::size_t i = 0; i < points.size() && !effort.is_over(); ++i) {
        Price price = price_of(Charges(setup, points[i], &links), innermost, number++);
        auto& alike = best[price.ways];
        effort.spend(kLayoutSteps + std::ssize(alike));
        if (std::ranges::any_of(alike, [&](const auto& other) { return other.first.is_no_dearer_than(price); }))
            continue;
        std::erase_if(alike, [&](const auto& other) { return price.is_no_dearer_than(other.first); });
        alike.emplace_back(std::move(price), i);
    }
    std::vector<std::size_t> kept;
    for (const auto& [ways, alike] : best)
        for (const auto& [price, place] : alike) kept.push_back(place);
    std::ranges::sort(kept);
    std::vector<TilingPoint> cheapest;
    for (const std::size_t place : kept) cheapest.push_back(points[place]);
    points = std::move(cheapest);
}

}  // namespace

Families::Families(const Mapspace& mapspace, const lean::Setup& setup, const std::function<bool()>& stop)
    : mapspace_(&mapspace) {
    look_at_fan_outs(setup);
    for (int d = 0; d < mapspace.dimension_count(); ++d) look_at_dimension(d);
    std::vector<std::uint32_t> ways(dimensions_.size());
    all_ = list(0, rooms_, ways, stop);
}

void Families::look_at_fan_outs(const lean::Setup& setup) {
    const std::vector<int> innermost = innermost_of(setup);
    for (const Slot& slot : mapspace_->slots()) {
        if (!slot.spatial) continue;
        const int level = innermost[slot.level];
        const auto found = std::ranges::find(innermost_, level);
        run_of_.push_back(static_cast<int>(found - innermost_.begin()));
        if (found == innermost_.end()) {
            innermost_.push_back(level);
            rooms_.push_back(1);
        }
        rooms_[run_of_.back()] *= mapspace_->room(slot.level).size();
    }
}

void Families::look_at_dimension(int dimension) {
    std::map<Factors, std::vector<Factors>> by_products;
    for (Factors& factors : mapspace_->spatial_factors(dimension)) {
        Factors products(innermost_.size(), 1);
        for (std::size_t slot = 0; slot < factors.size(); ++slot) products[run_of_[slot]] *= factors[slot];
        by_products[std::move(products)].push_back(std::move(factors));
    }
    std::vector<Way>& ways = dimensions_.emplace_back();
    for (auto& [products, all] : by_products) ways.push_back({products, std::move(all)});
}

bool Families::list(int dimension, const std::vector<std::int64_t>& room, std::vector<std::uint32_t>& ways,
                    const std::function<bool()>& stop) {
    if (dimension == mapspace_->dimension_count()) {
        ways_.insert(ways_.end(), ways.begin(), ways.end());
        if (!mapspace_->parallel_enough(combined(count() - 1))) ways_.resize(ways_.size() - ways.size());
        return !stop();
    }
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t number = 0; number < dimensions_[d].size(); ++number) {
        std::vector<std::int64_t> left = room;
        bool fits = true;
        for (std::size_t run = 0; run < left.size(); ++run) {
            left[run] /= dimensions_[d][number].products[run];
            fits = fits && left[run] > 0;
        }
        ways[d] = static_cast<std::uint32_t>(number);
        if (fits && !list(dimension + 1, left, ways, stop)) return false;
    }
    return true;
}

TilingPoint Families::combined(std::size_t family) const {
    TilingPoint point = mapspace_->first_point();
    for (int d = 0; d < mapspace_->dimension_count(); ++d)
        for (std::size_t run = 0; run < innermost_.size(); ++run)
            point[innermost_[run]].spread(d, way(family, d).products[run], 1);
    return point;
}

std::vector<TilingPoint> Families::members(std::size_t family) const {
    std::vector<TilingPoint> members;
    Effort all(std::numeric_limits<std::int64_t>::max(), [] { return false; });
    visit_members(family, all, [&](const TilingPoint& member) {
        members.push_back(member);
        return true;
    });
    return members;
}

bool Families::has_more_than(std::size_t number, std::size_t family) const {
    std::size_t found = 0;
    Effort all(std::numeric_limits<std::int64_t>::max(), [] { return false; });
    return !visit_members(family, all, [&](const TilingPoint&) { return ++found <= number; });
}

bool Families::visit_members(std::size_t family, Effort& effort, const Visit& visit) const {
    TilingPoint point = mapspace_->first_point();
    return visit_members(family, 0, point, effort, visit);
}

bool Families::visit_members(std::size_t family, int dimension, TilingPoint& point, Effort& effort,
                             const Visit& visit) const {
    const std::vector<Slot>& slots = mapspace_->slots();
    if (!effort.spend()) return false;
    if (dimension == mapspace_->dimension_count()) {
        for (std::size_t slot = 0; slot < run_of_.size(); ++slot)
            if (!mapspace_->lay_out(point, slots[slot].level)) return true;
        return visit(point);
    }
    for (const Factors& factors : way(family, dimension).all) {
        bool fits = true;
        for (std::size_t slot = 0; slot < factors.size(); ++slot) {
            TilingLevel& level = point[slots[slot].level];
            level.spatial[dimension] = factors[slot];
            std::int64_t used = 1;
            for (int d = 0; d <= dimension; ++d) used *= level.spatial[d];
            fits = fits && used <= mapspace_->room(slots[slot].level).size();
        }
        if (fits && !visit_members(family, dimension + 1, point, effort, visit)) return false;
    }
    return true;
}

Spread spread_of(const Mapspace& mapspace, const lean::Setup& setup, const Families& families, std::size_t family,
                 bool even, lean::LinkCache& links, Effort& effort) {
    Spread spread;
    families.visit_members(family, effort, [&](const TilingPoint& member) {
        Layouts layouts = layouts_to_follow(mapspace, setup, member, links, effort);
        spread.points.insert(spread.points.end(), layouts.points.begin(), layouts.points.end());
        spread.all = spread.all && layouts.all;
        return true;
    });
    if (even && spread.points.size() > 1 && hops_add_up(mapspace, setup))
        keep_cheapest(setup, spread.points, links, effort);
    spread.all = spread.all && !effort.is_over();
    return spread;
}

}  // namespace tilewright::optimal
