#include "fusion/hierarchy/leaf_floors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "arch/widths.hpp"
#include "base/numbers/factors.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kNoWay = std::numeric_limits<double>::infinity();

// Every dimension stands alone in its rank.
bool has_windows(const Tensor& tensor) {
    return std::ranges::any_of(tensor.ranks, [](const Rank& rank) { return rank.terms.size() > 1; });
}

// The largest product of a divisor of each extent, as far as each may go, that is no more than `most`.
double largest_product(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& limits,
                       std::int64_t most) {
    constexpr std::int64_t kMany = 1 << 16;
    if (most == 1 || most > kMany) return static_cast<double>(most);
    std::set<std::int64_t> products{1};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        if (limits[d] <= 1) continue;
        std::set<std::int64_t> more;
        for (const std::int64_t divisor : divisors(extents[d])) {
            if (divisor > limits[d] || divisor > most) break;
            for (const std::int64_t product : products)
                if (product <= most / divisor) more.insert(product * divisor);
        }
        products = std::move(more);
    }
    return static_cast<double>(*products.rbegin());
}

}  // namespace

LeafFloors::LeafFloors(const Einsum& einsum, const Architecture& architecture, int buffer, const Constraints& demands)
    : einsum_(einsum),
      architecture_(architecture),
      buffer_(buffer),
      demands_(demands),
      dram_(machine_around(architecture).dram) {
    for (int m = 0; m < architecture.memory_count(); ++m)
        axes_.push_back(axes_of(demands.levels.empty() ? LoopConstraint{} : demands.levels[m].spatial,
                                architecture.fanout(m), einsum.dimension_count()));
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!may_keep(buffer, t)) must_pass_.add(t);
    find_least();
}

bool LeafFloors::may_keep(int memory, int operand) const {
    const Memory& one = architecture_.memories[memory];
    if (one.spreads_only || one.usable_words() == 0) return false;
    return demands_.levels.empty() || !demands_.levels[memory].must_bypass.has(operand);
}

bool LeafFloors::must_keep(int memory, int operand) const {
    return !demands_.levels.empty() && demands_.levels[memory].must_keep.has(operand);
}

std::int64_t LeafFloors::most_across(int memory, int dimension, std::int64_t extent) const {
    if (demands_.levels.empty() || demands_.levels[memory].spatial.factors.empty()) return extent;
    const FactorConstraint& factor = demands_.levels[memory].spatial.factors[dimension];
    if (factor.exactly && *factor.exactly > 0) return std::min(extent, *factor.exactly);
    return std::min(extent, factor.at_most.value_or(extent));
}

// No more than this by the bounds on factors alone.
double LeafFloors::most_of(int memory, const Extents& extents, Dimensions dimensions) const {
    double most = 1.0;
    for (int d = 0; d < einsum_.dimension_count(); ++d)
        if ((dimensions >> d & 1U) != 0) most *= static_cast<double>(most_across(memory, d, extents[d]));
    return most;
}

// Neighbours below a memory that differ in these dimensions alone.
double LeafFloors::neighbours(int memory, const Extents& extents, Dimensions dimensions) const {
    const Axes& axes = axes_[memory];
    const double along_x =
        std::min(most_of(memory, extents, dimensions & axes.along_x), static_cast<double>(axes.room.x));
    const double along_y =
        std::min(most_of(memory, extents, dimensions & axes.along_y), static_cast<double>(axes.room.y));
    return std::min(most_of(memory, extents, dimensions), along_x * along_y);
}

LeafFloors::Dimensions LeafFloors::unmoved_by(int operand) const {
    Dimensions still = 0;
    for (int d = 0; d < einsum_.dimension_count(); ++d)
        if (!is_relevant(einsum_.tensors[operand], d)) still |= 1U << d;
    return still;
}

