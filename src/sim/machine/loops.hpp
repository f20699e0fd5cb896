// The loops of a mapping with their step sizes, and regions of iterations. Internal to sim/machine.
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
    std::int64_t points = 1;  ///< iterations of its dimension that one step covers
};

struct SizedLevel {
    TensorSet keep;
    std::vector<SizedLoop> temporal;
    std::vector<SizedLoop> spatial;
};

/// By memory, loops that run once dropped.
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
/// The bounding box of what a region touches.
Box box_of(const Tensor& tensor, const Region& region);
std::int64_t words_of(const Box& box);

/// A set of words: a box, perhaps with a box-shaped hole. Equal sets are equal values.
struct Words {
    std::optional<Box> box;
    std::optional<Box> hole;
    std::int64_t count() const { return box ? words_of(*box) - (hole ? words_of(*hole) : 0) : 0; }
    bool operator==(const Words&) const = default;
    auto operator<=>(const Words&) const = default;
};

/// What an instance holds of a tensor, and what it lacks when it gets the next tile (docs/model.md, rule 2).
class Holding {
   public:
    Words receive(const Box& tile);

   private:
    using Move = std::array<std::int64_t, kMaxRanks>;
    std::optional<Box> tile_;
    std::optional<Move> direction_;
};

/// The flows of a mapping, outermost first by tensor.
std::vector<Flow> flows_of(const Einsum& einsum, const std::vector<SizedLevel>& levels, const Floor& floor);

/// Time steps of one element for a region: fan-outs last as long as their longest branch.
std::int64_t element_cycles(const std::vector<SizedLevel>& levels, const Floor& floor, const Region& region,
                            int dimensions);

}  // namespace tilewright::sim
