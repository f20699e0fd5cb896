// Views that change the underlying tensor: reshapes merging axes, and concatenations.
#include <algorithm>
#include <optional>

#include "base/numbers/checked.hpp"
#include "onnx/cascade/values.hpp"

namespace tilewright::onnx {
namespace {

std::size_t position(int index) { return static_cast<std::size_t>(index); }

// Corresponding axes of the old and the new shape, in order; axes of extent 1 belong to none.
struct AxisGroup {
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
};

std::vector<AxisGroup> axis_groups(const Extents& before, const Extents& after) {
    std::vector<AxisGroup> groups;
    std::size_t i = 0;
    std::size_t j = 0;
    const auto skip_ones = [](const Extents& shape, std::size_t& axis) {
        while (axis < shape.size() && shape[axis] == 1) ++axis;
    };
    for (skip_ones(before, i), skip_ones(after, j); i < before.size() && j < after.size();
         skip_ones(before, i), skip_ones(after, j)) {
        AxisGroup group{{i}, {j}};
        std::int64_t left = before[i++];
        std::int64_t right = after[j++];
        while (left != right && i < before.size() && j <= after.size()) {
            if (left < right) {
                if (before[i] > 1) group.before.push_back(i);
                left = checked_mul(left, before[i++]);
            } else {
                if (j == after.size()) break;
                if (after[j] > 1) group.after.push_back(j);
                right = checked_mul(right, after[j++]);
            }
        }
        while (left > right && j < after.size()) {
            if (after[j] > 1) group.after.push_back(j);
            right = checked_mul(right, after[j++]);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

std::int64_t product_of(const Extents& shape) {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) product = checked_mul(product, extent);
    return product;
}

// Position in the flattened axes.
Coordinate flat_place(const Extents& shape, const std::vector<std::size_t>& axes) {
    Coordinate place;
    std::int64_t stride = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        place.terms.insert(place.terms.begin(), {static_cast<int>(axes[i]), stride});
        stride = checked_mul(stride, shape[axes[i]]);
    }
    return place;
}

Coordinate substituted(const Coordinate& outer, const std::vector<Coordinate>& inner) {
    Coordinate result{{}, outer.offset};
    for (const Term& term : outer.terms) {
        const Coordinate& one = inner[position(term.dimension)];
        result.offset = checked_add(result.offset, checked_mul(term.coefficient, one.offset));
        for (const Term& part : one.terms)
            result.terms.push_back({part.dimension, checked_mul(term.coefficient, part.coefficient)});
    }
    return result;
}

// The tensor axes equal to these axes of the value, each whole; empty otherwise.
std::optional<std::vector<std::size_t>> own_axes(const Value& value, const Extents& tensor_shape,
                                                 const std::vector<std::size_t>& axes) {
    std::vector<std::size_t> own;
    for (const std::size_t axis : axes) {
        const Coordinate itself{{{static_cast<int>(axis), 1}}, 0};
        const auto found = std::ranges::find(value.at, itself);
        if (found == value.at.end()) return std::nullopt;
        own.push_back(static_cast<std::size_t>(found - value.at.begin()));
        if (tensor_shape[own.back()] != value.shape[axis]) return std::nullopt;
    }
    return own;
}

// Merges `axes` at the first one's place: offset + sum of stride * coordinate.
void merge_coordinates(std::vector<Coordinate>& at, const Extents& shape, const std::vector<std::size_t>& axes) {
    const Coordinate flat = flat_place(shape, axes);
    const Coordinate merged = substituted(flat, at);
    std::vector<Coordinate> kept;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        if (axis == axes.front())
            kept.push_back(merged);
        else if (std::ranges::find(axes, axis) == axes.end())
            kept.push_back(at[axis]);
    }
    at = std::move(kept);
}

// A coordinate over the old axes in terms of their groups; empty if it splits a group.
std::optional<Coordinate> over_groups(const Coordinate& coordinate, const Extents& before,
                                      const std::vector<AxisGroup>& groups) {
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (coordinate == flat_place(before, groups[g].before)) return Coordinate{{{static_cast<int>(g), 1}}, 0};
    Coordinate result{{}, coordinate.offset};
    for (const Term& term : coordinate.terms) {
        if (before[position(term.dimension)] == 1) continue;
        const auto group = std::ranges::find_if(
            groups, [&](const AxisGroup& one) { return one.before == std::vector{position(term.dimension)}; });
        if (group == groups.end()) return std::nullopt;
        result.terms.push_back({static_cast<int>(group - groups.begin()), term.coefficient});
    }
    return result;
}

}  // namespace

// No access reaches padding along these axes: it would be another row of the merged one.
bool Values::may_merge(int tensor, const std::vector<std::size_t>& axes) const {
    const Extents& shape = cascade_.tensors[position(tensor)].shape;
    for (const CascadeEinsum& one : cascade_.einsums)
        for (const Access& access : one.accesses) {
            if (access.tensor != tensor || access.anywhere) continue;
            for (const std::size_t axis : axes) {
                Interval reach{access.coordinates[axis].offset, access.coordinates[axis].offset};
                for (const Term& term : access.coordinates[axis].terms)
                    reach.high += term.coefficient * (one.einsum.dimensions[position(term.dimension)].extent - 1);
                if (reach.low < 0 || reach.high >= shape[axis]) return false;
            }
        }
    return true;
}

bool Values::merge_axes(const Value& value, const std::vector<std::size_t>& axes) {
    CascadeTensor& tensor = cascade_.tensors[position(value.tensor)];
    const auto own = own_axes(value, tensor.shape, axes);
    if (!own || !may_merge(value.tensor, *own)) return false;
    const Extents before = tensor.shape;
    for (CascadeEinsum& one : cascade_.einsums)
        for (Access& access : one.accesses)
            if (access.tensor == value.tensor && !access.anywhere) merge_coordinates(access.coordinates, before, *own);
    const int merged = value.tensor;
    for (auto& [name, other] : values_)
        if (other.tensor == merged && !other.anywhere) merge_coordinates(other.at, before, *own);
    std::int64_t words = 1;
    Extents shape;
    for (const std::size_t axis : *own) words = checked_mul(words, before[axis]);
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
        if (axis == own->front())
            shape.push_back(words);
        else if (std::ranges::find(*own, axis) == own->end())
            shape.push_back(before[axis]);
    }
    tensor.shape = std::move(shape);
    return true;
}

