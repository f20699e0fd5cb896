#include "certificate/bounds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilewright::certificate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Of a result at most so many words are different, whatever the tile.
FirstWords most_first_words(const Flows& flows, int t) {
    if (!flows.tensor(t).written) return {};
    const double words = flows.tensor(t).words(flows.ground().extents);
    return {words, words};
}

double iterations(const Box& left, std::uint32_t dimensions) {
    double product = 1.0;
    for (; dimensions != 0; dimensions &= dimensions - 1) product *= left[std::countr_zero(dimensions)];
    return product;
}

// Different words along one rank in a sweep over all of its positions, when the tile is a box of `tile` iterations.
double swept(const Addresses& tensor, std::size_t rank, const Box& tile, const Box& left) {
    const double width = tensor.width(rank, tile);
    double words = width;
    double values = 1.0;
    for (std::uint32_t dims = tensor.dims[rank]; dims != 0; dims &= dims - 1) {
        const int d = std::countr_zero(dims);
        words = std::max(words, width + (left[d] - 1.0) * std::min(width, tensor.ranks[rank][d] * tile[d]));
        values += tile[d] * left[d] - 1.0;
    }
    return std::max(words, values);
}

double least_delivery_pj(const Flows& flows, int t, int level, const Box& loops, int first) {
    return flows.energy_pj(t, level, least_sent(flows, t, level, loops, first), flows.first_words(t, level, loops));
}

// The least energy of all deliveries to a memory whose tile has these loops inside.
double deliveries_pj(const Flows& flows, int level, const Box& loops) {
    double least = kInfinite;
    bool whole = true;
    const auto along = [&](int first) {
        double pj = 0.0;
        for (int t = 0; t < flows.tensor_count(); ++t)
            if (flows.delivers(t, level)) pj += least_delivery_pj(flows, t, level, loops, first);
        least = std::min(least, pj);
    };
    for (int d = 0; d < flows.dimension_count(); ++d) {
        if (flows.rest()[d] == loops[d]) continue;
        whole = false;
        along(d);
    }
    if (whole) along(-1);
    return least;
}

// All that a memory keeps has the same tile.
std::vector<double> even_pj(const Flows& flows, const Grid& grid, const std::vector<Section>& sections) {
    std::vector<double> bounds(sections.size(), 0.0);
    for (int l = 0; l < flows.level_count(); ++l) {
        double least = kInfinite;
        for (int point = 0; point < grid.size(); ++point)
            if (const Box& loops = grid.loops(point); flows.fits(l, loops))
                least = std::min(least, deliveries_pj(flows, l, loops));
        for (std::size_t i = 0; i < sections.size(); ++i)
            if (sections[i].reached[0] > l) bounds[i] += least;
    }
    return bounds;
}

// Each tensor has a tile of its own.
double delivery_alone_pj(const Flows& flows, const Grid& grid, int t, int level) {
    const std::uint32_t kept = flows.keeps(t, level) ? 1U << t : 0U;
    double least = kInfinite;
    for (int point = 0; point < grid.size(); ++point) {
        const Box& loops = grid.loops(point);
        if (flows.has_room(level, flows.words_in(level, kept, loops)))
            least = std::min(least, flows.energy_pj(t, level, least_sent(flows, t, level, loops),
                                                    flows.first_words(t, level, loops)));
    }
    return least;
}

std::vector<double> uneven_pj(const Flows& flows, const Grid& grid, const std::vector<Section>& sections) {
    std::vector<double> bounds(sections.size(), 0.0);
    for (int l = 0; l < flows.level_count(); ++l)
        for (int t = 0; t < flows.tensor_count(); ++t) {
            if (!flows.delivers(t, l)) continue;
            const double least = delivery_alone_pj(flows, grid, t, l);
            for (std::size_t i = 0; i < sections.size(); ++i)
                if (sections[i].reached[static_cast<std::size_t>(t)] > l) bounds[i] += least;
        }
    return bounds;
}

}  // namespace

double every_word_once_pj(const Flows& flows) {
    double pj = flows.compute_pj();
    Box none;
    none.fill(1.0);
    for (int t = 0; t < flows.tensor_count(); ++t) {
        for (int l = 0; l < flows.level_count(); ++l)
            if (flows.delivers(t, l))
                pj += flows.energy_pj(t, l, flows.tensor(t).distinct_at_least(flows.tile(l, flows.rest())),
                                      most_first_words(flows, t));
        const int units = flows.level_count();
        pj += flows.energy_pj(t, units, flows.steps(), flows.first_words(t, units, none));
    }
    return pj;
}

// Whenever the tile goes to another place in some rank but the one that the first moving loop slides along, or a loop
// that does not move it steps on, all loops inside fall back: no later tile is a slide or a repetition, the whole tile
// is sent. Between two such moments every word of the sweep along that one rank is needed.
double least_sent(const Flows& flows, int t, int level, const Box& loops, int first) {
    const Addresses& tensor = flows.tensor(t);
    const Box tile = flows.tile(level, loops);
    const double words = tensor.words(tile);
    if (!tensor.steady) return std::max(words, tensor.distinct_at_least(flows.tile(level, flows.rest())));
    Box left{};
    for (int d = 0; d < flows.dimension_count(); ++d) left[d] = flows.rest()[d] / loops[d];
    const bool moves = first >= 0 && tensor.moves(first);
    const std::uint32_t all = (1U << flows.dimension_count()) - 1U;
    double least = words * iterations(left, moves ? all : tensor.moving);
    if (!tensor.overlaps) return least;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        if (moves && (tensor.dims[r] >> first & 1U) == 0) continue;
        const std::uint32_t others = (moves ? all : tensor.moving) & ~tensor.dims[r];
        least =
            std::min(least, iterations(left, others) * words * swept(tensor, r, tile, left) / tensor.width(r, tile));
    }
    return least;
}

double least_sent(const Flows& flows, int t, int level, const Box& loops) {
    return least_sent(flows, t, level, loops, -1);
}

std::vector<double> to_come_pj(const Flows& flows, const Grid& grid, const std::vector<Section>& sections,
                               Storage storage) {
    return storage == Storage::even ? even_pj(flows, grid, sections) : uneven_pj(flows, grid, sections);
}

}  // namespace tilewright::certificate
