// A graph's values as tensors of a cascade; data movement becomes views.
//
// A value is addressed by its own axes. Its view maps them to a tensor: along every tensor axis an affine function of
// the value's axes. A transposition or a split is a view of the same tensor; so is a reshape merging axes, once the
// tensor's axes are merged; the parts of a concatenation are written into one tensor.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnx/operators/infer.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::onnx {

struct Value {
    int tensor = 0;
    Extents shape;               ///< of the value
    std::vector<Coordinate> at;  ///< one per axis of the tensor; the dimension of a term is an axis of the value
    bool anywhere = false;       ///< not affine
};

class Values {
   public:
    Values(const Shapes& shapes, std::string name) : shapes_(shapes) { cascade_.name = std::move(name); }

    /// The value, an outside tensor if nothing here makes it. Requires a known shape.
    const Value& of(const std::string& name);
    bool knows(const std::string& name) const { return values_.contains(name); }

    /// A tensor made by an operator, for its result `name` or for internal use.
    int make(const std::string& name, const Extents& shape);
    Value whole(int tensor) const;
    void set(const std::string& name, Value value) { values_[name] = std::move(value); }

    // Views; the names are those of values, `shape` is the new one's.
    void transpose(const std::string& from, const std::string& to, const std::vector<std::int64_t>& order);
    void reshape(const std::string& from, const std::string& to, const Extents& shape);
    /// Shifted: axis `axis` of the new value begins at `offset` of the old one (negative: padding before it).
    void shift(const std::string& from, const std::string& to, const Extents& shape,
               const std::vector<std::int64_t>& offsets);
    void broadcast(const std::string& from, const std::string& to, const Extents& shape);
    void scatter(const std::string& from, const std::string& to, const Extents& shape);  ///< anywhere
    /// Rows of a constant, picked by an index.
    void rows_of(const std::string& table, const std::string& to, const Extents& shape);
    void concatenate(const std::vector<std::string>& parts, const std::string& to, const Extents& shape,
                     std::size_t axis);

    /// Access of `einsum` to `value` at these places, one per axis of the value, over its dimensions.
    Access access(const Value& value, const Einsum& einsum, const std::vector<Coordinate>& places) const;
    void add(CascadeEinsum einsum);
    void not_covered(NotCovered one) { cascade_.not_covered.push_back(std::move(one)); }

    /// Graph results are outputs, and so are values without a reader. Throws InputError.
    Cascade take(const std::unordered_set<std::string>& results);

   private:
    bool merge_axes(const Value& value, const std::vector<std::size_t>& axes);
    bool may_merge(int tensor, const std::vector<std::size_t>& tensor_axes) const;
    bool may_embed(const Value& value, std::size_t axis) const;
    void embed(int tensor, int into, std::size_t axis, std::int64_t offset);
    void copy(const Value& from, int into, std::size_t axis, std::int64_t offset);
    std::string unique(const std::string& name, std::unordered_set<std::string>& taken) const;

    const Shapes& shapes_;
    Cascade cascade_;  // writers and readers are found at the end
    std::unordered_map<std::string, Value> values_;
    std::unordered_set<std::string> tensor_names_;
    std::unordered_set<std::string> einsum_names_;
};

/// Coordinates along the dimensions `first`, `first` + 1, ... of an einsum, one per extent; constant for extents of 1
/// broadcast in `extents`.
std::vector<Coordinate> places_along(const std::vector<int>& dimensions);

}  // namespace tilewright::onnx
