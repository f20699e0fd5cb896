#include "fusion/leaf/leaf_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/numbers/factors.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

bool moves(const Tensor& tensor, int dimension) { return is_relevant(tensor, dimension); }

bool has_windows(const Tensor& tensor) {
    return std::ranges::any_of(tensor.ranks, [](const Rank& rank) {
        return rank.terms.size() > 1 || (rank.terms.size() == 1 && rank.terms.front().coefficient != 1);
    });
}

TensorSet movers(const Einsum& einsum, int dimension) {
    TensorSet set;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (moves(einsum.tensors[at(t)], dimension)) set.add(t);
    return set;
}

bool may_be_cut(const Einsum& einsum, int dimension) {
    return std::ranges::all_of(einsum.tensors, [&](const Tensor& tensor) { return is_alone(tensor, dimension); });
}

// Different places on one axis of so many neighbours of its dimensions.
double places(const Rank& rank, int x, std::int64_t along_x, int y, std::int64_t along_y) {
    std::int64_t by_x = 0;
    std::int64_t by_y = 0;
    for (const Term& term : rank.terms) {
        if (term.dimension == x) by_x = term.coefficient;
        if (term.dimension == y) by_y = term.coefficient;
    }
    if (by_x == 0 || by_y == 0) return static_cast<double>((by_x ? along_x : 1) * (by_y ? along_y : 1));
    std::set<std::int64_t> all;
    for (std::int64_t i = 0; i < along_x; ++i)
        for (std::int64_t j = 0; j < along_y; ++j) all.insert(by_x * i + by_y * j);
    return static_cast<double>(all.size());
}

double different(const Tensor& tensor, int x, std::int64_t along_x, int y, std::int64_t along_y) {
    double product = 1.0;
    for (const Rank& rank : tensor.ranks) product *= places(rank, x, along_x, y, along_y);
    return product;
}

}  // namespace

bool is_alone(const Tensor& tensor, int dimension) {
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == dimension && (rank.terms.size() > 1 || term.coefficient != 1)) return false;
    return true;
}

LeafSpace::LeafSpace(const Einsum& einsum, const Machine& machine, const LeafQuestion& question)
    : einsum_(einsum), machine_(machine), question_(question), tile_(question.extents) {
    for (const std::int64_t extent : question.extents) operations_ *= static_cast<double>(extent);
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[at(t)].written) first_arrivals_ += words(t, question.extents);
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (question.extents[at(d)] == 1 || !may_be_cut(einsum, d)) continue;
        const TensorSet moved = movers(einsum, d);
        if ((moved.bits() & ~question.held.bits()) == 0) continue;  // cutting would bring nothing
        auto group = std::ranges::find(groups_, moved, &LoopGroup::moves);
        if (group == groups_.end()) group = groups_.insert(groups_.end(), {moved, {}});
        group->dimensions.push_back(d);
    }
}

void LeafSpace::list(const std::function<bool(const LeafChoice&, const LeafPoint&)>& visit) {
    visit_ = &visit;
    go_on_ = true;
    tile_ = question_.extents;
    cut(0);
}

// One dimension after the other: earlier ones at one, later ones whole.
void LeafSpace::cut(std::size_t group) {
    if (!go_on_) return;
    if (group == groups_.size()) return at_tile();
    const std::vector<int>& dimensions = groups_[group].dimensions;
    cut(group + 1);  // all of them whole
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::int64_t extent = question_.extents[at(dimensions[i])];
        for (const std::int64_t part : divisors(extent)) {
            if (part == extent) continue;
            tile_[at(dimensions[i])] = part;
            cut(group + 1);
        }
        tile_[at(dimensions[i])] = 1;
    }
    for (const int d : dimensions) tile_[at(d)] = question_.extents[at(d)];
}

double LeafSpace::words(int operand, const std::vector<std::int64_t>& extents) const {
    double product = 1.0;
    for (const Rank& rank : einsum_.tensors[at(operand)].ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) width += term.coefficient * (extents[at(term.dimension)] - 1);
        product *= static_cast<double>(width);
    }
    return product;
}

void LeafSpace::at_tile() {
    double own = 0.0;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if (!question_.held.has(t)) own += words(t, tile_);
    if (own > static_cast<double>(machine_.capacity_words)) return;
    own_ = static_cast<std::int64_t>(own);
    double points = 1.0;
    for (const std::int64_t extent : tile_) points *= static_cast<double>(extent);
    calls_ = operations_ / points;
    find_insides();
    for (const Outside& outside : outsides())
        for (const Inside& inside : insides_)
            if (!meet(outside, inside)) return;
}

std::int64_t LeafSpace::spread(int dimension, std::int64_t most) const {
    if (dimension < 0) return 1;
    std::int64_t best = 1;
    for (std::int64_t factor = 2; factor <= std::min(most, tile_[at(dimension)]); ++factor)
        if (tile_[at(dimension)] % factor == 0) best = factor;
    return best;
}

