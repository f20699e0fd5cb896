#include "onnx/operators/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/numbers/checked.hpp"

namespace tilewright::onnx {
namespace {

using Type = pb::TensorProto_DataType;

template <typename Stored>
std::vector<double> unpacked(const std::string& bytes) {
    std::vector<double> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored one{};
        std::memcpy(&one, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        values[i] = static_cast<double>(one);
    }
    return values;
}

std::vector<double> raw_values(const pb::TensorProto& tensor) {
    switch (tensor.data_type()) {
        case Type::TensorProto_DataType_INT64: return unpacked<std::int64_t>(tensor.raw_data());
        case Type::TensorProto_DataType_INT32: return unpacked<std::int32_t>(tensor.raw_data());
        case Type::TensorProto_DataType_BOOL: return unpacked<std::uint8_t>(tensor.raw_data());
        case Type::TensorProto_DataType_FLOAT: return unpacked<float>(tensor.raw_data());
        default: return unpacked<double>(tensor.raw_data());
    }
}

std::vector<double> typed_values(const pb::TensorProto& tensor) {
    const auto all = [](const auto& list) { return std::vector<double>(list.begin(), list.end()); };
    switch (tensor.data_type()) {
        case Type::TensorProto_DataType_INT64: return all(tensor.int64_data());
        case Type::TensorProto_DataType_FLOAT: return all(tensor.float_data());
        case Type::TensorProto_DataType_DOUBLE: return all(tensor.double_data());
        default: return all(tensor.int32_data());
    }
}

/// The product of the extents of some axes.
std::int64_t product(const Extents& extents, std::size_t begin, std::size_t end) {
    std::int64_t product = 1;
    for (std::size_t axis = begin; axis < end; ++axis) product *= extents[axis];
    return product;
}

}  // namespace

bool is_whole_type(std::int32_t type) {
    return type == Type::TensorProto_DataType_INT64 || type == Type::TensorProto_DataType_INT32 ||
           type == Type::TensorProto_DataType_BOOL;
}

bool is_followed_type(std::int32_t type) {
    return is_whole_type(type) || type == Type::TensorProto_DataType_FLOAT || type == Type::TensorProto_DataType_DOUBLE;
}

std::int64_t count_of(const Extents& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        if (extent < 0 || extent > kMostFolded) return -1;
        count *= extent;
        if (count > kMostFolded) return -1;
    }
    return count;
}

bool is_sound(const Numbers& numbers) {
    return count_of(numbers.extents) == static_cast<std::int64_t>(numbers.values.size()) &&
           std::all_of(numbers.values.begin(), numbers.values.end(),
                       [](double value) { return std::isfinite(value) && std::abs(value) <= kMostExact; });
}

std::optional<Numbers> numbers_in(const pb::TensorProto& tensor) {
    if (!is_followed_type(tensor.data_type())) return std::nullopt;
    if (tensor.data_location() == pb::TensorProto_DataLocation_EXTERNAL) return std::nullopt;
    Numbers numbers{{tensor.dims().begin(), tensor.dims().end()}, {}, tensor.data_type()};
    if (count_of(numbers.extents) < 0) return std::nullopt;
    numbers.values = tensor.has_raw_data() ? raw_values(tensor) : typed_values(tensor);
    // Exporters write the largest integer for "to the end" of a slice.
    for (double& value : numbers.values)
        if (is_whole_type(numbers.type)) value = std::clamp(value, -kMostExact, kMostExact);
    return is_sound(numbers) ? std::optional(numbers) : std::nullopt;
}

pb::TensorProto tensor_of(const Numbers& numbers) {
    pb::TensorProto tensor;
    for (const std::int64_t extent : numbers.extents) tensor.add_dims(extent);
    tensor.set_data_type(numbers.type);
    for (const double value : numbers.values) {
        if (numbers.type == Type::TensorProto_DataType_INT64)
            tensor.add_int64_data(static_cast<std::int64_t>(value));
        else if (numbers.type == Type::TensorProto_DataType_FLOAT)
            tensor.add_float_data(static_cast<float>(value));
        else if (numbers.type == Type::TensorProto_DataType_DOUBLE)
            tensor.add_double_data(value);
        else
            tensor.add_int32_data(static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
    }
    return tensor;
}

View whole_view(const Numbers& numbers) {
    View view{numbers.extents, 0, Extents(numbers.extents.size(), 1)};
    for (std::size_t axis = view.strides.size(); axis-- > 1;)
        view.strides[axis - 1] = view.strides[axis] * view.extents[axis];
    return view;
}

void walk(const View& view, const std::function<void(std::int64_t place)>& visit) {
    const std::size_t axes = view.extents.size();
    if (product(view.extents, 0, axes) == 0) return;
    Extents index(axes, 0);
    std::int64_t place = view.offset;
    while (true) {
        visit(place);
        std::size_t axis = axes;
        while (axis > 0 && ++index[axis - 1] == view.extents[axis - 1]) {
            index[axis - 1] = 0;
            place -= (view.extents[axis - 1] - 1) * view.strides[axis - 1];
            --axis;
        }
        if (axis == 0) return;
        place += view.strides[axis - 1];
    }
}

std::optional<View> permuted(const View& from, const std::vector<std::int64_t>& order) {
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.size() != from.extents.size()) return std::nullopt;
    for (std::size_t axis = 0; axis < sorted.size(); ++axis)
        if (sorted[axis] != static_cast<std::int64_t>(axis)) return std::nullopt;
    View view{{}, from.offset, {}};
    for (const std::int64_t axis : order) {
        view.extents.push_back(from.extents[static_cast<std::size_t>(axis)]);
        view.strides.push_back(from.strides[static_cast<std::size_t>(axis)]);
    }
    return view;
}

