// Energy of the links below one memory, for machines with wire energy only; lists the neighbours.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "model/exact/fanout.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::lean {
namespace {

struct PlacedNeighbour {
    double move = 0.0;  // of the tensor
    std::int64_t position = 0;
};

// The neighbours in row-major order of the spatial loops, outermost loop most significant.
std::vector<PlacedNeighbour> places(const SpreadBlock& block) {
    std::vector<PlacedNeighbour> all{{}};
    for (int k = 0; k < block.loop_count; ++k) {
        std::vector<PlacedNeighbour> inner;
        inner.reserve(all.size() * static_cast<std::size_t>(block.extents[k]));
        for (const PlacedNeighbour& outer : all)
            for (int i = 0; i < block.extents[k]; ++i)
                inner.push_back({outer.move + i * block.moves[k], outer.position * block.extents[k] + i});
        all = std::move(inner);
    }
    return all;
}

void add(std::vector<Deliveries>& multicasts, std::int64_t copies, double hops) {
    auto at = std::lower_bound(multicasts.begin(), multicasts.end(), copies,
                               [](const Deliveries& d, std::int64_t c) { return d.copies < c; });
    if (at == multicasts.end() || at->copies != copies) at = multicasts.insert(at, Deliveries{copies, 0, 0.0, 0.0});
    ++at->groups;
    at->hops += hops;
}

// Columns are quick to go through unless there are thousands of them.
constexpr std::int64_t kWide = 4096;

double hops_to(const Mesh& grid, const std::vector<std::int64_t>& members, std::vector<ColumnSpan>& columns) {
    return grid.x <= kWide ? group_hops(members, grid, columns) : tree_hops(grid, members);
}

// If all neighbours share all words, or one loop gives each its own, none is listed.
std::optional<Deliveries> alike(const SpreadBlock& block) {
    std::int64_t count = 1;
    bool same = true;
    for (int k = 0; k < block.loop_count; ++k) {
        count *= block.extents[k];
        same = same && block.moves[k] == 0.0;
    }
    if (same) return Deliveries{count, 1, 0.0, hops_to_all(block.grid, count)};
    if (block.loop_count == 1) return Deliveries{1, count, 0.0, hops_to_each(block.grid, count)};
    return std::nullopt;
}

SpreadBlock block_of(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    SpreadBlock block;
    Mesh mapped;
    std::array<double, kMaxDimensions> inside;  // indices of the dimension skipped by a step of its next loop
    std::fill_n(inside.begin(), point.dimension_count(), 1.0);
    visit_spatial_loops(point[level], point.dimension_count(), [&](const SpatialLoop& loop, std::int32_t extent) {
        const int d = loop.dimension;
        (loop.along_y ? mapped.y : mapped.x) *= extent;
        // The distance only matters if moves can cancel.
        block.add(extent, form.key[d] * inside[d] * (form.plain ? 1.0 : nest.tile[level + 1][d]));
        inside[d] *= extent;
    });
    block.finish();
    const Mesh& hardware = setup.levels[level].fanout;
    block.grid = {std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
    return block;
}

std::uint64_t hash_of(const SpreadBlock& block) {
    std::uint64_t hash = static_cast<std::uint64_t>(block.grid.x * 1021 + block.grid.y);
    const auto mix = [&hash](std::uint64_t value) { hash = (std::rotl(hash, 23) ^ value) * 0x9e3779b97f4a7c15ULL; };
    for (int k = 0; k < block.loop_count; ++k) {
        mix(static_cast<std::uint64_t>(block.extents[k]));
        mix(std::bit_cast<std::uint64_t>(block.moves[k]));
    }
    return hash >> 32;
}

}  // namespace

std::vector<Deliveries> multicasts_of(const SpreadBlock& block) {
    if (const std::optional<Deliveries> known = alike(block)) return {*known};
    std::vector<PlacedNeighbour> all = places(block);
    std::stable_sort(all.begin(), all.end(),
                     [](const PlacedNeighbour& a, const PlacedNeighbour& b) { return a.move < b.move; });
    std::vector<ColumnSpan> columns(block.grid.x <= kWide ? static_cast<std::size_t>(block.grid.x) : 0);
    std::vector<std::int64_t> members;
    std::vector<Deliveries> multicasts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        members.push_back(all[i].position);
        if (i + 1 < all.size() && all[i + 1].move == all[i].move) continue;
        add(multicasts, static_cast<std::int64_t>(members.size()), hops_to(block.grid, members, columns));
        members.clear();
    }
    return multicasts;
}

const std::vector<Deliveries>& LinkCache::multicasts_of(const SpreadBlock& block) {
    Entry& entry = entries_[hash_of(block) % kEntries];
    if (entry.multicasts.empty() || entry.block != block) entry = {block, lean::multicasts_of(block)};
    return entry.multicasts;
}

namespace {

// Energy of the given deliveries on the one link, or on both, below memory `level`.
double energy_of(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor,
                 std::span<const Deliveries> deliveries) {
    const LevelForm& form = setup.levels[level];
    const Memory& memory = setup.architecture.memories[level];
    const bool written = setup.tensors[tensor].written;
    const std::string& name = setup.einsum.tensors[tensor].name;
    const auto on_link = [&](const LinkRates& rates, double share, LinkDirection direction) {
        std::optional<double> read_back_less;
        if (written && reads_back(memory, direction))
            read_back_less = arriving_words(setup, point, nest, level, tensor);
        return share *
               link_cost(rates.for_tensor(name), direction, deliveries, written, read_back_less, nest.used(level))
                   .energy_pj;
    };
    const double passages_pj =
        form.passage_pj[tensor] == 0.0 ? 0.0 : form.passage_pj[tensor] * passing_words(deliveries) * nest.used(level);
    if (!form.has_update_link) return passages_pj + on_link(form.link, form.link_share[tensor], LinkDirection::both);
    const double operands_pj = passages_pj + on_link(form.link, form.link_share[tensor], LinkDirection::operands);
    return written ? operands_pj + on_link(form.update_link, form.update_link_share[tensor], LinkDirection::results)
                   : operands_pj;
}

}  // namespace

double link_energy_pj(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor,
                      double words, double sent, LinkCache* cache) {
    if (const LevelForm& form = setup.levels[level]; form.wires_are_free)  // the words are enough
        return form.passage_pj[tensor] == 0.0 ? 0.0 : form.passage_pj[tensor] * words * nest.used(level);
    if (nest.spread[level] == 0) {  // one neighbour, in the first row of the first column
        const double hops = static_cast<double>(setup.levels[level].fanout.y - 1) / 2.0;
        const Deliveries only{1, 1, words, hops * sent};
        return energy_of(setup, point, nest, level, tensor, {&only, 1});
    }
    const SpreadBlock block = block_of(setup, point, nest, level, tensor);
    std::vector<Deliveries> deliveries = cache != nullptr ? cache->multicasts_of(block) : multicasts_of(block);
    std::int64_t groups = 0;
    for (const Deliveries& d : deliveries) groups += d.groups;
    for (Deliveries& d : deliveries) {
        d.words = words * static_cast<double>(d.groups) / static_cast<double>(groups);
        d.hops *= sent;
    }
    return energy_of(setup, point, nest, level, tensor, deliveries);
}

}  // namespace tilewright::lean
