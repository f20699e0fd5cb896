#include "mapper/optimal/families.hpp"

#include <algorithm>
#include <map>

#include "mapper/optimal/layouts.hpp"
#include "mapper/optimal/perfect/charges.hpp"

namespace tilewright::optimal {
namespace {

// The innermost fan-out that nothing is stored between: level l itself, or a memory inside that stores nothing.
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

PerfectPoint combined_of(const PerfectPoint& point, const std::vector<int>& innermost) {
    PerfectPoint combined = point;
    for (int l = 0; l < point.level_count(); ++l) {
        const int to = innermost[static_cast<std::size_t>(l)];
        if (to == l) continue;
        for (int d = 0; d < point.dimension_count(); ++d) {
            PerfectLevel& level = combined[to];
            level.spread(d, level.spatial[d] * point[l].spatial[d], 1);
            combined[l].spread(d, 1, 1);
        }
    }
    return combined;
}

// Hops are paid for one by one, and no loop stands between fan-outs without memory: words sent over one of them are
// sent over all.
bool hops_add_up(const Mapspace& mapspace, const lean::Setup& setup) {
    const auto by_hop = [](const LinkRates& link) {
        return link.kind == NetworkKind::legacy && link.router_pj == 0.0 && link.adder_pj == 0.0;
    };
    for (int l = 0; l < mapspace.level_count(); ++l) {
        const lean::LevelForm& form = setup.levels[static_cast<std::size_t>(l)];
        if (!form.link_is_free && (!by_hop(form.link) || (form.has_update_link && !by_hop(form.update_link))))
            return false;
        for (int d = 0; d < mapspace.dimension_count() && !form.stores; ++d)
            if (mapspace.temporal_bounds(l, d).at_most > 1) return false;
    }
    return true;
}

/// What a member costs more than another one of its family.
struct Price {
    std::vector<double> pj;  ///< on wires, by tensor and word, and leakage
    /// Of tensors whose tiles overlap or have gaps: how each fan-out shares out what moves them. Only where that is the
    /// same are prices compared.
    std::vector<double> ways;

    bool is_no_dearer_than(const Price& other) const {
        if (ways != other.ways) return false;
        for (std::size_t i = 0; i < pj.size(); ++i)
            if (pj[i] > other.pj[i]) return false;
        return true;
    }
};

// Without overlaps and gaps, a fan-out is sent as many words for each neighbour that differs in what moves the tensor.
// Compute units ask for theirs operation by operation, also for what is not sent again to the fan-out around them.
void add_plain_price(const Charges& charges, const std::vector<int>& innermost, int tensor, Price& price) {
    const std::uint32_t relevant = charges.setup().tensors[static_cast<std::size_t>(tensor)].relevant;
    double word_pj = 0.0;
    for (int l = 0; l < charges.level_count(); ++l) {
        const int last = innermost[static_cast<std::size_t>(l)];
        double ways = 1.0;
        for (int d = 0; d < charges.dimension_count(); ++d)
            if ((relevant >> d & 1U) != 0) ways *= charges.inner(l + 1)[d] / charges.inner(last + 1)[d];
        if (l + 1 == charges.level_count()) {
            price.pj.push_back(word_pj);
            word_pj = 0.0;
        }
        word_pj += charges.hop_pj(tensor, l, charges.inner(l + 1)) * ways;
        if (l != last) continue;
        price.pj.push_back(word_pj);
        word_pj = 0.0;
    }
}

void add_window_price(const Charges& charges, int tensor, double number, Price& price) {
    const std::uint32_t relevant = charges.setup().tensors[static_cast<std::size_t>(tensor)].relevant;
    for (int l = 0; l < charges.level_count(); ++l) {
        const bool varies = charges.is_dynamic(tensor, l);  // with the tile: like no other
        price.ways.push_back(varies ? number : -1.0);
        for (int d = 0; d < charges.dimension_count(); ++d)
            if ((relevant >> d & 1U) != 0) price.ways.push_back(charges.inner(l)[d] / charges.inner(l + 1)[d]);
        price.pj.push_back(varies ? 0.0 : charges.hop_pj(tensor, l, charges.inner(l + 1)));
    }
}

Price price_of(const Charges& charges, const std::vector<int>& innermost, double number) {
    Price price;
    for (int t = 0; t < charges.tensor_count(); ++t) {
        const lean::TensorForm& form = charges.setup().tensors[static_cast<std::size_t>(t)];
        if (form.plain && form.gapless) {
            add_plain_price(charges, innermost, t, price);
        } else {
            add_window_price(charges, t, number, price);
        }
    }
    price.pj.push_back(charges.leak_pj_per_cycle());
    return price;
}

void keep_cheapest(const lean::Setup& setup, std::vector<PerfectPoint>& points) {
    const std::vector<int> innermost = innermost_of(setup);
    std::vector<std::pair<Price, PerfectPoint>> best;
    double number = 0.0;
    for (const PerfectPoint& point : points) {
        Price price = price_of(Charges(setup, point), innermost, number++);
        if (std::ranges::any_of(best, [&](const auto& other) { return other.first.is_no_dearer_than(price); }))
            continue;
        std::erase_if(best, [&](const auto& other) { return price.is_no_dearer_than(other.first); });
        best.emplace_back(std::move(price), point);
    }
    points.clear();
    for (const auto& [price, point] : best) points.push_back(point);
}

}  // namespace

std::vector<Family> families_of(const Mapspace& mapspace, const lean::Setup& setup, const std::function<bool()>& stop,
                                bool& all) {
    const std::vector<int> innermost = innermost_of(setup);
    std::vector<Family> families;
    std::map<std::vector<std::int32_t>, std::size_t> numbers;
    all = mapspace.enumerate_spatial([&](const PerfectPoint& point) {
        const PerfectPoint combined = combined_of(point, innermost);
        std::vector<std::int32_t> key;
        for (int l = 0; l < point.level_count(); ++l)
            if (innermost[static_cast<std::size_t>(l)] == l)
                key.insert(key.end(), combined[l].spatial.begin(),
                           combined[l].spatial.begin() + point.dimension_count());
        const auto [at, is_new] = numbers.try_emplace(std::move(key), families.size());
        if (is_new) families.push_back({Assignment(combined), {}});
        families[at->second].members.emplace_back(point);
        return !stop();
    });
    return families;
}

Spread spread_of(const Mapspace& mapspace, const lean::Setup& setup, const Family& family, bool even) {
    Spread spread;
    for (const Assignment& member : family.members) {
        Layouts layouts = layouts_to_follow(mapspace, setup, member.point(mapspace));
        spread.points.insert(spread.points.end(), layouts.points.begin(), layouts.points.end());
        spread.all = spread.all && layouts.all;
    }
    if (even && spread.points.size() > 1 && hops_add_up(mapspace, setup)) keep_cheapest(setup, spread.points);
    return spread;
}

}  // namespace tilewright::optimal
