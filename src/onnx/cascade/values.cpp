#include "onnx/cascade/values.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/printable.hpp"
#include "onnx/graph/messages.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright::onnx {
namespace {

// Composition: `outer` over axes given by `inner`.
Coordinate composed(const Coordinate& outer, const std::vector<Coordinate>& inner) {
    Coordinate result{{}, outer.offset};
    for (const Term& term : outer.terms) {
        const Coordinate& one = inner[term.dimension];
        result.offset = checked_add(result.offset, checked_mul(term.coefficient, one.offset));
        for (const Term& part : one.terms) {
            const std::int64_t coefficient = checked_mul(term.coefficient, part.coefficient);
            const auto same = std::ranges::find(result.terms, part.dimension, &Term::dimension);
            if (same == result.terms.end())
                result.terms.push_back({part.dimension, coefficient});
            else
                same->coefficient = checked_add(same->coefficient, coefficient);
        }
    }
    std::erase_if(result.terms, [](const Term& term) { return term.coefficient == 0; });
    return result;
}

Coordinate axis_itself(std::size_t axis) { return {{{static_cast<int>(axis), 1}}, 0}; }

Interval reach_along(const Einsum& einsum, const Coordinate& coordinate) {
    Interval reach{coordinate.offset, coordinate.offset};
    for (const Term& term : coordinate.terms) {
        const std::int64_t step = checked_mul(term.coefficient, einsum.dimensions[term.dimension].extent - 1);
        (step < 0 ? reach.low : reach.high) = checked_add(step < 0 ? reach.low : reach.high, step);
    }
    return reach;
}

// Whether padding of the value's axis is padding of the tensor: it is one whole tensor axis.
bool is_axis_of_tensor(const Value& value, const CascadeTensor& tensor, std::size_t axis) {
    int found = 0;
    for (std::size_t t = 0; t < value.at.size(); ++t)
        for (const Term& term : value.at[t].terms)
            if (term.dimension == static_cast<int>(axis))
                found += value.at[t] == axis_itself(axis) && tensor.shape[t] == value.shape[axis] ? 1 : 2;
    return found == 1;
}

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

std::vector<Coordinate> places_along(const std::vector<int>& dimensions) {
    std::vector<Coordinate> places;
    for (const int dimension : dimensions) {
        places.emplace_back();
        if (dimension >= 0) places.back().terms.push_back({dimension, 1});
    }
    return places;
}

std::string Values::unique(const std::string& name, std::unordered_set<std::string>& taken) const {
    const std::string plain = name.empty() ? "unnamed" : printable(name);
    std::string unique = plain;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = plain + "#" + std::to_string(i);
    return unique;
}

int Values::make(const std::string& name, const Extents& shape) {
    cascade_.tensors.push_back({unique(name, tensor_names_), TensorRole::intermediate, shape});
    return cascade_.tensor_count() - 1;
}

Value Values::whole(int tensor) const {
    Value value{tensor, cascade_.tensors[at(tensor)].shape, {}};
    for (std::size_t axis = 0; axis < value.shape.size(); ++axis) value.at.push_back(axis_itself(axis));
    return value;
}

const Value& Values::of(const std::string& name) {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    const int tensor = make(name, *shapes_.of(name));
    cascade_.tensors.back().role = shapes_.is_constant(name) ? TensorRole::weight : TensorRole::input;
    return values_[name] = whole(tensor);
}

void Values::transpose(const std::string& from, const std::string& to, const std::vector<std::int64_t>& order) {
    Value value = of(from);
    std::vector<Coordinate> inner(order.size());
    Extents shape;
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
        inner[static_cast<std::size_t>(order[axis])] = axis_itself(axis);
        shape.push_back(value.shape[static_cast<std::size_t>(order[axis])]);
    }
    for (Coordinate& coordinate : value.at) coordinate = composed(coordinate, inner);
    value.shape = shape;
    set(to, std::move(value));
}

