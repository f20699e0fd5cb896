// One statement of a cascade's text as an einsum, given the sizes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workload/cascade/text_syntax.hpp"

namespace tilewright::cascade_text {

/// By name; `used` collects the requested ones.
struct Sizes {
    std::map<std::string, std::int64_t, std::less<>> extents;
    std::set<std::string> used = {};
};

/// A size by its name. Throws InputError(unknown_name) at `word`.
std::int64_t size_of(const Source& source, Sizes& sizes, const Word& word);

/// An operand of a statement: tensor and access.
struct Use {
    const TensorText* text = nullptr;
    bool written = false;
    std::vector<Coordinate> coordinates;  ///< one per axis of the tensor, also of irregular operands
    std::vector<Interval> reach;          ///< of these, not clipped
};

/// An einsum with accesses still without tensors.
struct ReadEinsum {
    CascadeEinsum einsum;
    std::vector<Use> uses;  ///< in the order of its operands: those read first
};

/// Throws InputError at the place of the mistake.
ReadEinsum read_einsum(const Source& source, Sizes& sizes, const EinsumText& text);

}  // namespace tilewright::cascade_text
