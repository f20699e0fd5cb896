#include "certificate/perfect/bounds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "certificate/perfect/chained.hpp"

namespace tilewright::certificate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Of a result at most so many words are different, whatever the tile.
FirstWords most_first_words(const Charges& charges, int t) {
    if (!charges.tensor(t).written) return {};
    const double words = charges.tensor(t).words(charges.ground().extents);
    return {words, words};
}

// Words of a sweep over all that one instance works on.
double once(const Charges& charges, int t, int level) {
    return charges.tensor(t).distinct_at_least(charges.tile(level, charges.rest()));
}

// What the compute units are sent.
double inside_pj(const Charges& charges, int t) {
    Box none;
    none.fill(1.0);
    const int units = charges.level_count();
    return charges.energy_pj(t, units, charges.steps(), charges.first_words(t, units, none));
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

using ByPoint = std::vector<double>;

// The least of all points with more loops.
void look_outwards(const Lattice& lattice, int dimensions, ByPoint& pj) {
    for (int d = 0; d < dimensions; ++d)
        for (int point = lattice.size() - 1; point >= 0; --point) {
            double& least = pj[static_cast<std::size_t>(point)];
            for (const Step& step : lattice.steps(point, d)) {
                const int next = point + step.by;
                if (step.is_prime) least = std::min(least, pj[static_cast<std::size_t>(next)]);
            }
        }
}

// Of one tensor with a tile of its own.
ByPoint delivery_alone_pj(const Charges& charges, const Lattice& lattice, int t, int level) {
    ByPoint pj(static_cast<std::size_t>(lattice.size()), kInfinite);
    const std::uint32_t kept = charges.keeps(t, level) ? 1U << t : 0U;
    for (int point = 0; point < lattice.size(); ++point) {
        const Box& loops = lattice.loops(point);
        if (charges.has_room(level, charges.words_in(level, kept, loops)))
            pj[static_cast<std::size_t>(point)] =
                charges.energy_pj(t, level, least_sent(charges, t, level, loops), charges.first_words(t, level, loops));
    }
    return pj;
}

// To all stages that have not reached memory `level` for tensor `t`.
void add(const ByPoint& pj, const std::vector<Stage>& stages, int t, int level, std::vector<ByPoint>& bounds) {
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (stages[i].reached[static_cast<std::size_t>(t)] > level)
            for (std::size_t point = 0; point < pj.size(); ++point) bounds[i][point] += pj[point];
}

}  // namespace

double every_word_once_pj(const Charges& charges, int t) {
    double pj = inside_pj(charges, t);
    for (int l = 0; l < charges.level_count(); ++l)
        if (charges.delivers(t, l)) pj += charges.energy_pj(t, l, once(charges, t, l), most_first_words(charges, t));
    return pj;
}

double every_word_once_pj(const Charges& charges) {
    double pj = charges.compute_pj();
    for (int t = 0; t < charges.tensor_count(); ++t) pj += every_word_once_pj(charges, t);
    return pj;
}

void add_every_word_once(const Charges& charges, int t, Loads& loads) {
    const int units = charges.level_count();
    for (int l = 0; l < units; ++l)
        if (charges.delivers(t, l))
            charges.add_loads(t, l, once(charges, t, l), most_first_words(charges, t), {}, loads);
    charges.add_loads(t, units, charges.steps(), most_first_words(charges, t), {}, loads);
}

double inside_pj(const Charges& charges) {
    double pj = charges.compute_pj();
    for (int t = 0; t < charges.tensor_count(); ++t) pj += inside_pj(charges, t);
    return pj;
}

// Whenever the tile goes to another place in some rank but the one that the first moving loop slides along, or a loop
// that does not move it steps on, all loops inside fall back: no later tile is a slide or a repetition, the whole tile
// is sent. Between two such moments every word of the sweep along that one rank is needed.
double least_sent(const Charges& charges, int t, int level, const Box& loops, int first) {
    const Addresses& tensor = charges.tensor(t);
    const Box tile = charges.tile(level, loops);
    const double words = tensor.words(tile);
    if (!tensor.steady) return std::max(words, tensor.distinct_at_least(charges.tile(level, charges.rest())));
    Box left{};
    for (int d = 0; d < charges.dimension_count(); ++d) left[d] = charges.rest()[d] / loops[d];
    const bool moves = first >= 0 && tensor.moves(first);
    const std::uint32_t all = (1U << charges.dimension_count()) - 1U;
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

double least_sent(const Charges& charges, int t, int level, const Box& loops) {
    return least_sent(charges, t, level, loops, -1);
}

std::vector<std::vector<double>> completion_pj(const Charges& charges, const Lattice& lattice,
                                               const std::vector<Stage>& stages, Storage storage) {
    std::vector<ByPoint> bounds(stages.size(), ByPoint(static_cast<std::size_t>(lattice.size()), 0.0));
    if (storage == Storage::even) {
        const std::vector<ByPoint> chained = chained_pj(charges, lattice);
        for (std::size_t i = 0; i < stages.size(); ++i)
            if (const int reached = stages[i].reached.front(); reached > 0)
                bounds[i] = chained[static_cast<std::size_t>(reached) - 1];
        return bounds;
    }
    for (int l = 0; l < charges.level_count(); ++l)
        for (int t = 0; t < charges.tensor_count(); ++t) {
            if (!charges.delivers(t, l)) continue;
            ByPoint pj = delivery_alone_pj(charges, lattice, t, l);
            look_outwards(lattice, charges.dimension_count(), pj);
            add(pj, stages, t, l, bounds);
        }
    return bounds;
}

}  // namespace tilewright::certificate
