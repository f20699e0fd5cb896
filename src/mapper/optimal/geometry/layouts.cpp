#include "mapper/optimal/geometry/layouts.hpp"

#include <algorithm>
#include <iterator>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {
namespace {

// More of one fan-out are not listed. One layout of a fan-out, with a word's wire energy by tensor.
struct Layout {
    TilingLevel level;
    std::vector<double> hop_pj;
};

bool is_no_longer(const Layout& a, const Layout& b) {
    for (std::size_t t = 0; t < a.hop_pj.size(); ++t)
        if (a.hop_pj[t] > b.hop_pj[t]) return false;
    return true;
}

// With tile-dependent ways, or routers (whole hops of the average word), layouts have no certain order.
bool are_comparable(const Charges& charges, int level) {
    const lean::LevelForm& form = charges.setup().levels[level];
    if (form.link.router_pj != 0.0 || (form.has_update_link && form.update_link.router_pj != 0.0)) return false;
    for (int t = 0; t < charges.tensor_count(); ++t)
        if (charges.is_dynamic(t, level)) return false;
    return true;
}

std::vector<Layout> layouts_of(const Mapspace& mapspace, const lean::Setup& setup, TilingPoint point, int level,
                               lean::LinkCache& links, Effort& effort) {
    std::vector<Layout> layouts;
    mapspace.visit_layouts(point, level, Mapspace::Cover::as_it_is, [&] {
        const Charges charges(setup, point, &links);
        Layout layout{point[level], {}};
        for (int t = 0; t < charges.tensor_count(); ++t)
            layout.hop_pj.push_back(charges.hop_pj(t, level, charges.inner(level + 1)));
        if (are_comparable(charges, level)) {
            const auto better = [&](const Layout& other) { return is_no_longer(other, layout); };
            if (std::ranges::any_of(layouts, better)) return effort.spend(kLayoutSteps + std::ssize(layouts));
            std::erase_if(layouts, [&](const Layout& other) { return is_no_longer(layout, other); });
        }
        layouts.push_back(std::move(layout));
        return effort.spend(kLayoutSteps + std::ssize(layouts));
    });
    return layouts;
}

}  // namespace

Layouts layouts_to_follow(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& spatial,
                          lean::LinkCache& links, Effort& effort) {
    Layouts found{{spatial}, true};
    for (int l = 0; l < spatial.level_count() && !effort.is_over(); ++l) {
        if (!mapspace.has_layouts(l)) continue;
        if (mapspace.orders_at_most(spatial, l) > kMostOrders) {
            found.all = false;
            continue;
        }
        const std::vector<Layout> layouts = layouts_of(mapspace, setup, spatial, l, links, effort);
        std::vector<TilingPoint> combined;
        for (const TilingPoint& point : found.points)
            for (const Layout& layout : layouts) {
                if (!combined.empty() && !effort.spend()) break;
                combined.push_back(point);
                combined.back()[l] = layout.level;
            }
        found.points = std::move(combined);
    }
    found.all = found.all && !effort.is_over();
    return found;
}

}  // namespace tilewright::optimal
