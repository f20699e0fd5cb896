#include "certificate/common/addresses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "model/exact/costs.hpp"

namespace tilewright::certificate {

Addresses::Addresses(const Einsum& einsum, const Tensor& tensor) : written(tensor.written) {
    for (const Rank& rank : tensor.ranks) {
        Box coefficients{};
        for (const Term& term : rank.terms)
            if (einsum.dimensions[term.dimension].extent > 1)
                coefficients[term.dimension] += static_cast<double>(term.coefficient);
        std::uint32_t moved = 0;
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            if (coefficients[d] == 0.0) continue;
            moved |= 1U << d;
            if (coefficients[d] < 0.0) steady = false;
        }
        if (std::popcount(moved) > 1) overlaps = true;
        if ((moved & moving) != 0) {
            overlaps = true;
            steady = false;
        }
        moving |= moved;
        ranks.push_back(coefficients);
        dims.push_back(moved);
    }
}

double Addresses::width(std::size_t rank, const Box& extents) const {
    double width = 1.0;
    for (std::uint32_t left = dims[rank]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        width += std::abs(ranks[rank][d]) * (extents[d] - 1.0);
    }
    return width;
}

double Addresses::words(const Box& extents) const {
    double words = 1.0;
    for (std::size_t r = 0; r < ranks.size(); ++r) words *= width(r, extents);
    return words;
}

Move Addresses::step(int dimension, double stride) const {
    Move move{};
    for (std::size_t r = 0; r < ranks.size(); ++r) move[r] = ranks[r][dimension] * stride;
    return move;
}

double Addresses::kept(const Box& extents, int dimension, double stride) const {
    double kept = 1.0;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        kept *= std::max(0.0, width(r, extents) - std::abs(ranks[r][dimension]) * stride);
    return kept;
}

std::uint32_t Addresses::beside(int dimension) const {
    std::uint32_t beside = 0;
    for (const std::uint32_t moved : dims)
        if ((moved >> dimension & 1U) != 0) beside |= moved;
    return beside;
}

bool Addresses::shares_dimensions() const {
    std::uint32_t seen = 0;
    for (const std::uint32_t moved : dims) {
        if ((moved & seen) != 0) return true;
        seen |= moved;
    }
    return false;
}

std::vector<std::uint32_t> Addresses::tangles() const {
    std::vector<std::uint32_t> tangles;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (dims[r] == 0) continue;
        std::uint32_t joined = 1U << r;
        std::erase_if(tangles, [&](std::uint32_t before) {
            if ((moving_some_of(before) & dims[r]) == 0) return false;
            joined |= before;
            return true;
        });
        tangles.push_back(joined);
    }
    return tangles;
}

std::uint32_t Addresses::moving_some_of(std::uint32_t some) const {
    std::uint32_t moved = 0;
    for (; some != 0; some &= some - 1) moved |= dims[static_cast<std::size_t>(std::countr_zero(some))];
    return moved;
}

// Sums of k sets of n_i numbers take 1 + sum (n_i - 1) values or more. Of ranks sharing a dimension the widest counts.
double Addresses::distinct_at_least(const Box& extents) const {
    double product = 1.0;
    double widest = 1.0;
    std::uint32_t seen = 0;
    bool shared = false;
    for (const std::uint32_t moved : dims) {
        shared = shared || (moved & seen) != 0;
        seen |= moved;
        double values = 1.0;
        for (std::uint32_t left = moved; left != 0; left &= left - 1) values += extents[std::countr_zero(left)] - 1.0;
        product *= values;
        widest = std::max(widest, values);
    }
    return shared ? widest : product;
}

namespace {

/// A neighbour: its tile's distance from the first one's, and its index of the outer loop of dimensions with two.
struct Neighbour {
    Move offset{};
    std::array<std::int32_t, kMaxDimensions> outer{};
};

// In the order of their numbers: the block's loops, outermost first. Of a dimension along both axes the inner loop
// covers one step of the outer one, up to the extent.
std::vector<Neighbour> neighbours_of(const Addresses& tensor, const TilingLevel& level, int dimensions,
                                     const Box& box) {
    std::vector<std::pair<SpatialLoop, std::int32_t>> loops;
    visit_spatial_loops(level, dimensions,
                        [&](const SpatialLoop& loop, std::int32_t extent) { loops.emplace_back(loop, extent); });
    std::vector<Neighbour> all{{}};
    std::uint32_t begun = 0;
    for (auto at = loops.rbegin(); at != loops.rend(); ++at) {
        const auto& [loop, extent] = *at;
        const int d = loop.dimension;
        const bool is_outer = level.lies_on_both_axes(d) && (begun >> d & 1U) == 0;
        begun |= 1U << d;
        const double inside = is_outer ? (loop.along_y ? level.along_x : level.along_y)[d] : 1.0;
        const Move step = tensor.step(d, box[d] * inside);
        std::vector<Neighbour> next;
        const bool is_inner = level.lies_on_both_axes(d) && !is_outer;
        for (const Neighbour& outside : all) {
            const std::int32_t left = is_inner ? level.spatial[d] - outside.outer[d] * extent : extent;
            for (std::int32_t i = 0; i < std::min(extent, left); ++i) {
                Neighbour& one = next.emplace_back(outside);
                if (is_outer) one.outer[d] = i;
                for (std::size_t r = 0; r < tensor.ranks.size(); ++r) one.offset[r] += i * step[r];
            }
        }
        all = std::move(next);
    }
    return all;
}

}  // namespace

WireCosts wire_costs(const Einsum& einsum, const Architecture& architecture, int index, bool& left_out) {
    const Memory& memory = architecture.memories[index];
    const double area = inner_tile_areas_um2(architecture)[index];
    WireCosts costs;
    costs.lattice = architecture.fanout(index);
    const auto hop_pj = [&left_out, area](const Link& link) {
        const LinkRates rates = rates_of(link, area);
        if (rates.kind == NetworkKind::legacy && rates.router_pj == 0.0) return rates.hop_pj;
        if (!rates.wires_are_free()) left_out = true;
        return 0.0;
    };
    const double operand_pj = hop_pj(memory.link);
    const double result_pj = memory.update_link ? hop_pj(*memory.update_link) : 0.0;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        costs.hop_pj[t] = operand_pj * link_share(tensor, memory.link);
        if (tensor.written && memory.update_link)
            costs.hop_pj[t] += result_pj * link_share(tensor, *memory.update_link);
        for (const Passage& passage : memory.link.passages)
            if (is_passed(passage, einsum, t)) costs.word_pj[t] += passage.energy_pj.value * passage.actions_per_word;
    }
    return costs;
}

double hops_to_all(const Addresses& tensor, const TilingLevel& level, int dimensions, const Box& box,
                   const Mesh& hardware) {
    Mesh mapped;
    for (int d = 0; d < dimensions; ++d) {
        mapped.x *= level.along_x[d];
        mapped.y *= level.along_y[d];
    }
    std::map<Move, std::vector<std::int64_t>> groups;
    const std::vector<Neighbour> neighbours = neighbours_of(tensor, level, dimensions, box);
    for (std::size_t place = 0; place < neighbours.size(); ++place)
        groups[neighbours[place].offset].push_back(static_cast<std::int64_t>(place));
    const Mesh lattice{std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(lattice.x));
    double hops = 0.0;
    for (const auto& [offset, places] : groups) hops += group_hops(places, lattice, columns);
    return hops;
}

}  // namespace tilewright::certificate
