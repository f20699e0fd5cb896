#include "fusion/leaf/array_floor.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fusion/leaf/array_part.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// What is read and updated in the buffer for each operand at least, of so many units and shared words: in every step,
// or each word once where it lies in the registers.
class ArrayWords {
   public:
    ArrayWords(const Einsum& einsum, const Neighbours& neighbours, const std::vector<std::int64_t>& extents)
        : einsum_(einsum), neighbours_(neighbours) {
        once_.fill(1.0);
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            const auto extent = static_cast<double>(extents[at(d)]);
            operations_ *= extent;
            for (int t = 0; t < einsum.tensor_count(); ++t)
                if (neighbours.moved_by(d).has(t)) once_[at(t)] *= extent;
        }
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (einsum.tensors[at(t)].written) results_ += once_[at(t)];
    }

    double operations() const { return operations_; }
    /// Words of all results.
    double results() const { return results_; }

    /// Calls `visit` with the words for each operand that the registers may hold, and for none.
    template <class Visit>
    void each(const Shared& shared, const Visit& visit) const {
        Words none;
        std::array<Words, kMaxTensors> by_operand;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const Words one = of(t, operations_ / shared.units * shared.different[at(t)]);
            by_operand[at(t)] = one;
            none.reads += one.reads;
            none.updates += one.updates;
        }
        visit(none);
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (!neighbours_.is_plain(t)) continue;
            const Words held = of(t, once_[at(t)]);
            visit(Words{none.reads - by_operand[at(t)].reads + held.reads, 0.0,
                        none.updates - by_operand[at(t)].updates + held.updates});
        }
    }

   private:
    Words of(int t, double moved) const {
        if (!einsum_.tensors[at(t)].written) return {moved, 0.0, 0.0};
        return {std::max(0.0, moved - once_[at(t)]), 0.0, moved};
    }

    const Einsum& einsum_;
    const Neighbours& neighbours_;
    std::array<double, kMaxTensors> once_{};
    double operations_ = 1.0;
    double results_ = 0.0;
};

// Calls `visit` with one dimension along each axis of the array, each as often as `factor` says.
template <class Factor, class Visit>
void each_spread(int dimensions, const Mesh& array, const Factor& factor, const Visit& visit) {
    std::vector<Spread> ys{Spread{}};
    for (int d = 0; d < dimensions; ++d)
        if (const std::int64_t along = factor(d, array.y); along > 1) ys.push_back({-1, 1, d, along});
    for (int x = -1; x < dimensions; ++x) {
        const std::int64_t along = x < 0 ? 1 : factor(x, array.x);
        if (x >= 0 && along == 1) continue;
        for (const Spread& y : ys)
            if (x < 0 || x != y.y) visit(Spread{x, along, y.y, y.along_y});
    }
}

// Adds what no other is below in everything.
template <class Corner, class NoBetter>
void add_corner(std::vector<Corner>& corners, const Corner& one, const NoBetter& no_better) {
    if (std::ranges::any_of(corners, [&](const Corner& other) { return no_better(one, other); })) return;
    std::erase_if(corners, [&](const Corner& other) { return no_better(other, one); });
    corners.push_back(one);
}

// Calls `visit` with every way of the box: steps of the array, and what moves between it and the buffer.
template <class Visit>
void each_way(const Einsum& einsum, const Machine& machine, const std::vector<std::int64_t>& extents,
              Neighbours& neighbours, const ArrayWords& words, const Visit& visit) {
    const auto factor = [&](int d, std::int64_t most) { return largest_factor(extents[at(d)], most); };
    each_spread(einsum.dimension_count(), machine.array, factor, [&](const Spread& spread) {
        const Shared& shared = neighbours.at_spread(spread);
        words.each(shared, [&](const Words& moved) { visit(shared.units, moved); });
    });
}