void LeafSpace::find_insides() {
    insides_.clear();
    for (int x = -1; x < einsum_.dimension_count(); ++x) {
        if (x >= 0 && spread(x, machine_.array.x) == 1) continue;
        for (int y = -1; y < einsum_.dimension_count(); ++y) {
            if (y >= 0 && (y == x || spread(y, machine_.array.y) == 1)) continue;
            add_insides(x, y);
        }
    }
}

double LeafSpace::neighbours(int operand, int x, int y) const {
    return different(einsum_.tensors[at(operand)], x, spread(x, machine_.array.x), y, spread(y, machine_.array.y));
}

void LeafSpace::add_insides(int x, int y) {
    std::vector<double> groups;
    for (int t = 0; t < einsum_.tensor_count(); ++t) groups.push_back(neighbours(t, x, y));
    Inside spread_only{x, y};
    spread_only.units = static_cast<double>(spread(x, machine_.array.x) * spread(y, machine_.array.y));
    for (int t = -1; t < einsum_.tensor_count(); ++t)
        if (t < 0 || !has_windows(einsum_.tensors[at(t)])) add_inside(spread_only, groups, t);
}

// What the array asks of the buffer; of equal or worse ones only the first is kept, unless the loops outside decide.
void LeafSpace::add_inside(const Inside& spread_only, const std::vector<double>& groups, int in_register) {
    Inside one = spread_only;
    one.in_register = in_register;
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        double moved = operations_ / one.units * groups[at(t)];
        if (t == in_register) {
            double tiles = 1.0;  // the register's words of one tile of the buffer
            for (int d = 0; d < einsum_.dimension_count(); ++d)
                if (moves(einsum_.tensors[at(t)], d)) {
                    const std::int64_t steps = tile_[at(d)] / (d == one.x   ? spread(d, machine_.array.x)
                                                               : d == one.y ? spread(d, machine_.array.y)
                                                                            : 1);  // it divides
                    tiles *= static_cast<double>(steps);
                }
            one.by_order = tiles == 1.0;
            one.register_words = groups[at(t)];
            moved = one.by_order ? 0.0 : tiles * groups[at(t)] * calls_;
        }
        const Tensor& tensor = einsum_.tensors[at(t)];
        if (!tensor.written) {
            one.reads += moved;
            continue;
        }
        one.updates += moved;
        one.reads += moved - words(t, question_.extents);
    }
    const auto beats = [](const Inside& a, const Inside& b) {
        return !a.by_order && a.reads <= b.reads && a.updates <= b.updates && a.units >= b.units;
    };
    if (!one.by_order) {
        if (std::ranges::any_of(insides_, [&](const Inside& other) { return beats(other, one); })) return;
        std::erase_if(insides_, [&](const Inside& other) { return !other.by_order && beats(one, other); });
    }
    insides_.push_back(one);
}

std::vector<LeafSpace::Outside> LeafSpace::outsides() const {
    std::vector<int> order;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (std::ranges::any_of(groups_[g].dimensions, [&](int d) { return tile_[at(d)] < question_.extents[at(d)]; }))
            order.push_back(static_cast<int>(g));
    std::vector<Outside> all;
    do {
        Outside one = outside(order);
        if (std::ranges::none_of(all, [&](const Outside& other) { return other.trips == one.trips; }))
            all.push_back(std::move(one));
    } while (std::ranges::next_permutation(order).found);
    return all;
}

LeafSpace::Outside LeafSpace::outside(const std::vector<int>& order) const {
    Outside one{order, std::vector<double>(einsum_.tensors.size(), 1.0), {}, 0.0};
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        double trips = 1.0;  // of all loops down to the innermost that moves the operand
        for (const int g : order) {
            const LoopGroup& group = groups_[at(g)];
            for (const int d : group.dimensions) {
                const std::int64_t tiles = question_.extents[at(d)] / tile_[at(d)];  // it divides
                trips *= static_cast<double>(tiles);
            }
            if (group.moves.has(t)) one.trips[at(t)] = trips;
        }
        if (question_.held.has(t)) continue;
        const double moved = words(t, tile_) * one.trips[at(t)];
        const bool written = einsum_.tensors[at(t)].written;
        const double in = written ? moved - words(t, question_.extents) : moved;
        one.dram.reads += in;
        one.fills += in;
        if (written) one.dram.updates += moved;
    }
    return one;
}