void Values::reshape(const std::string& from, const std::string& to, const Extents& shape) {
    static_cast<void>(of(from));
    const Extents before = values_.at(from).shape;
    if (values_.at(from).anywhere || product_of(before) != product_of(shape)) return scatter(from, to, shape);
    const std::vector<AxisGroup> groups = axis_groups(before, shape);
    for (const AxisGroup& group : groups)
        if (group.before.size() > 1 && !merge_axes(values_.at(from), group.before)) return scatter(from, to, shape);
    Value value = values_.at(from);
    std::vector<Coordinate> flat;
    for (const AxisGroup& group : groups) flat.push_back(flat_place(shape, group.after));
    for (Coordinate& coordinate : value.at) {
        const std::optional<Coordinate> over = over_groups(coordinate, before, groups);
        if (!over) return scatter(from, to, shape);
        coordinate = substituted(*over, flat);
    }
    value.shape = shape;
    set(to, std::move(value));
}

// Parts without other readers become parts of the new tensor; others are copied.
void Values::concatenate(const std::vector<std::string>& parts, const std::string& to, const Extents& shape,
                         std::size_t axis) {
    const int whole_tensor = make(to, shape);
    std::int64_t offset = 0;
    for (const std::string& part : parts) {
        const Value value = of(part);
        if (may_embed(value, axis))
            embed(value.tensor, whole_tensor, axis, offset);
        else
            copy(value, whole_tensor, axis, offset);
        offset = checked_add(offset, value.shape[axis]);
    }
    set(to, whole(whole_tensor));
}

// A whole tensor made here, without readers beyond the axis: padding would be another part.
bool Values::may_embed(const Value& value, std::size_t axis) const {
    const CascadeTensor& tensor = cascade_.tensors[position(value.tensor)];
    if (value.anywhere || tensor.role != TensorRole::intermediate || tensor.shape != value.shape) return false;
    for (std::size_t t = 0; t < value.at.size(); ++t)
        if (value.at[t] != Coordinate{{{static_cast<int>(t), 1}}, 0}) return false;
    for (const CascadeEinsum& one : cascade_.einsums)
        for (const Access& access : one.accesses)
            if (access.tensor == value.tensor && access.anywhere) return false;
    return may_merge(value.tensor, {axis});
}

void Values::embed(int tensor, int into, std::size_t axis, std::int64_t offset) {
    for (CascadeEinsum& one : cascade_.einsums)
        for (Access& access : one.accesses) {
            if (access.tensor != tensor) continue;
            access.tensor = into;
            access.coordinates[axis].offset = checked_add(access.coordinates[axis].offset, offset);
        }
    for (auto& [name, other] : values_) {
        if (other.tensor != tensor) continue;
        other.tensor = into;
        if (!other.anywhere) other.at[axis].offset = checked_add(other.at[axis].offset, offset);
    }
}

void Values::copy(const Value& from, int into, std::size_t axis, std::int64_t offset) {
    CascadeEinsum one;
    one.name = cascade_.tensors[position(into)].name + ".copy";
    one.op = "Concat";
    one.kind = EinsumKind::copy;
    one.operations.clear();
    std::vector<int> dimensions;
    std::vector<Rank> ranks;
    for (const std::int64_t extent : from.shape) {
        dimensions.push_back(one.einsum.dimension_count());
        ranks.push_back({{{dimensions.back(), 1}}});
        one.einsum.dimensions.push_back({"d" + std::to_string(dimensions.size()), extent});
    }
    one.einsum.tensors = {{"Inputs", ranks, false}, {"Outputs", ranks, true}};
    const std::vector<Coordinate> places = places_along(dimensions);
    one.accesses = {access(from, one.einsum, places), {into, places}};
    one.accesses.back().coordinates[axis].offset = offset;
    add(std::move(one));
}

}  // namespace tilewright::onnx
