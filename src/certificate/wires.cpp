#include "certificate/wires.hpp"

#include <algorithm>
#include <map>

#include "model/costs.hpp"

namespace tilewright::certificate {
namespace {

/// A neighbour: its place among all, and how far its tile lies from the first one's.
struct Neighbour {
    Move offset{};
    std::int64_t place = 0;
};

// In the order of the block's loops, the outermost one first.
std::vector<Neighbour> neighbours_of(const Addresses& tensor, const PerfectLevel& level, int dimensions, const Box& box,
                                     Mesh& mapped) {
    std::vector<Neighbour> all{{}};
    for (int k = dimensions - 1; k >= 0; --k) {
        const int d = level.spatial_order[k];
        const std::int32_t extent = level.spatial[d];
        if (extent == 1) continue;
        (level.runs_on_y(d) ? mapped.y : mapped.x) *= extent;
        const Move step = tensor.step(d, box[d]);
        std::vector<Neighbour> next;
        for (const Neighbour& outer : all)
            for (std::int32_t i = 0; i < extent; ++i) {
                Neighbour one{outer.offset, outer.place * extent + i};
                for (std::size_t r = 0; r < tensor.ranks.size(); ++r) one.offset[r] += i * step[r];
                next.push_back(one);
            }
        all = std::move(next);
    }
    return all;
}

}  // namespace

WireCosts wire_costs(const Architecture& architecture, int index, bool& left_out) {
    const Memory& memory = architecture.memories[index];
    const double area = inner_tile_areas_um2(architecture)[index];
    WireCosts costs;
    costs.grid = architecture.fanout(index);
    const auto hop_pj = [&left_out, area](const Link& link) {
        const LinkRates rates = rates_of(link, area);
        if (rates.kind == NetworkKind::legacy && rates.router_pj == 0.0) return rates.hop_pj;
        if (!rates.is_free()) left_out = true;
        return 0.0;
    };
    costs.operand_pj = hop_pj(memory.link);
    if (memory.update_link) costs.result_pj = hop_pj(*memory.update_link);
    costs.reads_back = !memory.reduces;
    return costs;
}

double hops_to_all(const Addresses& tensor, const PerfectLevel& level, int dimensions, const Box& box,
                   const Mesh& hardware) {
    Mesh mapped;
    std::map<Move, std::vector<std::int64_t>> groups;
    for (const Neighbour& neighbour : neighbours_of(tensor, level, dimensions, box, mapped))
        groups[neighbour.offset].push_back(neighbour.place);
    const Mesh grid{std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    double hops = 0.0;
    for (const auto& [offset, places] : groups) hops += group_hops(places, grid, columns);
    return hops;
}

}  // namespace tilewright::certificate
