#include "fusion/leaf/array_part.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/numbers/factors.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
double words_of(const Tensor& tensor, const std::vector<std::int64_t>& extents) {
    double product = 1.0;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) width += term.coefficient * (extents[at(term.dimension)] - 1);
        product *= static_cast<double>(width);
    }
    return product;
}

std::vector<int> may_be_in_register(const Einsum& einsum) {
    std::vector<int> operands;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_without_windows(einsum.tensors[at(t)])) operands.push_back(t);
    return operands;
}

std::int64_t largest_factor(std::int64_t extent, std::int64_t most) {
    std::int64_t factor = std::min(most, extent);
    while (extent % factor != 0) --factor;
    return factor;
}

ArrayPart::ArrayPart(const Einsum& einsum, const Machine& machine, std::vector<std::int64_t> box, double fills,
                     Neighbours& neighbours)
    : einsum_(einsum),
      machine_(machine),
      box_(std::move(box)),
      neighbours_(neighbours),
      in_register_(may_be_in_register(einsum)),
      least_(least_of_array(einsum, machine, box_, fills, neighbours)) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        operations_ *= static_cast<double>(box_[at(d)]);
        divisors_.push_back(tilewright::divisors(box_[at(d)]));
        sides_x_.push_back(side_of(d, machine.array.x));
        sides_y_.push_back(side_of(d, machine.array.y));
        movers_.push_back(neighbours.moved_by(d));
    }
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[at(t)];
        final_words_.push_back(tensor.written ? words_of(tensor, box_) : 0.0);
    }
    const auto factors = [](const std::vector<Side>& sides, int d) { return d < 0 ? 1 : sides[at(d)].factors.size(); };
    for (int x = -1; x < einsum.dimension_count(); ++x) {
        if (x >= 0 && factors(sides_x_, x) == 1) continue;  // nothing but 1
        for (int y = -1; y < einsum.dimension_count(); ++y) {
            if (y >= 0 && (y == x || factors(sides_y_, y) == 1)) continue;
            pairs_.push_back({x, y, std::vector<const Shared*>(factors(sides_x_, x) * factors(sides_y_, y))});
        }
    }
}

const std::vector<std::int64_t>& ArrayPart::divisors(int dimension) const { return divisors_[at(dimension)]; }

ArrayPart::Side ArrayPart::side_of(int dimension, std::int64_t most) const {
    Side side;
    for (const std::int64_t extent : divisors_[at(dimension)]) {
        const std::int64_t best = largest_factor(extent, most);
        if (side.factors.empty() || best > side.factors.back()) side.factors.push_back(best);
        side.of.push_back(at(std::ranges::lower_bound(side.factors, best) - side.factors.begin()));
    }
    return side;
}

const Shared& ArrayPart::shared(Pair& pair, std::size_t i, std::size_t j) {
    const std::size_t across = pair.y < 0 ? 1 : sides_y_[at(pair.y)].factors.size();
    const Shared*& known = pair.known[i * across + j];
    if (known == nullptr)
        known = &neighbours_.at_spread({pair.x, pair.x < 0 ? 1 : sides_x_[at(pair.x)].factors[i], pair.y,
                                        pair.y < 0 ? 1 : sides_y_[at(pair.y)].factors[j]});
    return *known;
}

const std::vector<Inside>& ArrayPart::ways(const Tile& tile, Ranking ranking) {
    ways_.clear();
    ranking_ = ranking;
    way_pj_ = std::numeric_limits<double>::infinity();
    calls_ = 1.0;
    moving_.assign(at(einsum_.tensor_count()), 1.0);
    for (int d = 0; d < einsum_.dimension_count(); ++d) {
        const std::int64_t extent = divisors_[at(d)][tile[at(d)]];
        const std::int64_t tiles = box_[at(d)] / extent;  // it divides
        calls_ *= static_cast<double>(tiles);
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (movers_[at(d)].has(t)) moving_[at(t)] *= static_cast<double>(extent);
    }
    for (Pair& pair : pairs_) {
        const std::size_t i = pair.x < 0 ? 0 : sides_x_[at(pair.x)].of[tile[at(pair.x)]];
        const std::size_t j = pair.y < 0 ? 0 : sides_y_[at(pair.y)].of[tile[at(pair.y)]];
        if (pair.x >= 0 && sides_x_[at(pair.x)].factors[i] == 1) continue;  // what the pair without it does
        if (pair.y >= 0 && sides_y_[at(pair.y)].factors[j] == 1) continue;
        add_ways(tile, pair, shared(pair, i, j));
    }
    return ways_;
}

void ArrayPart::add_ways(const Tile& tile, const Pair& pair, const Shared& shared) {
    Inside bare{pair.x, pair.y};
    bare.units = shared.units;
    const double steps = operations_ / shared.units;
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        const double moved = steps * shared.different[at(t)];
        if (einsum_.tensors[at(t)].written) bare.updates += moved;
        bare.reads += moved - final_words_[at(t)];
    }
    add(bare);
    for (const int t : in_register_) {
        Inside one = bare;
        one.in_register = t;
        one.register_words = shared.different[at(t)];
        const double tiles = tiles_in_register(tile, pair, t);
        one.by_order = tiles == 1.0;
        const double spared =
            steps * shared.different[at(t)] - (one.by_order ? 0.0 : tiles * shared.different[at(t)] * calls_);
        one.reads -= spared;
        if (einsum_.tensors[at(t)].written) one.updates -= spared;
        add(one);
    }
}

// The register's words of one tile of the buffer.
double ArrayPart::tiles_in_register(const Tile& tile, const Pair& pair, int operand) const {
    double tiles = moving_[at(operand)];
    const auto take = [&](const std::vector<Side>& sides, int d) {
        if (d < 0 || !movers_[at(d)].has(operand)) return;
        tiles /= static_cast<double>(sides[at(d)].factors[sides[at(d)].of[tile[at(d)]]]);
    };
    take(sides_x_, pair.x);
    take(sides_y_, pair.y);
    return tiles;
}

// Of equal or worse ones only the first is kept.
void ArrayPart::add(const Inside& one) {
    const auto beats = [](const Inside& a, const Inside& b) {
        return !a.by_order && a.reads <= b.reads && a.updates <= b.updates && a.units >= b.units;
    };
    if (!one.by_order) {
        if (ranking_ == Ranking::energy_first) {
            constexpr double kRounding = 1e-12;
            const double pj = energy_pj(machine_.buffer, {one.reads, 0.0, one.updates});
            if (pj > way_pj_ * (1.0 + kRounding)) return;
            if (pj < way_pj_ * (1.0 - kRounding))
                std::erase_if(ways_, [](const Inside& other) { return !other.by_order; });
            way_pj_ = std::min(way_pj_, pj);
        }
        if (std::ranges::any_of(ways_, [&](const Inside& other) { return beats(other, one); })) return;
        std::erase_if(ways_, [&](const Inside& other) { return !other.by_order && beats(one, other); });
    }
    ways_.push_back(one);
}

}  // namespace tilewright::fusion
