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

using ByPoint = std::vector<double>;

// Of one tensor with a tile of its own.
ByPoint delivery_alone_pj(const Charges& charges, TileNumbers& tiles, int t, int level) {
    ByPoint pj(static_cast<std::size_t>(tiles.lattice().size()), kInfinite);
    for (int point = 0; point < tiles.lattice().size(); ++point)
        if (!charges.keeps(t, level) || charges.has_room(level, charges.room(t, level, tiles.words(t, level, point))))
            pj[static_cast<std::size_t>(point)] = tiles.least_pj(charges, t, level, point);
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
        if (charges.delivers(t, l)) pj += every_word_once_pj(charges, t, l);
    return pj;
}

double every_word_once_pj(const Charges& charges, int t, int level) {
    return charges.energy_pj(t, level, once(charges, t, level), most_first_words(charges, t));
}

double every_word_once_pj(const Charges& charges) {
    double pj = charges.compute_pj();
    for (int t = 0; t < charges.tensor_count(); ++t) pj += every_word_once_pj(charges, t);
    return pj;
}

void add_every_word_once(const Charges& charges, int t, Loads& loads) {
    const int units = charges.level_count();
    for (int l = 0; l < units; ++l)
        if (charges.delivers(t, l)) add_every_word_once(charges, t, l, loads);
    charges.add_loads(t, units, charges.steps(), most_first_words(charges, t), {}, loads);
}

void add_every_word_once(const Charges& charges, int t, int level, Loads& loads) {
    charges.add_loads(t, level, once(charges, t, level), most_first_words(charges, t), {}, loads);
}

double cycles_of(const Charges& charges, const Loads& loads) {
    double cycles = charges.steps();
    for (int l = 0; l < charges.level_count(); ++l) cycles = std::max(cycles, charges.cycles_for(l, loads));
    return cycles;
}

double every_word_once_cycles(const Charges& charges) {
    Loads loads{};
    for (int t = 0; t < charges.tensor_count(); ++t) add_every_word_once(charges, t, loads);
    return cycles_of(charges, loads);
}

std::optional<Completion> completion_pj(const Charges& charges, TileNumbers& tiles, const std::vector<Stage>& stages,
                                        Storage storage, const std::function<bool(double pj)>& out_of_reach) {
    const auto points = static_cast<std::size_t>(tiles.lattice().size());
    Completion bounds(stages.size(), ByPoint(points, 0.0));
    if (storage == Storage::even) {
        const auto chained = chained_pj(charges, tiles, out_of_reach);
        if (!chained) return std::nullopt;
        for (std::size_t i = 0; i < stages.size(); ++i)
            if (const int reached = stages[i].reached.front(); reached > 0)
                bounds[i] = (*chained)[static_cast<std::size_t>(reached) - 1];
        return bounds;
    }
    for (int l = 0; l < charges.level_count(); ++l)
        for (int t = 0; t < charges.tensor_count(); ++t) {
            if (!charges.delivers(t, l)) continue;
            ByPoint pj = delivery_alone_pj(charges, tiles, t, l);
            tiles.lattice().look_outwards((1U << charges.dimension_count()) - 1U, pj);
            add(pj, stages, t, l, bounds);
        }
    if (out_of_reach(tiles.inside_pj(charges) + bounds.front().front())) return std::nullopt;
    return bounds;
}

}  // namespace tilewright::certificate
