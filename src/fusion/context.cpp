#include "fusion/context.hpp"

#include <limits>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

using Places = std::vector<bool>;

// Places of an axis that the operand reaches when each dimension takes these values.
Places reached(const Coordinate& coordinate, const std::vector<Places>& values, std::int64_t extent) {
    std::vector<std::int64_t> all{coordinate.offset};
    for (const Term& term : coordinate.terms) {
        std::vector<std::int64_t> more;
        for (const std::int64_t place : all)
            for (std::size_t v = 0; v < values[at(term.dimension)].size(); ++v)
                if (values[at(term.dimension)][v])
                    more.push_back(place + term.coefficient * static_cast<std::int64_t>(v));
        std::ranges::sort(more);
        more.erase(std::ranges::unique(more).begin(), more.end());
        all = std::move(more);
    }
    Places places(at(extent), false);
    for (const std::int64_t place : all)
        if (place >= 0 && place < extent) places[at(place)] = true;
    return places;
}

double count(const Places& places) { return static_cast<double>(std::ranges::count(places, true)); }

// What is needed of every tensor at least, along each axis; those that are wanted outside wholly.
class Least {
   public:
    Least(const CascadeView& view, const Machine& machine, Leaves& leaves)
        : cascade_(view.cascade()), view_(view), machine_(machine), leaves_(leaves) {
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            std::vector<Places> axes;
            const CascadeTensor& tensor = cascade_.tensors[at(t)];
            const bool inside = tensor.writers.size() == 1 && view.may_stay_inside(t, cascade_.einsum_count());
            for (const std::int64_t extent : tensor.shape) axes.emplace_back(at(extent), !inside);
            needed_.push_back(std::move(axes));
        }
    }

    std::vector<LeastCost> costs() {
        std::vector<LeastCost> all(at(cascade_.einsum_count()));
        for (int e = cascade_.einsum_count() - 1; e >= 0; --e) all[at(e)] = cost(e);
        return all;
    }

   private:
    LeastCost cost(int e) {
        const CascadeEinsum& one = cascade_.einsums[at(e)];
        std::vector<Places> values;
        for (const Dimension& dimension : one.einsum.dimensions) values.emplace_back(at(dimension.extent), true);
        LeastCost least;
        for (int t = 0; t < one.einsum.tensor_count(); ++t)
            if (one.einsum.tensors[at(t)].written) {
                least.results.add_out(look(e, t, values), share_of(one, t));
                narrow(e, t, values);
            }
        double points = 1.0;
        for (const Places& places : values) points *= count(places);
        Traffic moved;
        least.points = points;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const bool written = one.einsum.tensors[at(t)].written;
            const double words = written ? look(e, t, values) : note(e, t, values);
            least.words.push_back(words);
            if (!written && view_.is_private_matter(one.accesses[at(t)].tensor)) moved.add_in(words, share_of(one, t));
        }
        for (const double words : least.words) least.paid.push_back(words / std::max(1.0, points));
        const auto repeats = static_cast<double>(view_.repeats(e));
        const Cost once = least_cost(machine_, least_of(leaves_.per_point(e, least.paid)), points, moved);
        least.cost = {once.energy_pj * repeats, once.cycles * repeats};
        return least;
    }

    WordShare share_of(const CascadeEinsum& one, int t) const {
        return machine_.dram.share_of(one.einsum.tensors[at(t)].bits);
    }

    // Only results that are needed are made, where a dimension says which.
    void narrow(int e, int t, std::vector<Places>& values) const {
        const CascadeEinsum& one = cascade_.einsums[at(e)];
        const Access& access = one.accesses[at(t)];
        for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
            const int d = view_.dimension_of(e, t, static_cast<int>(a));
            if (d < 0) continue;
            const Places& needed = needed_[at(access.tensor)][a];
            for (std::size_t i = 0; i < values[at(d)].size(); ++i) values[at(d)][i] = values[at(d)][i] && needed[i];
        }
    }

    // Words of the operand that are reached; 0 where they may be anywhere.
    double look(int e, int t, const std::vector<Places>& values) const {
        const Access& access = cascade_.einsums[at(e)].accesses[at(t)];
        const CascadeTensor& tensor = cascade_.tensors[at(access.tensor)];
        double words = access.anywhere ? 0.0 : 1.0;
        for (std::size_t a = 0; !access.anywhere && a < tensor.shape.size(); ++a)
            words *= count(reached(access.coordinates[a], values, tensor.shape[a]));
        return words;
    }

    // The same, and they are needed from now on.
    double note(int e, int t, const std::vector<Places>& values) {
        const Access& access = cascade_.einsums[at(e)].accesses[at(t)];
        const CascadeTensor& tensor = cascade_.tensors[at(access.tensor)];
        for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
            Places& needed = needed_[at(access.tensor)][a];
            if (access.anywhere) {
                needed.assign(needed.size(), true);
                continue;
            }
            const Places more = reached(access.coordinates[a], values, tensor.shape[a]);
            for (std::size_t i = 0; i < more.size(); ++i)
                if (more[i]) needed[i] = true;
        }
        return look(e, t, values);
    }

    const Cascade& cascade_;
    const CascadeView& view_;
    const Machine& machine_;
    Leaves& leaves_;
    std::vector<std::vector<Places>> needed_;
};

}  // namespace

