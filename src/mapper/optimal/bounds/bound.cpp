#include "mapper/optimal/bounds/bound.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"
#include "mapper/optimal/bounds/coupling.hpp"
#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

/// All neighbours share all words.
constexpr LeastGroups kUnknown = [] {
    LeastGroups groups{};
    for (double& number : groups) number = 1.0;
    return groups;
}();

struct Least {
    double sent = 0.0;
    double distinct = 0.0;  ///< results only: every first arrival is free
    double groups = 1.0;    ///< if sharing depends on tiles

    FirstWords first(const Delivery& delivery) const { return {distinct, distinct * delivery.relevant}; }
};

Least least_of(const Charges& charges, int tensor, int level, const LeastGroups& groups) {
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    Least least;
    if (form.written) least.distinct = lean::words_in(form, charges.setup().extents);
    if (!form.tangled) least.sent = swept_words(charges, level, form);
    if (form.plain) return least;
    const double distinct = distinct_at_least(form, charges.setup().extents);
    least.sent = sent_at_least(charges, tensor, level, least.sent, distinct);
    least.groups = std::max(groups_at_least(charges, tensor, level, least.sent, distinct),
                            groups_across(charges, tensor, level, groups));
    return least;
}

double once_pj(const Charges& charges, int tensor, int level, const LeastGroups& groups = kUnknown) {
    const Least least = least_of(charges, tensor, level, groups);
    return charges.energy_pj(tensor, level, least.sent, least.first(charges.delivery(tensor, level)), least.groups);
}

// Accesses of the compute units if neighbours' sharing depends on tiles: at a single operation it is known.
double asked_pj(const Charges& charges, int tensor, const LeastGroups& least = kUnknown) {
    const int units = charges.level_count();
    if (!charges.delivery(tensor, units).dynamic) return 0.0;
    Extents one;
    one.fill(1.0);
    const double inside = charges.is_dynamic(tensor, units - 1) ? charges.groups(tensor, units - 1, one) : 1.0;
    const double groups = std::max(inside, groups_across(charges, tensor, units, least));
    const double distinct = least_of(charges, tensor, units, kUnknown).distinct;
    return charges.energy_pj(tensor, units, charges.steps(),
                             {distinct, distinct * charges.delivery(tensor, units).relevant}, groups);
}

}  // namespace

double operands_pj(const Charges& charges, int tensor) { return charges.fixed_pj(tensor) + asked_pj(charges, tensor); }

double operands_pj(const Charges& charges) {
    double energy = charges.setup().compute_energy_pj;
    for (int t = 0; t < charges.tensor_count(); ++t) energy += operands_pj(charges, t);
    return energy;
}

double compulsory_pj(const Charges& charges) {
    double energy = charges.setup().compute_energy_pj;
    for (int t = 0; t < charges.tensor_count(); ++t) energy += compulsory_pj(charges, t);
    return energy;
}

double compulsory_pj(const Charges& charges, int tensor) { return compulsory_pj(charges, tensor, kUnknown); }

double compulsory_pj(const Charges& charges, int tensor, const LeastGroups& groups) {
    double energy = charges.fixed_pj(tensor) + asked_pj(charges, tensor, groups);
    for (int l = 0; l < charges.level_count(); ++l)
        if (charges.delivers(tensor, l)) energy += once_pj(charges, tensor, l, groups);
    return energy;
}

void add_compulsory_words(const Charges& charges, int tensor, std::span<double> words) {
    add_compulsory_words(charges, tensor, kUnknown, words);
}

void add_compulsory_words(const Charges& charges, int tensor, const LeastGroups& groups, std::span<double> words) {
    const int levels = charges.level_count();
    for (int l = 0; l < levels; ++l) {
        if (!charges.delivers(tensor, l)) continue;
        const Least least = least_of(charges, tensor, l, groups);
        charges.add_words(tensor, l, least.sent, least.first(charges.delivery(tensor, l)), least.groups, words);
    }
    const FirstWords first = least_of(charges, tensor, levels, kUnknown).first(charges.delivery(tensor, levels));
    charges.add_words(tensor, levels, charges.steps(), first, groups_across(charges, tensor, levels, groups), words);
}

