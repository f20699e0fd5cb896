#include "model/sparse/needs.hpp"

#include <algorithm>

namespace tilewright::sparse {

Needs::Needs(const Nest& nest) : nest_(&nest), by_tensor_(nest.einsum->tensors.size()) {}

void Needs::add(int tensor, LoopSet set) {
    set &= loops_moving(*nest_, tensor);
    std::optional<LoopSet>& known = by_tensor_[tensor];
    if (known && (*known & set) != *known && (*known & set) != set)
        throw Uncounted("two conditions on '" + nest_->einsum->tensors[tensor].name +
                        "' look at parts of it that lie across each other");
    known = known ? *known & set : set;
}

void Needs::add(const Needs& other) {
    for (std::size_t t = 0; t < by_tensor_.size(); ++t)
        if (other.by_tensor_[t]) add(static_cast<int>(t), *other.by_tensor_[t]);
}

bool Needs::empty() const {
    return std::none_of(by_tensor_.begin(), by_tensor_.end(), [](const auto& need) { return need.has_value(); });
}

double Needs::share(Chances& chances, Pinned pinned) const {
    std::vector<Table> tables;
    for (std::size_t t = 0; t < by_tensor_.size(); ++t)
        if (by_tensor_[t]) tables.push_back(chances.not_empty(static_cast<int>(t), *by_tensor_[t]));
    return mean_of_product(*nest_, tables, pinned);
}

Needs operator+(Needs a, const Needs& b) {
    a.add(b);
    return a;
}

}  // namespace tilewright::sparse
