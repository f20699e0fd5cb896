// A mapping's loops with their strides, and iteration regions. Internal to sim/machine.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "mapping/mapping.hpp"
#include "mapping/tile.hpp"
#include "sim/machine/program.hpp"

namespace tilewright::sim {

struct SizedLoop {
    int dimension = 0;
    std::int64_t extent = 1;
    std::int64_t points = 1;  ///< stride in its dimension
};

struct SizedLevel {
    TensorSet keep;
    std::vector<SizedLoop> temporal;
    std::vector<SizedLoop> spatial;
};

/// By memory, without single-iteration loops.
std::vector<SizedLevel> sized_levels(const Mapping& mapping, int memories);

struct Interval {
    std::int64_t low = 0;
    std::int64_t high = 1;
    std::int64_t size() const { return high - low; }
    bool operator==(const Interval&) const = default;
    auto operator<=>(const Interval&) const = default;
};
using Region = std::array<Interval, kMaxDimensions>;
using Box = std::array<Interval, kMaxRanks>;

Region whole_region(const Einsum& einsum);
/// Bounding box of a region's elements.
Box box_of(const Tensor& tensor, const Region& region);
std::int64_t words_of(const Box& box);

/// A set of words: a box, optionally with a box-shaped hole. Equal sets are equal values.
struct Words {
    std::optional<Box> box;
    std::optional<Box> hole;
    std::int64_t count() const { return box ? words_of(*box) - (hole ? words_of(*hole) : 0) : 0; }
    bool operator==(const Words&) const = default;
    auto operator<=>(const Words&) const = default;
};

/// An instance's resident tile of a tensor, and the delta of the next one (docs/model.md, rule 2).
class Holding {
   public:
    Words receive(const Box& tile);

   private:
    using Move = std::array<std::int64_t, kMaxRanks>;
    std::optional<Box> tile_;
    std::optional<Move> direction_;
};

/// The flows of a mapping, by tensor outermost first.
std::vector<Flow> flows_of(const Einsum& einsum, const std::vector<SizedLevel>& levels, const Floor& floor);

/// Time steps of one element for a region: a fan-out takes its longest branch.
std::int64_t element_cycles(const std::vector<SizedLevel>& levels, const Floor& floor, const Region& region,
                            int dimensions);

}  // namespace tilewright::sim