double compulsory_cycles(const Charges& charges) {
    std::array<double, 2 * kMaxMemories> words{};
    for (int t = 0; t < charges.tensor_count(); ++t) add_compulsory_words(charges, t, words);
    double cycles = charges.steps();
    for (int l = 0; l < charges.level_count(); ++l)
        cycles = std::max(cycles, charges.cycles_for(l, words[2 * l], words[2 * l + 1]));
    return cycles;
}

CompletionBound::CompletionBound(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages,
                                 const std::function<bool(double energy_pj)>& give_up, bool coupled) {
    if (stages.are_even()) {
        look_even(mapspace, tiles, give_up, coupled);
    } else {
        look_uneven(tiles, give_up);
    }
    const int levels = tiles.charges().level_count();
    for (const Stage& stage : stages.all()) {
        std::vector<std::size_t>& sum = sums_.emplace_back();
        if (stages.are_even()) sum.push_back(static_cast<std::size_t>(stage.stored[0]));
        for (int t = 0; !stages.are_even() && t < tiles.charges().tensor_count(); ++t)
            sum.push_back(static_cast<std::size_t>(t * (levels + 1) + stage.stored[t]));
    }
}

double CompletionBound::pj(std::size_t stage, int point) const {
    if (pruned_) return kInfinite;
    double sum = 0.0;
    for (const std::size_t table : sums_[stage]) sum += tables_[table][point];
    return sum;
}

// All tensors of a memory have the same tile. Innermost memories first: they have the fewest tiles.
void CompletionBound::look_even(const Mapspace& mapspace, const TileTable& tiles, const GiveUp& give_up, bool coupled) {
    const Charges& charges = tiles.charges();
    const int levels = charges.level_count();
    Reach reach(mapspace, tiles);
    double all = compulsory_pj(charges);
    std::vector<std::vector<double>> costs(static_cast<std::size_t>(levels));
    for (int l = levels - 1; l >= 0 && !pruned_; --l) {
        double compulsory = 0.0;
        for (int t = 0; t < charges.tensor_count(); ++t)
            if (charges.delivers(t, l)) compulsory += once_pj(charges, t, l);
        double least = kInfinite;
        for (const int point : reach.largest_points(l)) {
            costs[l].push_back((compulsory > 0.0 ? tiles.least_pj(l, point) : 0.0) + tiles.asked_pj(l, point));
            least = std::min(least, costs[l].back());
        }
        all += std::max(0.0, least - compulsory);
        pruned_ = give_up(all);
    }
    if (pruned_) return;
    tables_ = tables_of(tiles, reach, costs);
    const double operands = operands_pj(charges);
    pruned_ = give_up(operands + tables_.back().front());
    if (pruned_) return;
    const auto is_out_of_reach = [&](double pj) { return give_up(operands + pj); };
    drop_points(tiles, reach, is_out_of_reach, costs);
    if (coupled) couple(tiles, reach);
}

// Outermost memory first, each with its best tiles outside.
std::vector<CompletionBound::ByPoint> CompletionBound::tables_of(const TileTable& tiles, const Reach& reach,
                                                                 const std::vector<ByPoint>& costs) {
    std::vector<ByPoint> tables(1, ByPoint(static_cast<std::size_t>(tiles.lattice().size()), 0.0));
    for (std::size_t l = 0; l < costs.size(); ++l) {
        const std::vector<int>& points = reach.largest_points(static_cast<int>(l));
        ByPoint here(tables.back().size(), kInfinite);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto point = static_cast<std::size_t>(points[i]);
            here[point] = costs[l][i] + tables.back()[point];
        }
        tiles.lattice().take_least(reach.dimensions(static_cast<int>(l)), here);
        tables.push_back(std::move(here));
    }
    return tables;
}

// Drops tiles too costly even with the best tiles inside and outside. Memories without deliveries are skipped.
void CompletionBound::drop_points(const TileTable& tiles, Reach& reach, const GiveUp& is_out_of_reach,
                                  std::vector<ByPoint>& costs) {
    ByPoint inside(static_cast<std::size_t>(tiles.lattice().size()), kInfinite);
    inside.front() = 0.0;
    for (int l = tiles.charges().level_count() - 1; l >= reach.outermost(); --l) {
        const auto at = static_cast<std::size_t>(l);
        tiles.lattice().take_least_inside(reach.dimensions(l), inside);
        ByPoint here(inside.size(), kInfinite);
        ByPoint kept;
        const std::vector<int> before = reach.largest_points(l);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const auto point = static_cast<std::size_t>(before[i]);
            const double with = inside[point] + costs[at][i];
            if (is_out_of_reach(with + tables_[at][point])) continue;
            here[point] = with;
            kept.push_back(costs[at][i]);
        }
        const auto is_dropped = [&](int point) { return is_out_of_reach(inside[point] + tables_[at + 1][point]); };
        reach.drop(l, [&](int point) { return here[point] == kInfinite; }, is_dropped);
        costs[at] = std::move(kept);
        inside = std::move(here);
    }
    tables_ = tables_of(tiles, reach, costs);
}

