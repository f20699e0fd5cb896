// Parts of a layer put into another order. Internal to same_layer.cpp and its like.
#pragma once

#include <utility>
#include <vector>

#include "base/numbers/random.hpp"
#include "workload/einsum.hpp"

namespace tilewright::property {

/// Where each of so many goes.
inline std::vector<int> random_order(Random& random, std::size_t count) {
    std::vector<int> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t j = random.below(i + 1);
        order[i] = order[j];
        order[j] = static_cast<int>(i);
    }
    return order;
}

/// Element i goes to order[i].
template <class Value>
void reorder(std::vector<Value>& values, const std::vector<int>& order) {
    if (values.empty()) return;
    std::vector<Value> moved(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) moved[order[i]] = std::move(values[i]);
    values = std::move(moved);
}

inline TensorSet reordered(TensorSet set, const std::vector<int>& order) {
    TensorSet moved;
    for (std::size_t t = 0; t < order.size(); ++t)
        if (set.has(static_cast<int>(t))) moved.add(order[t]);
    return moved;
}

template <class Value>
const Value& any_of(Random& random, const std::vector<Value>& values) {
    return values[random.below(values.size())];
}

}  // namespace tilewright::property
