// How many elements of a tile are not zero: the distribution of that number over the tiles of a tensor.
//
// Tiles of one shape lie side by side from the corner of the tensor. A number that is asked for "within" an outer tile
// is that of a random tile of the given shape in an outer one that is known to hold so many elements.
//
// Pure functions of values; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sparse/density.hpp"

namespace tilewright::sparse {

/// An outer tile and what it holds.
struct Outer {
    Tile tile;
    std::int64_t words = 0;  ///< elements in it
    std::int64_t occupied = 0;
};

struct Outcome {
    std::int64_t occupied = 0;
    double probability = 0.0;
};

class Occupancy {
   public:
    Occupancy() = default;
    virtual ~Occupancy() = default;
    Occupancy(const Occupancy&) = delete;
    Occupancy& operator=(const Occupancy&) = delete;

    /// "fixed_structured", "hypergeometric", "banded-3", "2:4", "measured"
    virtual std::string name() const = 0;
    /// All numbers of elements that a tile may hold and that are not impossible, ascending.
    virtual std::vector<Outcome> outcomes(const Tile& tile) const = 0;
    virtual double probability(const Tile& tile, std::int64_t occupied) const = 0;
    virtual double probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const = 0;
    virtual std::int64_t most(const Tile& tile) const = 0;
    /// The least share of a tile that is not zero.
    virtual double least_share(const Tile& tile) const = 0;
    virtual double expected(const Tile& tile) const = 0;

    double empty(const Tile& tile) const { return probability(tile, 0); }
};

/// Exact. Requires problem_with(density, tensor) == "".
std::unique_ptr<Occupancy> occupancy_of(const Density& density, const Tile& tensor);

/// The chance to draw `hits` of the `marked` among `all` in `draws` draws without putting back.
double hypergeometric(std::int64_t hits, std::int64_t draws, std::int64_t marked, std::int64_t all);

/// All outcomes of that draw whose chance a double can hold, ascending.
std::vector<Outcome> hypergeometric_outcomes(std::int64_t draws, std::int64_t marked, std::int64_t all);

}  // namespace tilewright::sparse