bool cut(View& view, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
    const auto axes = static_cast<std::int64_t>(view.extents.size());
    if (axis < 0) axis += axes;
    if (axis < 0 || axis >= axes || step == 0) return false;
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t size = view.extents[at];
    const std::int64_t first = step > 0 ? 0 : -1;  // exclusive end of a backward walk
    const std::int64_t last = step > 0 ? size : size - 1;
    start = std::clamp(start < 0 ? start + size : start, std::int64_t{0}, last < 0 ? 0 : last);
    end = std::clamp(end < 0 ? end + size : end, first, step > 0 ? size : last);
    const std::int64_t span = step > 0 ? end - start : start - end;
    const std::int64_t stride = std::abs(std::clamp(step, -size - 1, size + 1));
    view.extents[at] = size == 0 || span <= 0 ? 0 : (span + stride - 1) / stride;
    view.offset += start * view.strides[at];
    view.strides[at] *= step > 0 ? stride : -stride;
    return true;
}

Numbers viewed(const Numbers& numbers, const View& view) {
    Numbers made{view.extents, {}, numbers.type};
    walk(view, [&](std::int64_t place) { made.values.push_back(numbers.values[place]); });
    return made;
}

std::optional<Numbers> spread(const Numbers& numbers, const Extents& extents) {
    const std::size_t axes = extents.size();
    if (numbers.extents.size() > axes || count_of(extents) < 0) return std::nullopt;
    const View own = whole_view(numbers);
    View view{extents, 0, Extents(axes, 0)};
    const std::size_t first = axes - own.extents.size();
    for (std::size_t axis = first; axis < axes; ++axis) {
        const std::int64_t extent = own.extents[axis - first];
        if (extent != extents[axis] && extent != 1) return std::nullopt;
        if (extent != 1) view.strides[axis] = own.strides[axis - first];
    }
    return viewed(numbers, view);
}

std::optional<Extents> common_extents(const Extents& a, const Extents& b) {
    Extents common = a.size() >= b.size() ? a : b;
    const Extents& other = a.size() >= b.size() ? b : a;
    const std::size_t first = common.size() - other.size();
    for (std::size_t axis = 0; axis < other.size(); ++axis) {
        std::int64_t& extent = common[first + axis];
        if (extent == 1) extent = other[axis];
        if (other[axis] != 1 && other[axis] != extent) return std::nullopt;
    }
    return common;
}

std::optional<Numbers> joined(const std::vector<Numbers>& parts, std::int64_t axis) {
    if (parts.empty()) return std::nullopt;
    Numbers made{parts.front().extents, {}, parts.front().type};
    const auto axes = static_cast<std::int64_t>(made.extents.size());
    if (axis < 0) axis += axes;
    if (axis < 0 || axis >= axes) return std::nullopt;
    const auto at = static_cast<std::size_t>(axis);
    made.extents[at] = 0;
    for (const Numbers& part : parts) {
        Extents others = part.extents;
        if (others.size() != made.extents.size()) return std::nullopt;
        const std::int64_t length = others[at];
        others[at] = made.extents[at];
        if (others != made.extents) return std::nullopt;
        made.extents[at] += length;
    }
    if (count_of(made.extents) < 0) return std::nullopt;
    const std::int64_t rows = product(made.extents, 0, at);
    for (std::int64_t row = 0; row < rows; ++row)
        for (const Numbers& part : parts) {
            const std::int64_t size = product(part.extents, at, part.extents.size());
            const auto begin = part.values.begin() + row * size;
            made.values.insert(made.values.end(), begin, begin + size);
        }
    return made;
}

std::optional<Numbers> gathered(const Numbers& data, const Numbers& indices, std::int64_t axis) {
    const auto axes = static_cast<std::int64_t>(data.extents.size());
    if (axis < 0) axis += axes;
    if (axis < 0 || axis >= axes) return std::nullopt;
    const auto at = static_cast<std::size_t>(axis);
    Numbers made{{data.extents.begin(), data.extents.begin() + axis}, {}, data.type};
    made.extents.insert(made.extents.end(), indices.extents.begin(), indices.extents.end());
    made.extents.insert(made.extents.end(), data.extents.begin() + axis + 1, data.extents.end());
    if (count_of(made.extents) < 0) return std::nullopt;
    const std::int64_t rows = product(data.extents, 0, at);
    const std::int64_t size = product(data.extents, at + 1, data.extents.size());
    const std::int64_t length = data.extents[at];
    for (std::int64_t row = 0; row < rows; ++row)
        for (const double index : indices.values) {
            const auto given = static_cast<std::int64_t>(index);
            const std::int64_t place = given < 0 ? given + length : given;
            if (place < 0 || place >= length) return std::nullopt;
            const auto begin = data.values.begin() + (row * length + place) * size;
            made.values.insert(made.values.end(), begin, begin + size);
        }
    return made;
}

}  // namespace tilewright::onnx