// The same of a point of any box.
template <class Visit>
void each_way_of_a_point(const Einsum& einsum, const Machine& machine, const std::vector<bool>& any_extent,
                         const Visit& visit) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    Neighbours neighbours(einsum);
    const ArrayWords words(einsum, neighbours, extents);
    const auto factor = [&](int d, std::int64_t most) {
        return any_extent[at(d)] ? std::min(extents[at(d)], most) : largest_factor(extents[at(d)], most);
    };
    each_spread(einsum.dimension_count(), machine.array, factor, [&](const Spread& spread) {
        const Shared& shared = neighbours.at_spread(spread);
        const double steps = words.operations() / shared.units;
        words.each(shared, [&](const Words& moved) {
            visit(LeastPerPoint{energy_pj(machine.buffer, moved) / words.operations() + machine.operation_pj,
                                std::max(steps, busy(machine.buffer, moved)) / words.operations()});
        });
    });
}

}  // namespace

// The largest factors bring most units and share most: of a nest those of its own two dimensions, with its own operand
// in the registers, are no worse in anything.
LeastOfArray least_of_array(const Einsum& einsum, const Machine& machine, const std::vector<std::int64_t>& extents,
                            double fills, Neighbours& neighbours) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    LeastOfArray least{kNone, 1.0, kNone, kNone};
    const ArrayWords words(einsum, neighbours, extents);
    each_way(einsum, machine, extents, neighbours, words, [&](double units, Words moved) {
        const double steps = words.operations() / units;
        least.units = std::max(least.units, units);
        least.buffer_pj = std::min(least.buffer_pj, energy_pj(machine.buffer, moved));
        moved.fills = fills;
        least.cycles = std::min(least.cycles, std::max(steps, cycles(machine.buffer, moved)));
        moved.reads += words.results();
        least.resumed_cycles = std::min(least.resumed_cycles, std::max(steps, cycles(machine.buffer, moved)));
    });
    return least;
}

std::vector<ArrayCorner> corners_of_array(const Einsum& einsum, const Machine& machine,
                                          const std::vector<std::int64_t>& extents, double fills,
                                          Neighbours& neighbours) {
    std::vector<ArrayCorner> corners;
    const ArrayWords words(einsum, neighbours, extents);
    each_way(einsum, machine, extents, neighbours, words, [&](double units, Words moved) {
        const double steps = words.operations() / units;
        ArrayCorner corner{energy_pj(machine.buffer, moved)};
        moved.fills = fills;
        corner.cycles = std::max(steps, cycles(machine.buffer, moved));
        moved.reads += words.results();
        corner.resumed_cycles = std::max(steps, cycles(machine.buffer, moved));
        add_corner(corners, corner, [](const ArrayCorner& a, const ArrayCorner& b) {
            return a.buffer_pj >= b.buffer_pj && a.cycles >= b.cycles && a.resumed_cycles >= b.resumed_cycles;
        });
    });
    return corners;
}

// Where the factors of all boxes are no larger, neither are the units, and no less is moved for a point: words that the
// registers hold come once a box, and sums that go on are read in every step but the first.
LeastPerPoint least_per_point(const Einsum& einsum, const Machine& machine, const std::vector<bool>& any_extent) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    LeastPerPoint least{kNone, kNone};
    each_way_of_a_point(einsum, machine, any_extent, [&](const LeastPerPoint& one) {
        least = {std::min(least.energy_pj, one.energy_pj), std::min(least.cycles, one.cycles)};
    });
    return least;
}

std::vector<LeastPerPoint> corners_per_point(const Einsum& einsum, const Machine& machine,
                                             const std::vector<bool>& any_extent) {
    std::vector<LeastPerPoint> corners;
    each_way_of_a_point(einsum, machine, any_extent, [&](const LeastPerPoint& one) {
        add_corner(corners, one, [](const LeastPerPoint& a, const LeastPerPoint& b) {
            return a.energy_pj >= b.energy_pj && a.cycles >= b.cycles;
        });
    });
    return corners;
}

}  // namespace tilewright::fusion
