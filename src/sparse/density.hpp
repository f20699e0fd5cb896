// How many elements of a tensor are zero, and which: what is known of it.
// How many elements a tensor has along each of its ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::sparse {

/// Extents of a box of elements, one per rank of its tensor.
using Tile = std::vector<std::int64_t>;

/// Elements in a tile; 0 where an extent is 0.
std::int64_t elements(const Tile& tile);

/// Every tile holds the same share of elements that are not zero, as nearly as whole numbers can.
struct FixedStructured {
    double density = 1.0;
    bool operator==(const FixedStructured&) const = default;
};

/// Of a tensor of N elements, ceil(density * N) that are not zero, each choice of them as likely as any other.
struct UniformRandom {
    double density = 1.0;
    bool operator==(const UniformRandom&) const = default;
};

/// A square matrix whose element (i, j) is zero unless |i - j| <= half_width.
struct Banded {
    std::int64_t half_width = 0;
    bool operator==(const Banded&) const = default;
};

/// N:M, as 2:4: of `of` neighbours along `rank`, exactly `kept` are not zero, each choice as likely as any other.
struct Pattern {
    std::int64_t kept = 2;
    std::int64_t of = 4;
    int rank = 0;  ///< of the tensor
    bool operator==(const Pattern&) const = default;
};

/// Elements that are not zero, as they were read from a file: flattened with the last rank fastest, ascending.
struct Measured {
    std::string file;
    Tile extents;
    std::shared_ptr<const std::vector<std::int64_t>> places;
    bool operator==(const Measured& other) const { return file == other.file && extents == other.extents; }
};

using Density = std::variant<FixedStructured, UniformRandom, Banded, Pattern, Measured>;

/// Of `all` elements those that a share of `density` leaves, rounded up; what a double adds is no element.
inline std::int64_t marked_of(double density, std::int64_t all) {
    const double exact = density * static_cast<double>(all);
    const double nearest = std::round(exact);
    constexpr double kRounding = 1e-12;
    return static_cast<std::int64_t>(std::abs(exact - nearest) <= kRounding * nearest ? nearest : std::ceil(exact));
}

/// What makes a density of a tensor of these extents meaningless, in words, or "": a share outside 0 to 1, N:M with N >
/// M or groups that do not divide the rank, a band on what is no square matrix, measured extents of another tensor.
std::string problem_with(const Density& density, const Tile& tensor);

/// Of the box that the whole iteration space touches.
Tile extents_of(const Einsum& einsum, int tensor);

}  // namespace tilewright::sparse