void Values::shift(const std::string& from, const std::string& to, const Extents& shape,
                   const std::vector<std::int64_t>& offsets) {
    Value value = of(from);
    std::vector<Coordinate> inner;
    for (std::size_t axis = 0; axis < offsets.size(); ++axis) {
        inner.push_back(axis_itself(axis));
        inner.back().offset = offsets[axis];
    }
    for (Coordinate& coordinate : value.at) coordinate = composed(coordinate, inner);
    value.shape = shape;
    set(to, std::move(value));
}

void Values::broadcast(const std::string& from, const std::string& to, const Extents& shape) {
    Value value = of(from);
    const std::size_t more = shape.size() - value.shape.size();
    std::vector<Coordinate> inner;
    for (std::size_t axis = 0; axis < value.shape.size(); ++axis)
        inner.push_back(value.shape[axis] == 1 ? Coordinate{} : axis_itself(axis + more));
    for (Coordinate& coordinate : value.at) coordinate = composed(coordinate, inner);
    value.shape = shape;
    set(to, std::move(value));
}

void Values::scatter(const std::string& from, const std::string& to, const Extents& shape) {
    set(to, Value{of(from).tensor, shape, {}, true});
}

void Values::rows_of(const std::string& table, const std::string& to, const Extents& shape) {
    const int from = of(table).tensor;
    const int rows = make(to, shape);
    cascade_.tensors.back().role = TensorRole::input;
    cascade_.tensors.back().view_of = from;
    set(to, whole(rows));
}

Access Values::access(const Value& value, const Einsum& einsum, const std::vector<Coordinate>& places) const {
    Access access{value.tensor};
    access.anywhere = value.anywhere;
    const CascadeTensor& tensor = cascade_.tensors[at(value.tensor)];
    for (std::size_t axis = 0; axis < places.size() && !access.anywhere; ++axis) {
        const Interval reach = reach_along(einsum, places[axis]);
        const bool padded = reach.low < 0 || reach.high >= value.shape[axis];
        access.anywhere = padded && !is_axis_of_tensor(value, tensor, axis);
    }
    if (access.anywhere) return access;
    for (const Coordinate& coordinate : value.at) access.coordinates.push_back(composed(coordinate, places));
    return access;
}

void Values::add(CascadeEinsum einsum) {
    einsum.name = unique(einsum.name, einsum_names_);
    cascade_.einsums.push_back(std::move(einsum));
}

Cascade Values::take(const std::unordered_set<std::string>& results) {
    std::unordered_set<int> wanted;
    for (const std::string& name : results)
        if (const auto found = values_.find(name); found != values_.end()) wanted.insert(found->second.tensor);
    std::unordered_map<int, int> index;  // of those in use
    std::unordered_set<int> used;
    std::unordered_set<int> read;
    for (const CascadeEinsum& one : cascade_.einsums)
        for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
            used.insert(one.accesses[operand].tensor);
            if (!one.einsum.tensors[operand].written) read.insert(one.accesses[operand].tensor);
        }
    for (const int tensor : std::vector<int>(used.begin(), used.end()))
        if (const int of = cascade_.tensors[at(tensor)].view_of; of >= 0) used.insert(of);
    CascadeBuilder builder(cascade_.name);
    for (int t = 0; t < cascade_.tensor_count(); ++t) {
        const CascadeTensor& tensor = cascade_.tensors[at(t)];
        if (!used.contains(t)) continue;
        const bool out = tensor.role == TensorRole::intermediate && (wanted.contains(t) || !read.contains(t));
        index[t] = builder.tensor(tensor.name, out ? TensorRole::output : tensor.role, tensor.shape, tensor.bits);
        if (tensor.view_of >= 0) builder.view(index[t], index.at(tensor.view_of));
    }
    for (CascadeEinsum& one : cascade_.einsums) {
        for (Access& access : one.accesses) access.tensor = index.at(access.tensor);
        builder.einsum(std::move(one));
    }
    for (NotCovered& one : cascade_.not_covered) builder.not_covered(std::move(one));
    return builder.take();
}

}  // namespace tilewright::onnx
