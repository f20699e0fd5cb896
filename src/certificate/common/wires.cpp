#include "certificate/common/wires.hpp"

#include <algorithm>
#include <map>

#include "model/exact/costs.hpp"

namespace tilewright::certificate {
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
