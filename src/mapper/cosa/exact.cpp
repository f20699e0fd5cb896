#include "mapper/cosa/exact.hpp"

#include <algorithm>

namespace tilewright::cosa {
namespace {

using mip::Expression;

constexpr double kInsideWeight = 0.1;

/// One step of a tensor's way inwards.
struct Step {
    int tensor = 0;
    int from = 0;
    int to = 0;  ///< memory, or memory_count() for the compute units
    double weight = 1.0;
};

std::vector<Step> steps_of(const Layout& layout) {
    std::vector<Step> steps;
    const int count = layout.architecture().memory_count();
    for (int t = 0; t < layout.einsum().tensor_count(); ++t) {
        int from = -1;
        for (int m = 0; m <= count; ++m) {
            if (m < count && !layout.keep(m).has(t)) continue;
            if (from >= 0) steps.push_back({t, from, m, from <= layout.hub() ? 1.0 : kInsideWeight});
            from = m;
        }
    }
    return steps;
}

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

Expression log_at(const Encoding& encoding, int tensor, bool relevant, int place) {
    Expression sum;
    for (int d = 0; d < encoding.layout().einsum().dimension_count(); ++d)
        if (encoding.layout().relevant(d, tensor) == relevant)
            sum += encoding.log_of(d, [place](int p) { return p == place; });
    return sum;
}

}  // namespace

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders) {
    std::vector<OrderedPlace> ordered;
    const std::vector<Step> steps = steps_of(layout);
    for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
        const Place& place = layout.places()[p];
        if (place.is_spatial() || layout.keep(place.memory).empty()) continue;
        if (orders == Orders::hub && place.memory != layout.hub()) continue;
        OrderedPlace here{p, std::vector<double>(layout.einsum().tensors.size(), 0.0), relevances(layout)};
        for (const Step& step : steps)
            if (step.from <= place.memory && place.memory < step.to) here.weights[step.tensor] = step.weight;
        ordered.push_back(std::move(here));
    }
    return ordered;
}

Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered) {
    const Layout& layout = encoding.layout();
    Terms terms;
    terms.compute = encoding.log_of(-1, [&](int p) { return !layout.places()[p].is_spatial(); });
    for (std::size_t i = 0; i < ordered.size(); ++i) terms.traffic += encoding.iterations(static_cast<int>(i));
    for (const Step& step : steps_of(layout))
        for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
            const Place& place = layout.places()[p];
            const bool outside = place.memory < step.to && !place.is_spatial();
            const bool counted = outside && place.memory >= step.from && is_ordered(ordered, p);
            if (!counted) terms.traffic.add(step.weight, log_at(encoding, step.tensor, true, p));
            if (outside && !counted) terms.traffic.add(step.weight, log_at(encoding, step.tensor, false, p));
        }
    return terms;
}

}  // namespace tilewright::cosa
