// Small tensors of known values, and data movement on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/infer.hpp"

namespace tilewright::onnx {

/// A tensor of at most kMostFolded numbers; truth values are 0 and 1.
struct Numbers {
    Extents extents;  ///< empty: a scalar
    std::vector<double> values;
    std::int32_t type = 0;  ///< pb::TensorProto_DataType
};
inline constexpr std::int64_t kMostFolded = 4096;

/// Integers of 32 and 64 bits, and truth values.
bool is_whole_type(std::int32_t type);
/// Those, and floats of 32 and 64 bits.
bool is_followed_type(std::int32_t type);

/// The product of the extents, or -1 beyond the limit.
std::int64_t count_of(const Extents& extents);
/// As many values as the extents say, all of them finite and exact.
bool is_sound(const Numbers& numbers);

/// Values of a stored tensor, and back. Empty for large, external or otherwise typed ones.
std::optional<Numbers> numbers_in(const pb::TensorProto& tensor);
pb::TensorProto tensor_of(const Numbers& numbers);

/// A path through a tensor's values: per index of `extents`, last axis fastest, the place offset + sum of index *
/// stride. Places must lie in the tensor.
struct View {
    Extents extents;
    std::int64_t offset = 0;
    Extents strides;
};
View whole_view(const Numbers& numbers);
/// Axis i of the result is axis order[i]; empty unless `order` is a permutation.
std::optional<View> permuted(const View& from, const std::vector<std::int64_t>& order);
/// Restricts one axis to a slice from `start` to `end`, backwards for steps below 0. False for an absent axis or step
/// 0.
bool cut(View& view, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step);
void walk(const View& view, const std::function<void(std::int64_t place)>& visit);
Numbers viewed(const Numbers& numbers, const View& view);

/// `numbers` broadcast to `extents`; empty if they do not fit or are too many.
std::optional<Numbers> spread(const Numbers& numbers, const Extents& extents);
/// Broadcast extents of two tensors; empty if they do not fit.
std::optional<Extents> common_extents(const Extents& a, const Extents& b);

/// Concatenation along an axis; empty if other axes differ or there are too many numbers.
std::optional<Numbers> joined(const std::vector<Numbers>& parts, std::int64_t axis);
/// Gather of `indices` along `axis`; empty for indices out of range.
std::optional<Numbers> gathered(const Numbers& data, const Numbers& indices, std::int64_t axis);

}  // namespace tilewright::onnx
