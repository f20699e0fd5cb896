#include "oracle/elements.hpp"

#include <algorithm>
#include <iterator>

namespace tilewright::oracle {

Element element_at(const Access& access, const Point& point) {
    Element element{};
    for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
        element.at(a) = access.coordinates[a].offset;
        for (const Term& term : access.coordinates[a].terms) element.at(a) += term.coefficient * point[term.dimension];
    }
    return element;
}

Span whole(const CascadeEinsum& einsum) {
    Span all;
    for (const Dimension& dimension : einsum.einsum.dimensions) all.emplace_back(0, dimension.extent - 1);
    return all;
}

int result_operand(const CascadeEinsum& einsum) {
    int operand = 0;
    while (!einsum.einsum.tensors[operand].written) ++operand;
    return operand;
}

bool exists(const Element& element, const CascadeTensor& tensor) {
    for (std::size_t a = 0; a < tensor.shape.size(); ++a)
        if (element.at(a) < 0 || element.at(a) >= tensor.shape[a]) return false;
    return true;
}

Elements filled(const Elements& some) {
    if (some.empty()) return {};
    Element low = *some.begin();
    Element high = low;
    for (const Element& one : some)
        for (std::size_t a = 0; a < one.size(); ++a) {
            low[a] = std::min(low[a], one[a]);
            high[a] = std::max(high[a], one[a]);
        }
    Span span;
    for (std::size_t a = 0; a < low.size(); ++a) span.emplace_back(low[a], high[a]);
    Elements all;
    each_point(span, [&](const Point& point) {
        Element element{};
        std::ranges::copy(point, element.begin());
        all.insert(element);
    });
    return all;
}

Elements without(const Elements& some, const Elements& others) {
    Elements rest;
    std::ranges::set_difference(some, others, std::inserter(rest, rest.end()));
    return rest;
}

Elements common(const Elements& some, const Elements& others) {
    Elements both;
    std::ranges::set_intersection(some, others, std::inserter(both, both.end()));
    return both;
}

Element lowest(const Elements& some) {
    Element low = *some.begin();
    for (const Element& one : some)
        for (std::size_t a = 0; a < one.size(); ++a) low[a] = std::min(low[a], one[a]);
    return low;
}

}  // namespace tilewright::oracle
