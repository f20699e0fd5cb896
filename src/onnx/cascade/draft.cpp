#include "onnx/cascade/draft.hpp"

#include <algorithm>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

std::string name_of(const pb::NodeProto& node) {
    if (!node.name().empty()) return printable(node.name());
    return printable(node.output_size() > 0 && !node.output(0).empty() ? node.output(0) : node.op_type());
}

Draft::Draft(Values& values, std::string name, std::string op, EinsumKind kind, std::vector<OperationCount> operations)
    : values_(values) {
    einsum_.name = std::move(name);
    einsum_.op = std::move(op);
    einsum_.kind = kind;
    einsum_.operations = std::move(operations);
}

int Draft::dimension(const std::string& name, std::int64_t extent) {
    einsum_.einsum.dimensions.push_back({name, extent});
    return einsum_.einsum.dimension_count() - 1;
}

std::vector<int> Draft::dimensions(const Extents& extents) {
    std::vector<int> all;
    for (const std::int64_t extent : extents)
        all.push_back(dimension("d" + std::to_string(einsum_.einsum.dimension_count()), extent));
    return all;
}

void Draft::read(const Value& value, const std::vector<Coordinate>& places) {
    if (std::ranges::all_of(value.shape, [](std::int64_t extent) { return extent == 1; })) return;
    add(values_.access(value, einsum_.einsum, places), places, false);
}

void Draft::write(int tensor, const std::vector<Coordinate>& places) {
    add(values_.access(values_.whole(tensor), einsum_.einsum, places), places, true);
}

void Draft::add(const Access& access, const std::vector<Coordinate>& places, bool written) {
    Tensor own{(written ? "y" : "x") + std::to_string(einsum_.einsum.tensor_count()), {}, written};
    for (const Coordinate& place : places)
        if (!place.terms.empty()) own.ranks.push_back({place.terms});
    einsum_.einsum.tensors.push_back(std::move(own));
    einsum_.accesses.push_back(access);
}

void Draft::finish() {
    if (einsum_.einsum.dimensions.empty()) dimension("one", 1);
    values_.add(std::move(einsum_));
}

void read_per_channel(const Operator& op, int operand, Values& values, Draft& draft, int channels) {
    const Extents own = op.input(operand);
    const Extents wanted = {op.input(0)[1]};
    if (own != wanted)
        op.fail(ErrorCode::bad_value, "input " + std::to_string(operand + 1) + " has shape " + shape_text(own) +
                                          "; expected one word for each channel, " + shape_text(wanted));
    draft.read(values.of(op.node().input(operand)), places_along({channels}));
}

std::vector<Coordinate> broadcast_places(const Extents& own, const std::vector<int>& dimensions) {
    std::vector<Coordinate> places;
    const std::size_t more = dimensions.size() - own.size();
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
        places.emplace_back();
        if (own[axis] > 1) places.back().terms.push_back({dimensions[axis + more], 1});
    }
    return places;
}

}  // namespace tilewright::onnx
