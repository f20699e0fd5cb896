// Energy of the links below one memory. Only machines whose wires cost something come here; it lists the neighbours.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/lean_setup.hpp"

namespace tilewright::lean {
namespace {

struct Place {
    double move = 0.0;  // of the tensor, as a key
    std::int64_t position = 0;
};

// The neighbours in row-major order of the spatial loops, outermost loop most significant.
std::vector<Place> places(const TensorForm& tensor, const PerfectPoint& point, const Nest& nest, int level) {
    std::vector<Place> all{{}};
    for (int k = point.dimension_count() - 1; k >= 0; --k) {
        const int d = point[level].spatial_order[k];
        const int extent = point[level].spatial[d];
        if (extent == 1) continue;
        const double step = tensor.key[d] * nest.tile[level + 1][d];
        std::vector<Place> inner;
        inner.reserve(all.size() * static_cast<std::size_t>(extent));
        for (const Place& outer : all)
            for (int i = 0; i < extent; ++i) inner.push_back({outer.move + i * step, outer.position * extent + i});
        all = std::move(inner);
    }
    return all;
}

void add(std::vector<Deliveries>& deliveries, std::int64_t copies, double hops) {
    auto at = std::lower_bound(deliveries.begin(), deliveries.end(), copies,
                               [](const Deliveries& d, std::int64_t c) { return d.copies < c; });
    if (at == deliveries.end() || at->copies != copies) at = deliveries.insert(at, Deliveries{copies, 0, 0.0, 0.0});
    ++at->groups;
    at->hops += hops;
}

Mesh grid_of(const Setup& setup, const PerfectPoint& point, int level) {
    Mesh mapped;
    for (int d = 0; d < point.dimension_count(); ++d)
        (point[level].runs_on_y(d) ? mapped.y : mapped.x) *= point[level].spatial[d];
    const Mesh& hardware = setup.levels[level].fanout;
    return {std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
}

// Groups by multicast factor, with the hops of one word to each group.
std::vector<Deliveries> patterns(const Setup& setup, const PerfectPoint& point, const Nest& nest, int level,
                                 int tensor) {
    std::vector<Place> all = places(setup.tensors[tensor], point, nest, level);
    std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) { return a.move < b.move; });
    const Mesh grid = grid_of(setup, point, level);
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    std::vector<std::int64_t> members;
    std::vector<Deliveries> deliveries;
    for (std::size_t i = 0; i < all.size(); ++i) {
        members.push_back(all[i].position);
        if (i + 1 < all.size() && all[i + 1].move == all[i].move) continue;
        add(deliveries, static_cast<std::int64_t>(members.size()), group_hops(members, grid, columns));
        members.clear();
    }
    return deliveries;
}

}  // namespace

double link_energy_pj(const Setup& setup, const PerfectPoint& point, const Nest& nest, int level, int tensor,
                      double words, double sent) {
    const LevelForm& form = setup.levels[level];
    const Memory& memory = setup.architecture.memories[level];
    const bool written = setup.tensors[tensor].written;
    std::vector<Deliveries> deliveries = patterns(setup, point, nest, level, tensor);
    std::int64_t groups = 0;
    for (const Deliveries& d : deliveries) groups += d.groups;
    for (Deliveries& d : deliveries) {
        d.words = words * static_cast<double>(d.groups) / static_cast<double>(groups);
        d.hops *= sent;
    }
    const auto energy_of = [&](const LinkRates& rates, LinkDirection direction) {
        std::optional<double> read_back_less;
        if (written && reads_back(memory, direction))
            read_back_less = distinct_words(setup, point, nest, level, tensor);
        return link_cost(rates, direction, deliveries, written, read_back_less, nest.used(level)).energy_pj;
    };
    if (!form.has_update_link) return energy_of(form.link, LinkDirection::both);
    const double operands_pj = energy_of(form.link, LinkDirection::operands);
    return written ? operands_pj + energy_of(form.update_link, LinkDirection::results) : operands_pj;
}

}  // namespace tilewright::lean
