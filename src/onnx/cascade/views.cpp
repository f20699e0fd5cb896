// Data movement operators as views.
#include <algorithm>
#include <numeric>
#include <set>

#include "base/numbers/checked.hpp"
#include "onnx/cascade/draft.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {
namespace {

std::int64_t wrapped(std::int64_t axis, std::size_t rank) {
    return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}

bool add_transpose(const Operator& op, Values& values) {
    const std::size_t rank = op.input(0).size();
    std::vector<std::int64_t> order(rank);
    std::iota(order.rbegin(), order.rend(), 0);
    const Attributes attributes(op.node(), op.file());
    if (attributes.has("perm")) order = attributes.integers("perm", rank, 0, 0);
    std::vector<std::int64_t> sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (sorted[axis] != static_cast<std::int64_t>(axis)) return false;
    values.transpose(op.node().input(0), op.node().output(0), order);
    return true;
}

bool add_concat(const Operator& op, const Extents& shape, Values& values) {
    const std::int64_t axis = wrapped(Attributes(op.node(), op.file()).integer("axis", 1), shape.size());
    std::vector<std::string> parts;
    std::int64_t extent = 0;
    for (int i = 0; i < op.node().input_size(); ++i) {
        const Extents part = op.input(i);
        if (part.size() != shape.size() || axis < 0 || axis >= std::ssize(shape)) return false;
        extent = checked_add(extent, part[static_cast<std::size_t>(axis)]);
        parts.push_back(op.node().input(i));
    }
    if (extent != shape[static_cast<std::size_t>(axis)]) return false;
    values.concatenate(parts, op.node().output(0), shape, static_cast<std::size_t>(axis));
    return true;
}

bool add_split(const Operator& op, const Shapes& shapes, Values& values) {
    const Extents input = op.input(0);
    const std::int64_t axis = wrapped(Attributes(op.node(), op.file()).integer("axis", 0), input.size());
    if (axis < 0 || axis >= std::ssize(input)) return false;
    std::vector<std::int64_t> offsets(input.size(), 0);
    for (const std::string& output : op.node().output()) {
        const std::optional<Extents> shape = shapes.of(output);
        if (!shape || shape->size() != input.size()) return false;
        values.shift(op.node().input(0), output, *shape, offsets);
        offsets[static_cast<std::size_t>(axis)] += (*shape)[static_cast<std::size_t>(axis)];
    }
    return true;
}

// Negative padding crops.
constexpr std::int64_t kMostCropped = std::int64_t{1} << 40U;

// Zeros around it, by the attribute.
bool add_pad(const Operator& op, const Extents& shape, Values& values) {
    const Attributes attributes(op.node(), op.file());
    const std::size_t rank = shape.size();
    if (!attributes.has("pads") || op.input(0).size() != rank) return false;
    std::vector<std::int64_t> offsets;
    for (const std::int64_t pad : attributes.integers("pads", 2 * rank, -kMostCropped, 0)) offsets.push_back(-pad);
    offsets.resize(rank);
    values.shift(op.node().input(0), op.node().output(0), shape, offsets);
    return true;
}

// Rows of a table by an index, or an index into a computed value.
void add_gather(const Operator& op, const Extents& shape, Values& values) {
    if (op.is_constant(0))
        values.rows_of(op.node().input(0), op.node().output(0), shape);
    else
        values.scatter(op.node().input(0), op.node().output(0), shape);
}

bool is_any_of(const std::string& type, const std::set<std::string>& names) { return names.contains(type); }

}  // namespace

bool add_view(const Operator& op, const Shapes& shapes, Values& values) {
    static const std::set<std::string> kReshapes{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                 "Identity", "Dropout", "Cast",    "CastLike"};
    static const std::set<std::string> kAnywhere{
        "CenterCropPad",   "Compress", "DepthToSpace", "GatherElements", "GatherND", "Pad",     "Resize",
        "ReverseSequence", "Slice",    "SpaceToDepth", "Tile",           "Trilu",    "Upsample"};
    const std::string& type = op.node().op_type();
    if (op.node().input_size() < 1 || op.node().output_size() < 1) return false;
    const std::optional<Extents> shape = shapes.of(op.node().output(0));
    if (!shape || !op.knows_input(0)) return false;
    const std::string& from = op.node().input(0);
    const std::string& to = op.node().output(0);
    if (type == "Transpose") return add_transpose(op, values);
    if (type == "Concat") return add_concat(op, *shape, values);
    if (type == "Split") return add_split(op, shapes, values);
    if (type == "Pad" && add_pad(op, *shape, values)) return true;
    if (is_any_of(type, kReshapes))
        values.reshape(from, to, *shape);
    else if (type == "Expand" && shape->size() >= op.input(0).size())
        values.broadcast(from, to, *shape);
    else if (type == "Gather")
        add_gather(op, *shape, values);
    else if (is_any_of(type, kAnywhere))
        values.scatter(from, to, *shape);
    else
        return false;
    return true;
}

}  // namespace tilewright::onnx
