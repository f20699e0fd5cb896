#include "mapper/cosa/exact.hpp"

#include <algorithm>

#include "mapper/cosa/encoding/stationarity.hpp"

namespace tilewright::cosa {
namespace {

using mip::Expression;

std::vector<std::uint32_t> relevances(const Layout& layout) {
    std::vector<std::uint32_t> result;
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        result.push_back(0);
        for (int t = 0; t < layout.einsum().tensor_count(); ++t)
            if (layout.relevant(d, t)) result.back() |= 1U << t;
    }
    return result;
}

bool is_ordered(const std::vector<OrderedPlace>& ordered, int place) {
    return std::any_of(ordered.begin(), ordered.end(), [place](const OrderedPlace& o) { return o.place == place; });
}

// Sum of log2 of the relevant factors at a place.
Expression moving(const Encoding& encoding, int tensor, int place) {
    Expression sum;
    for (int d = 0; d < encoding.layout().einsum().dimension_count(); ++d)
        if (encoding.layout().relevant(d, tensor)) sum += encoding.log_of(d, [place](int p) { return p == place; });
    return sum;
}

double iteration_weight(const Layout& layout, const LoopSlot& place, const TrafficWeights& weights) {
    return place.memory < layout.hub() ? weights.outside : 1.0;
}

// Of the iterations at an ordered place, by tensor.
std::vector<double> tensor_weights(const Layout& layout, const LoopSlot& place, const TrafficWeights& weights) {
    std::vector<double> result;
    for (int t = 0; t < layout.einsum().tensor_count(); ++t) {
        const bool passes_by = place.memory == layout.hub() && !layout.keep(place.memory).has(t);
        result.push_back(passes_by && !weights.bypassing ? 0.0 : iteration_weight(layout, place, weights));
    }
    return result;
}

double log_at(const Layout& layout, int dimension, int place, const Placement& placement) {
    double log2 = 0.0;
    for (std::size_t g = 0; g < placement.size(); ++g)
        if (layout.groups()[g].dimension == dimension) log2 += layout.groups()[g].log2 * placement[g][place];
    return log2;
}

}  // namespace

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders, const TrafficWeights& weights) {
    std::vector<OrderedPlace> ordered;
    for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
        const LoopSlot& place = layout.places()[p];
        if (place.is_spatial() || place.memory > layout.hub() || layout.keep(place.memory).empty()) continue;
        if (orders == Orders::hub && place.memory != layout.hub()) continue;
        ordered.push_back({p, tensor_weights(layout, place, weights), relevances(layout)});
    }
    return ordered;
}

Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered, const TrafficWeights& weights) {
    const Layout& layout = encoding.layout();
    const int hub_level = layout.level_of(layout.hub());
    Terms terms;
    terms.compute = encoding.log_of(-1, [&](int p) { return !layout.places()[p].is_spatial(); });
    for (std::size_t i = 0; i < ordered.size(); ++i) terms.traffic += encoding.iterations(static_cast<int>(i));
    for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
        const LoopSlot& place = layout.places()[p];
        const int level = layout.level_of(place.memory);
        if (level < hub_level || place.is_spatial()) {
            const double weight = level < hub_level ? weights.innermost + weights.step * level : 1.0;
            for (int t = 0; t < layout.einsum().tensor_count(); ++t) terms.traffic.add(weight, moving(encoding, t, p));
        } else if (!is_ordered(ordered, p)) {
            terms.traffic.add(iteration_weight(layout, place, weights) * layout.einsum().tensor_count(),
                              encoding.log_of(-1, [p](int other) { return other == p; }));
        }
    }
    return terms;
}

std::vector<int> best_order(const Layout& layout, int place, const Placement& placement) {
    const std::vector<double> weights(layout.einsum().tensors.size(), 1.0);
    const std::vector<std::uint32_t> moved = relevances(layout);
    std::vector<int> dimensions;
    std::vector<std::uint32_t> here;
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        dimensions.push_back(d);
        if (log_at(layout, d, place, placement) > 0.0) here.push_back(moved[d]);
    }
    Chain best;
    double most = 0.0;
    for (const Chain& chain : stationarity_chains(here)) {
        double spared = 0.0;
        for (const int d : dimensions)
            spared += log_at(layout, d, place, placement) * weight_of(resting(chain, moved[d]), weights);
        if (spared <= most) continue;
        most = spared;
        best = chain;
    }
    sort_by_phase(dimensions, best, moved);
    return dimensions;
}

}  // namespace tilewright::cosa
