// Elements of tensors one by one, for the walk over fused mappings. Internal to model/oracle.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::oracle {

using Element = std::array<std::int64_t, kMaxRanks>;
using Elements = std::set<Element>;
using Point = std::vector<std::int64_t>;
/// By dimension of an einsum: first and last point.
using Span = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Calls visit(point) for every point of the span.
template <typename Visit>
void each_point(const Span& span, Visit&& visit) {
    Point point;
    for (const auto& [first, last] : span) point.push_back(first);
    while (true) {
        visit(point);
        std::size_t d = span.size();
        while (d > 0 && point[d - 1] == span[d - 1].second) {
            point[d - 1] = span[d - 1].first;
            --d;
        }
        if (d == 0) return;
        ++point[d - 1];
    }
}

Element element_at(const Access& access, const Point& point);

/// All points of an einsum.
Span whole(const CascadeEinsum& einsum);

/// The first operand that it writes.
int result_operand(const CascadeEinsum& einsum);

/// Borders cut nothing off it.
bool exists(const Element& element, const CascadeTensor& tensor);

/// All elements of the bounding box.
Elements filled(const Elements& some);

Elements without(const Elements& some, const Elements& others);
Elements common(const Elements& some, const Elements& others);

/// The corner of the bounding box. Requires an element.
Element lowest(const Elements& some);

}  // namespace tilewright::oracle