// Units below one instance of the memory that may ask for the same word of the operand at once. Of dimensions that add
// up in a window, the places are at least as many as those of the one that spreads most.
double LeafFloors::sharing(int memory, int operand, const Extents& extents) const {
    const Tensor& tensor = einsum_.tensors[operand];
    const Dimensions still = unmoved_by(operand);
    double all = 1.0;
    double shared = 1.0;
    std::vector<double> across(einsum_.dimensions.size(), 1.0);
    for (int m = memory; m < architecture_.memory_count(); ++m) {
        all *= static_cast<double>(architecture_.fanout(m).size());
        shared *= neighbours(m, extents, still);
        for (int d = 0; d < einsum_.dimension_count(); ++d) across[d] *= neighbours(m, extents, 1U << d);
    }
    for (const Rank& rank : tensor.ranks) {
        double product = 1.0;
        double largest = 1.0;
        for (const Term& term : rank.terms) {
            const double one = std::min(across[term.dimension], static_cast<double>(extents[term.dimension]));
            product *= one;
            largest = std::max(largest, one);
        }
        shared *= product / largest;
    }
    double unmoved = 1.0;
    for (int d = 0; d < einsum_.dimension_count(); ++d)
        if ((still >> d & 1U) != 0 || has_windows(tensor)) unmoved *= static_cast<double>(extents[d]);
    return std::min({all, shared, unmoved});
}

// Of results at all instances of a memory: no read precedes these.
double LeafFloors::first_arrivals(int memory, int operand, const Extents& extents, double words) const {
    double copies = 1.0;
    for (int m = 0; m < memory; ++m) copies *= neighbours(m, extents, unmoved_by(operand));
    return words * copies;
}

// Along either axis of a mesh no more work than factors of the box fill of it.
double LeafFloors::units(const Extents& extents) const {
    double units = 1.0;
    double points = 1.0;
    for (const std::int64_t extent : extents) points *= static_cast<double>(extent);
    for (int m = 0; m < architecture_.memory_count(); ++m) {
        const Mesh fanout = architecture_.fanout(m);
        if (fanout.size() == 1) continue;
        const auto largest = [&](Dimensions dimensions, std::int64_t room) {
            Extents limits;
            for (int d = 0; d < einsum_.dimension_count(); ++d)
                limits.push_back((dimensions >> d & 1U) != 0 ? most_across(m, d, extents[d]) : 1);
            return largest_product(extents, limits, room);
        };
        const Axes& axes = axes_[m];
        const double by_axis = largest(axes.along_x, fanout.x) * largest(axes.along_y, fanout.y);
        units *= std::min(by_axis, largest(axes.along_x | axes.along_y, fanout.size()));
    }
    return std::min(units, points);
}

double LeafFloors::share_of_price(int memory, int operand) const {
    const Memory& one = architecture_.memories[memory];
    return 1.0 / (words_per_access(einsum_.tensors[operand], one) * static_cast<double>(one.cluster_size));
}

// What the units take from the memory and leave there.
double LeafFloors::energy_at_units(int memory, int operand, const Box& box, double words) const {
    const MemoryEnergy& energy = architecture_.memories[memory].energy;
    const double moved = std::max(words, box.operations / sharing(memory, operand, box.extents));
    if (!einsum_.tensors[operand].written) return moved * energy.read_pj.value * share_of_price(memory, operand);
    const double read = std::max(0.0, moved - first_arrivals(memory, operand, box.extents, words));
    return (moved * energy.update_pj.value + read * energy.read_pj.value) * share_of_price(memory, operand);
}

// Every word once through a memory that has to keep the operand and has another one inside it that does.
double LeafFloors::passing_energy(int memory, int operand, double words) const {
    const MemoryEnergy& energy = architecture_.memories[memory].energy;
    const double pj =
        einsum_.tensors[operand].written ? energy.update_pj.value : energy.fill_pj.value + energy.read_pj.value;
    return words * pj * share_of_price(memory, operand);
}

