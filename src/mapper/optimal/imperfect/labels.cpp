#include "mapper/optimal/imperfect/labels.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/engine/reconstruction.hpp"

namespace tilewright::optimal {

std::vector<Nesting> ImperfectLabels::run(const Pruning& pruning) {
    delivery_.prune_by(pruning);
    walk_.run();
    std::vector<Nesting> all;
    if (stopped() || overflowed()) return all;
    for (const auto& [key, node] : walk_.last().nodes) {
        const bool whole = std::all_of(node.at.chunks.begin(), node.at.chunks.begin() + charges_.dimension_count(),
                                       [](double chunks) { return chunks == 1.0; });
        if (!whole) continue;
        for (const ImperfectDelivery::Entry& entry : node.entries) {
            const Label& label = label_of(entry);
            all.push_back(nesting(label, delivery_.cycles_of(label, node)));
        }
    }
    std::sort(all.begin(), all.end(), [](const Nesting& a, const Nesting& b) {
        return a.energy_pj != b.energy_pj ? a.energy_pj < b.energy_pj : a.cycles < b.cycles;
    });
    return all;
}

std::optional<ImperfectLabels::Price> ImperfectLabels::price(const TilingPoint& point) {
    Least at_least;
    Pruning note;
    note.pruned = [&at_least](double energy_pj, double cycles) {
        at_least = {std::max(at_least.energy_pj, energy_pj), std::max(at_least.cycles, cycles)};
        return false;
    };
    note.limit_pj = [](double) { return std::numeric_limits<double>::infinity(); };
    delivery_.prune_by(note);
    if (!walk_.run(point)) return std::nullopt;
    const auto node = walk_.last().only();
    if (!node) return std::nullopt;
    const Label& label = label_of((*node)->entries.front());
    return Price{label.energy, delivery_.cycles_at(label, **node), at_least};
}

Nesting ImperfectLabels::nesting(const Label& label, double cycles) const {
    NestBuilder nest(mapspace_, charges_.assignment());
    for (const Label* step : history(delivery_.labels(), label))
        if (step->factor > 1) nest.add_loop(step->level, step->dimension, step->factor);
    Nesting nesting{nest.point(), {}, label.energy.lo, cycles};
    for (int l = 0; l < charges_.level_count(); ++l) mapspace_.settle_order(nesting.point, l);
    return nesting;
}

}  // namespace tilewright::optimal
