#include "mapper/optimal/bound.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/sweep.hpp"

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool delivers(const Charges& charges, int tensor, int level) {
    return level > charges.outermost(tensor) && charges.delivery(tensor, level).tracked;
}

bool delivers(const Charges& charges, int level) {
    for (int t = 0; t < charges.tensor_count(); ++t)
        if (delivers(charges, t, level)) return true;
    return false;
}

/// Of a delivery whatever the loops.
struct Least {
    double sent = 0.0;
    double distinct = 0.0;  ///< of a result: as if every first arrival were free
};

Least least_of(const Charges& charges, int tensor, int level) {
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    Least least;
    if (form.written) least.distinct = lean::words_in(form, charges.setup().extents);
    if (!form.tangled) least.sent = swept_words(charges, level, form);
    return least;
}

double once_pj(const Charges& charges, int tensor, int level) {
    const Least least = least_of(charges, tensor, level);
    return charges.energy_pj(tensor, level, least.sent, least.distinct);
}

// Of the operations' own words, where neighbours' sharing depends on tiles: those of single operations are known.
double asked_pj(const Charges& charges, int tensor) {
    const int units = charges.level_count();
    if (!charges.delivery(tensor, units).dynamic) return 0.0;
    Extents one;
    one.fill(1.0);
    const double groups = charges.is_dynamic(tensor, units - 1) ? charges.groups(tensor, units - 1, one) : 1.0;
    const double distinct = least_of(charges, tensor, units).distinct;
    return charges.energy_pj(tensor, units, charges.steps(),
                             {distinct, distinct * charges.delivery(tensor, units).relevant}, groups);
}

// By point the least of all that loops along these dimensions lead to.
void take_least(const Lattice& lattice, std::uint32_t dimensions, std::vector<double>& cost) {
    for (const Axis& axis : lattice.axes()) {
        if ((dimensions >> axis.dimension & 1U) == 0) continue;
        lattice.inwards(axis, [&cost](int point, int next) {
            double& here = cost[static_cast<std::size_t>(point)];
            here = std::min(here, cost[static_cast<std::size_t>(next)]);
        });
    }
}

// Dimensions that move no rank in which tiles may have gaps.
std::uint32_t dimensions_without_gaps(const Charges& charges) {
    std::uint32_t dimensions = ~0U;
    for (const lean::TensorForm& form : charges.setup().tensors)
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
            const auto terms = rank_terms(form, rank);
            const bool gaps = form.tangled || std::any_of(terms.begin(), terms.end(),
                                                          [](const lean::Term& term) { return term.reach > 1.0; });
            if (gaps) dimensions &= ~dimensions_of(terms);
        }
    return dimensions;
}

// Dimensions of tensors whose words neighbours share in other groups when the tile grows, and maybe in more.
std::uint32_t sharing_varies(const Charges& charges) {
    std::uint32_t dimensions = 0;
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l < charges.level_count(); ++l)
            if (charges.is_dynamic(t, l)) dimensions |= charges.setup().tensors[static_cast<std::size_t>(t)].relevant;
    return dimensions;
}

/// Points by level where an even mapping may place its memory.
class Reach {
   public:
    Reach(const Mapspace& mapspace, const TileTable& tiles)
        : mapspace_(mapspace),
          tiles_(tiles),
          levels_(tiles.charges().level_count()),
          marks_(static_cast<std::size_t>(levels_)),
          by_level_(static_cast<std::size_t>(levels_)) {
        look_outwards();
        look_inwards();
        drop_smaller();
        for (int l = 0; l < levels_; ++l)
            for (int point = 0; point < tiles.lattice().size(); ++point)
                if (marks(l)[static_cast<std::size_t>(point)] != 0)
                    by_level_[static_cast<std::size_t>(l)].push_back(point);
    }

    const std::vector<int>& points(int level) const { return by_level_[static_cast<std::size_t>(level)]; }

    /// Dimensions that may have loops there.
    std::uint32_t dimensions(int level) const {
        std::uint32_t dimensions = 0;
        for (int d = 0; d < tiles_.charges().dimension_count(); ++d)
            if (mapspace_.temporal_bounds(level, d).at_most > 1) dimensions |= 1U << d;
        return dimensions;
    }

   private:
    using Marks = std::vector<char>;  ///< by point

    Marks& marks(int level) { return marks_[static_cast<std::size_t>(level)]; }

    // Where loops from the units lead to.
    void look_outwards() {
        Marks now(static_cast<std::size_t>(tiles_.lattice().size()), 0);
        now.front() = 1;
        for (int l = levels_ - 1; l >= 0; --l) {
            for (const Axis& axis : tiles_.lattice().axes())
                if ((dimensions(l) >> axis.dimension & 1U) != 0)
                    tiles_.lattice().outwards(axis, [&now](int point, int next) {
                        now[static_cast<std::size_t>(next)] |= now[static_cast<std::size_t>(point)];
                    });
            keep_fitting(l, now);
            marks(l) = now;
        }
    }

    // From where loops lead to the outermost memory.
    void look_inwards() {
        for (int l = 0; l + 1 < levels_; ++l) {
            Marks now = marks(l);
            for (const Axis& axis : tiles_.lattice().axes())
                if ((dimensions(l) >> axis.dimension & 1U) != 0)
                    tiles_.lattice().inwards(axis, [&now](int point, int next) {
                        now[static_cast<std::size_t>(point)] |= now[static_cast<std::size_t>(next)];
                    });
            for (std::size_t point = 0; point < now.size(); ++point) marks(l + 1)[point] &= now[point];
        }
    }