// Whichever memory the units ask.
double LeafFloors::operand_energy(int operand, const Box& box, int home) const {
    const Tensor& tensor = einsum_.tensors[operand];
    const double words = touched_words(tensor, box.extents);
    const MemoryEnergy& at_home = architecture_.memories[home].energy;
    const double out =
        words * (tensor.written ? at_home.update_pj.value : at_home.read_pj.value) * share_of_price(home, operand);
    double least = kNoWay;
    for (int m = architecture_.memory_count() - 1; m > home; --m) {
        if (!may_keep(m, operand)) continue;
        double energy = out + energy_at_units(m, operand, box, words);
        if (!tensor.written)
            energy += words * architecture_.memories[m].energy.fill_pj.value * share_of_price(m, operand);
        for (int outer = home + 1; outer < m; ++outer)
            if (must_keep(outer, operand)) energy += passing_energy(outer, operand, words);
        least = std::min(least, energy);
        if (must_keep(m, operand)) return least;
    }
    return std::min(least, energy_at_units(home, operand, box, words));
}

LeafPoint LeafFloors::of(const LeafQuestion& question) const {
    constexpr double kForbidden = 1e100;  // its sums are finite
    if (!may_hold(question.held)) return {0, kForbidden, kForbidden};
    Box box{question.extents};
    for (const std::int64_t extent : question.extents) box.operations *= static_cast<double>(extent);
    double energy = box.operations * architecture_.compute.energy_pj.value;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        energy += operand_energy(t, box, question.held.has(t) ? buffer_ : 0);
    constexpr double kRounding = 1.0 - 1e-12;
    const double cycles = std::max(std::ceil(box.operations / units(box.extents) * kRounding), dram_cycles(question));
    const auto calls = static_cast<double>(1 + question.resumed);
    return {0, calls * energy, calls * cycles};
}

double LeafFloors::dram_cycles(const LeafQuestion& question) const {
    Words moved;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if (!question.held.has(t))
            (einsum_.tensors[t].written ? moved.updates : moved.reads) +=
                touched_words(einsum_.tensors[t], question.extents) * dram_.share_of(einsum_.tensors[t].bits).bandwidth;
    return cycles(dram_, moved);
}

// Boxes of an einsum are no larger than it: words come no more often for a point of them, and no more units share.
double LeafFloors::per_point_energy(int operand, const Box& box) const {
    const double words = touched_words(einsum_.tensors[operand], box.extents) / box.operations;
    const bool written = einsum_.tensors[operand].written;
    double least = kNoWay;
    for (int m = architecture_.memory_count() - 1; m >= buffer_; --m) {
        if (!may_keep(m, operand)) continue;
        const MemoryEnergy& energy = architecture_.memories[m].energy;
        double pj = (written ? energy.update_pj.value : energy.read_pj.value) * share_of_price(m, operand) /
                    sharing(m, operand, box.extents);
        if (!written && m > buffer_) pj += words * energy.fill_pj.value * share_of_price(m, operand);
        for (int outer = buffer_ + 1; outer < m; ++outer)
            if (must_keep(outer, operand)) pj += passing_energy(outer, operand, words);
        least = std::min(least, pj);
        if (m > buffer_ && must_keep(m, operand)) return least;
    }
    // Straight from a memory outside: that is counted there.
    return must_keep(buffer_, operand) ? least : 0.0;
}

void LeafFloors::find_least() {
    Extents extents;
    for (const Dimension& dimension : einsum_.dimensions) extents.push_back(dimension.extent);
    Box box{extents};
    for (const std::int64_t extent : extents) box.operations *= static_cast<double>(extent);
    least_.energy_pj = architecture_.compute.energy_pj.value;
    for (int t = 0; t < einsum_.tensor_count(); ++t) least_.energy_pj += per_point_energy(t, box);
    double units = 1.0;
    const Dimensions all = (Dimensions{1} << einsum_.dimension_count()) - 1;
    for (int m = 0; m < architecture_.memory_count(); ++m) units *= neighbours(m, extents, all);
    least_.cycles = 1.0 / std::min(units, box.operations);
}

}  // namespace tilewright::fusion