void CompletionBound::couple(const TileTable& tiles, const Reach& reach) {
    const std::vector<ByPoint> coupled = coupled_pj(tiles, reach);
    for (std::size_t l = 0; l < coupled.size(); ++l)
        for (std::size_t point = 0; point < coupled[l].size(); ++point)
            tables_[l + 1][point] = std::max(tables_[l + 1][point], coupled[l][point]);
}

void CompletionBound::look_uneven(const TileTable& tiles, const GiveUp& give_up) {
    const Charges& charges = tiles.charges();
    double all = compulsory_pj(charges);
    for (int t = 0; t < charges.tensor_count() && !pruned_; ++t) {
        tables_.emplace_back(static_cast<std::size_t>(tiles.lattice().size()), 0.0);
        for (int l = 0; l < charges.level_count() && !pruned_; ++l) {
            ByPoint here = tables_.back();
            if (charges.delivers(t, l)) {
                for (int point = 0; point < tiles.lattice().size(); ++point)
                    here[point] += tiles.fits(l, TensorSet::of(t), point) ? tiles.least_pj(t, l, point) : kInfinite;
                tiles.lattice().take_least(~0U, here);
                all += here.front() - tables_.back().front() - once_pj(charges, t, l);
            }
            tables_.push_back(std::move(here));
            pruned_ = give_up(all);
        }
    }
}

namespace {

struct Pair {
    int first = -1;
    int second = -1;
    bool more = false;  ///< more than two dimensions
};

Pair pair_of(const Charges& charges, int level, std::span<const lean::Term> rank) {
    Pair pair;
    for (const lean::Term& term : rank) {
        if (charges.assignment()[level].spatial[term.dimension] == 1) continue;
        pair.more = pair.second >= 0;
        (pair.first < 0 ? pair.first : pair.second) = term.dimension;
        if (pair.more) break;
    }
    return pair;
}

// Minimum over all tiles relative to `tile`: loops along other ranks do not matter.
double least_of(const Charges& charges, int tensor, int level, const Pair& pair, Extents tile, double groups) {
    const bool loops_inside = level + 1 < charges.level_count();
    const auto factors = [&](int d) {
        return loops_inside ? divisors(static_cast<std::int64_t>(charges.rest()[d])) : std::vector<std::int64_t>{1};
    };
    double least = groups;
    const double first = tile[pair.first];
    const double second = tile[pair.second];
    for (const std::int64_t a : factors(pair.first))
        for (const std::int64_t b : factors(pair.second)) {
            tile[pair.first] = first * static_cast<double>(a);
            tile[pair.second] = second * static_cast<double>(b);
            least = std::min(least, charges.groups(tensor, level, tile));
        }
    return least / groups;
}

}  // namespace

LeastGroups least_groups(const Charges& charges, int tensor) {
    LeastGroups least;
    least.fill(1.0);
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    if (form.plain || form.tangled) return least;
    for (int l = 0; l < charges.level_count(); ++l) {
        if (!charges.is_dynamic(tensor, l)) continue;
        const Extents& tile = charges.inner(l + 1);
        const double groups = charges.groups(tensor, l, tile);
        double product = groups;
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
            const Pair pair = pair_of(charges, l, rank_terms(form, rank));
            if (pair.more) product = 0.0;  // coincidences of three are unknown
            if (pair.second >= 0 && !pair.more) product *= least_of(charges, tensor, l, pair, tile, groups);
        }
        least[l] = std::max(1.0, product * kRoundedDown);
    }
    return least;
}

double groups_across(const Charges& charges, int tensor, int level, const LeastGroups& groups) {
    double product = 1.0;
    for (int l = charges.delivery(tensor, level).parent; l < level; ++l) product *= groups[l];
    return product;
}

}  // namespace tilewright::optimal