    // The outermost memory holds everything.
    void keep_fitting(int level, Marks& now) const {
        const TensorSet kept = tiles_.charges().assignment()[level].keep;
        const int last = tiles_.lattice().size() - 1;
        for (int point = 0; point <= last; ++point) {
            char& here = now[static_cast<std::size_t>(point)];
            here = here != 0 && (level > 0 || point == last) && tiles_.fits(level, kept, point) ? 1 : 0;
        }
    }

    // A loop moved into a tile without gaps never makes a memory receive more: where nothing is delivered further out,
    // only the largest tiles matter.
    void drop_smaller() {
        const Charges& charges = tiles_.charges();
        int level = 0;
        while (level < levels_ && !delivers(charges, level)) ++level;
        if (level == levels_) return;
        const std::uint32_t along = dimensions(level) & dimensions_without_gaps(charges) & ~sharing_varies(charges);
        Marks& now = marks(level);
        for (const Axis& axis : tiles_.lattice().axes())
            if ((along >> axis.dimension & 1U) != 0)
                tiles_.lattice().outwards(axis, [&now](int point, int next) {
                    char& here = now[static_cast<std::size_t>(point)];
                    here = static_cast<char>(here & ~now[static_cast<std::size_t>(next)]);
                });
    }

    const Mapspace& mapspace_;
    const TileTable& tiles_;
    int levels_;
    std::vector<Marks> marks_;
    std::vector<std::vector<int>> by_level_;
};

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

double compulsory_pj(const Charges& charges, int tensor) {
    double energy = operands_pj(charges, tensor);
    for (int l = 0; l < charges.level_count(); ++l)
        if (delivers(charges, tensor, l)) energy += once_pj(charges, tensor, l);
    return energy;
}

void add_compulsory_words(const Charges& charges, int tensor, std::span<double> words) {
    const int levels = charges.level_count();
    for (int l = 0; l < levels; ++l) {
        if (!delivers(charges, tensor, l)) continue;
        const Least least = least_of(charges, tensor, l);
        charges.add_words(tensor, l, least.sent, least.distinct, words);
    }
    charges.add_words(tensor, levels, charges.steps(), least_of(charges, tensor, levels).distinct, words);
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
                                 const std::function<bool(double energy_pj)>& give_up) {
    if (stages.are_even()) {
        look_even(mapspace, tiles, give_up);
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
    for (const std::size_t table : sums_[stage]) sum += tables_[table][static_cast<std::size_t>(point)];
    return sum;
}

// All tensors of a memory have the same tile. The innermost memories first: they have the fewest tiles.
void CompletionBound::look_even(const Mapspace& mapspace, const TileTable& tiles, const GiveUp& give_up) {
    const Charges& charges = tiles.charges();
    const int levels = charges.level_count();
    const Reach reach(mapspace, tiles);
    double all = compulsory_pj(charges);
    std::vector<std::vector<double>> costs(static_cast<std::size_t>(levels));
    for (int l = levels - 1; l >= 0 && !pruned_; --l) {
        double compulsory = 0.0;
        for (int t = 0; t < charges.tensor_count(); ++t)
            if (delivers(charges, t, l)) compulsory += once_pj(charges, t, l);
        double least = kInfinite;
        for (const int point : reach.points(l)) {
            costs[static_cast<std::size_t>(l)].push_back((compulsory > 0.0 ? tiles.least_pj(l, point) : 0.0) +
                                                         tiles.asked_pj(l, point));
            least = std::min(least, costs[static_cast<std::size_t>(l)].back());
        }
        all += least - compulsory;
        pruned_ = give_up(all);
    }
    if (pruned_) return;
    tables_.emplace_back(static_cast<std::size_t>(tiles.lattice().size()), 0.0);  // of the outermost memory
    for (int l = 0; l < levels; ++l) {
        ByPoint here(static_cast<std::size_t>(tiles.lattice().size()), kInfinite);
        for (std::size_t i = 0; i < reach.points(l).size(); ++i) {
            const auto point = static_cast<std::size_t>(reach.points(l)[i]);
            here[point] = costs[static_cast<std::size_t>(l)][i] + tables_.back()[point];
        }
        take_least(tiles.lattice(), reach.dimensions(l), here);
        tables_.push_back(std::move(here));
    }
}

void CompletionBound::look_uneven(const TileTable& tiles, const GiveUp& give_up) {
    const Charges& charges = tiles.charges();
    double all = compulsory_pj(charges);
    for (int t = 0; t < charges.tensor_count() && !pruned_; ++t) {
        tables_.emplace_back(static_cast<std::size_t>(tiles.lattice().size()), 0.0);
        for (int l = 0; l < charges.level_count() && !pruned_; ++l) {
            ByPoint here = tables_.back();
            if (delivers(charges, t, l)) {
                const bool keeps = charges.delivery(t, l).keeps;
                for (int point = 0; point < tiles.lattice().size(); ++point)
                    here[static_cast<std::size_t>(point)] +=
                        keeps && !tiles.fits(l, TensorSet::of(t), point) ? kInfinite : tiles.least_pj(t, l, point);
                take_least(tiles.lattice(), ~0U, here);
                all += here.front() - tables_.back().front() - once_pj(charges, t, l);
            }
            tables_.push_back(std::move(here));
            pruned_ = give_up(all);
        }
    }
}

}  // namespace tilewright::optimal