bool LeafSpace::meet(const Outside& outside, const Inside& inside) {
    Words buffer{inside.reads, outside.fills, inside.updates};
    if (inside.by_order) {
        const double moved = inside.register_words * outside.trips[at(inside.in_register)];
        const bool written = einsum_.tensors[at(inside.in_register)].written;
        buffer.reads += moved;
        if (written) buffer.updates += moved;
    }
    LeafPoint point{own_, 0.0, 0.0};
    add_calls(1, inside.units, outside.dram, buffer, point);
    if (question_.resumed > 0) {
        buffer.reads += first_arrivals_;
        add_calls(question_.resumed, inside.units, outside.dram, buffer, point);
    }
    go_on_ = (*visit_)({tile_, outside.groups, inside.x, inside.y, inside.in_register}, point);
    return go_on_;
}

void LeafSpace::add_calls(std::int64_t calls, double units, const Words& dram, const Words& buffer,
                          LeafPoint& point) const {
    const auto times = static_cast<double>(calls);
    point.energy_pj += times * (operations_ * machine_.operation_pj + energy_pj(machine_.dram, dram) +
                                energy_pj(machine_.buffer, buffer));
    point.cycles +=
        times * std::max({operations_ / units, cycles(machine_.dram, dram), cycles(machine_.buffer, buffer)});
}

LeafNest LeafSpace::nest(const LeafChoice& choice) const {
    LeafNest nest;
    for (const int g : choice.order)
        for (const int d : groups_[at(g)].dimensions)
            if (choice.tile[at(d)] < question_.extents[at(d)])
                nest.nodes.emplace_back(LeafLoop{d, choice.tile[at(d)], LoopKind::temporal});
    const TensorSet all = TensorSet::all(einsum_.tensor_count());
    nest.nodes.emplace_back(Store{kBuffer, TensorSet::from_bits(all.bits() & ~question_.held.bits())});
    const auto factor = [&](int d, std::int64_t most) {
        std::int64_t best = 1;
        for (std::int64_t f = 2; f <= std::min(most, choice.tile[at(d)]); ++f)
            if (choice.tile[at(d)] % f == 0) best = f;
        return best;
    };
    const auto add = [&](bool moving) {
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            const bool moved = choice.in_register >= 0 && moves(einsum_.tensors[at(choice.in_register)], d);
            if (moved != moving) continue;
            const std::int64_t step = d == choice.across_x   ? factor(d, machine_.array.x)
                                      : d == choice.across_y ? factor(d, machine_.array.y)
                                                             : 1;
            if (step < choice.tile[at(d)]) nest.nodes.emplace_back(LeafLoop{d, step, LoopKind::temporal});
        }
    };
    add(true);
    add(false);
    if (choice.across_x >= 0) nest.nodes.emplace_back(LeafLoop{choice.across_x, 1, LoopKind::spatial_x});
    if (choice.across_y >= 0) nest.nodes.emplace_back(LeafLoop{choice.across_y, 1, LoopKind::spatial_y});
    nest.nodes.emplace_back(
        Store{kRegister, choice.in_register >= 0 ? TensorSet::of(choice.in_register) : TensorSet{}});
    return nest;
}

LeastSpread least_spread(const Einsum& einsum, const Machine& machine) {
    const double infinity = std::numeric_limits<double>::infinity();
    LeastSpread least{infinity, infinity};
    const auto along = [&](int d, std::int64_t most) {
        return d < 0 ? 1 : std::min(most, einsum.dimensions[at(d)].extent);
    };
    double words = infinity;
    for (int x = -1; x < einsum.dimension_count(); ++x)
        for (int y = -1; y < einsum.dimension_count(); ++y) {
            if (x == y && x >= 0) continue;
            const std::int64_t fx = along(x, machine.array.x);
            const std::int64_t fy = along(y, machine.array.y);
            const double units = static_cast<double>(fx * fy);
            for (int kept = -1; kept < einsum.tensor_count(); ++kept) {
                Words moved;
                for (int t = 0; t < einsum.tensor_count(); ++t) {
                    if (t == kept) continue;  // hardly ever moved: nothing is
                    const double each = different(einsum.tensors[at(t)], x, fx, y, fy) / units;
                    if (!einsum.tensors[at(t)].written) {
                        moved.reads += each;
                        continue;
                    }
                    double sums = 1.0;
                    for (int d = 0; d < einsum.dimension_count(); ++d)
                        if (!moves(einsum.tensors[at(t)], d))
                            sums *= static_cast<double>(einsum.dimensions[at(d)].extent);
                    moved.updates += each;
                    moved.reads += std::max(0.0, each - 1.0 / sums);
                }
                least.energy_pj = std::min(least.energy_pj, energy_pj(machine.buffer, moved));
                words = std::min(words, moved.reads + moved.updates);
            }
            least.cycles = std::min(least.cycles, 1.0 / units);
        }
    least.cycles = std::max(least.cycles, words / machine.buffer.shared_rate);
    return least;
}

}  // namespace tilewright::fusion