Cost Context::loading(int tensor, std::int64_t words, std::int64_t repeats) const {
    const std::int64_t bits = view.cascade().tensors[at(tensor)].bits;
    const auto moved = static_cast<double>(words * repeats);
    const double busy = moved * machine.dram.share_of(bits).bandwidth;  // of both: their words are of one width
    return {energy_pj(machine.dram, {machine.dram.accessed(moved, bits), 0.0, 0.0}) +
                energy_pj(machine.buffer, {0.0, machine.buffer.accessed(moved, bits), 0.0}),
            std::max(cycles(machine.dram, {busy, 0.0, 0.0}), cycles(machine.buffer, {0.0, busy, 0.0}))};
}

Cost Context::storing(int tensor, std::int64_t words, std::int64_t repeats) const {
    const std::int64_t bits = view.cascade().tensors[at(tensor)].bits;
    const auto moved = static_cast<double>(words * repeats);
    return {energy_pj(machine.dram, {0.0, 0.0, machine.dram.accessed(moved, bits)}),
            cycles(machine.dram, {0.0, 0.0, moved * machine.dram.share_of(bits).bandwidth})};
}

std::vector<LeastCost> least_costs(const CascadeView& view, const Machine& machine, Leaves& leaves) {
    return Least(view, machine, leaves).costs();
}

LeastPerPoint least_of(std::span<const LeastPerPoint> corners) {
    LeastPerPoint least = corners.front();
    for (const LeastPerPoint& one : corners)
        least = {std::min(least.energy_pj, one.energy_pj), std::min(least.cycles, one.cycles)};
    return least;
}

Cost least_cost(const Machine& machine, const LeastPerPoint& array, double points, const Traffic& moved) {
    return {points * array.energy_pj + energy_pj(machine.dram, {moved.in, 0.0, moved.out}),
            std::max(points * array.cycles, moved.busy / machine.dram.shared_rate)};
}

Floor array_floor(std::span<const LeastPerPoint> corners, double points, const Weights& weights) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    Floor floor{{kNone, kNone}, kNone};
    for (const LeastPerPoint& one : corners) {
        floor.cost.energy_pj = std::min(floor.cost.energy_pj, points * one.energy_pj);
        floor.cost.cycles = std::min(floor.cost.cycles, points * one.cycles);
        floor.value = std::min(floor.value, weights.value(points * one.energy_pj, points * one.cycles));
    }
    return floor;
}

// Traffic adds energy to whatever the array does, and takes no cycles away.
Floor with_traffic(const Machine& machine, const Floor& array, const Traffic& moved, const Weights& weights) {
    const Cost all = least_cost(machine, {array.cost.energy_pj, array.cost.cycles}, 1.0, moved);
    const double apart = weights.value(all.energy_pj, all.cycles);
    const double together = array.value + weights.value(all.energy_pj - array.cost.energy_pj, 0.0);
    return {all, std::max(apart, together)};
}

}  // namespace tilewright::fusion
