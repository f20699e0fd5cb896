#include "mapper/cosa/schedule.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/least_use.hpp"
#include "mapper/cosa/mip/hull.hpp"
#include "mapper/cosa/released.hpp"
#include "mapper/cosa/shared_buffers.hpp"
#include "mapper/cosa/tiles.hpp"

namespace tilewright::cosa {
namespace {

// Our variant of CoSA, and the paper's printed sum: exact tiles (tiles.hpp), traffic (11) in the paper's three parts.
//
// - Data size (7): relevant factors inside the array. Ours get a little cheaper with depth, as in the released code; as
//   printed, all weigh 1.
// - Network (8): relevant spatial factors at the hub; the others multicast or reduce.
// - Iterations (10): loops at the hub without the innermost irrelevant ones; as printed, only of tensors kept by the
//   hub (B in (9)). Ours continue at the memories outside it, with double weight for the distance; as printed there is
//   no such part.
//
// Loops inside the array have no part in the sum; best_order() orders them.

struct TrafficWeights {
    double innermost = 0.8;  ///< of data size, at the innermost memory
    double step = 0.04;      ///< more at every memory further out
    double outside = 2.0;    ///< of iterations outside the hub
    bool bypassing = true;   ///< tensors bypassing the hub have iterations there, too

    static TrafficWeights as_printed() { return {1.0, 0.0, 0.0, false}; }
};

using mip::Expression;

std::vector<std::uint32_t> relevances(const Layout& layout) {
    std::vector<std::uint32_t> result;
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        result.push_back(0);
        for (int t = 0; t < layout.einsum().tensor_count(); ++t)
            if (layout.relevant(d, t)) result.back() |= 1U << t;
    }
    return result;
}

bool is_ordered(const std::vector<OrderedPlace>& ordered, int place) {
    return std::any_of(ordered.begin(), ordered.end(), [place](const OrderedPlace& o) { return o.place == place; });
}

// Sum of log2 of the relevant factors at a place.
Expression moving(const Encoding& encoding, int tensor, int place) {
    Expression sum;
    for (int d = 0; d < encoding.layout().einsum().dimension_count(); ++d)
        if (encoding.layout().relevant(d, tensor)) sum += encoding.log_of(d, [place](int p) { return p == place; });
    return sum;
}

double iteration_weight(const Layout& layout, const LoopSlot& place, const TrafficWeights& weights) {
    return place.memory < layout.hub() ? weights.outside : 1.0;
}

// Of the iterations at an ordered place, by tensor.
std::vector<double> tensor_weights(const Layout& layout, const LoopSlot& place, const TrafficWeights& weights) {
    std::vector<double> result;
    for (int t = 0; t < layout.einsum().tensor_count(); ++t) {
        const bool passes_by = place.memory == layout.hub() && !layout.keep(place.memory).has(t);
        result.push_back(passes_by && !weights.bypassing ? 0.0 : iteration_weight(layout, place, weights));
    }
    return result;
}

double log_at(const Layout& layout, int dimension, int place, const Placement& placement) {
    double log2 = 0.0;
    for (std::size_t g = 0; g < placement.size(); ++g)
        if (layout.groups()[g].dimension == dimension) log2 += layout.groups()[g].log2 * placement[g][place];
    return log2;
}

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders, const TrafficWeights& weights) {
    std::vector<OrderedPlace> ordered;
    for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
        const LoopSlot& place = layout.places()[p];
        if (place.is_spatial() || place.memory > layout.hub() || layout.keep(place.memory).empty()) continue;
        if (orders == Orders::hub && place.memory != layout.hub()) continue;
        ordered.push_back({p, tensor_weights(layout, place, weights), relevances(layout)});
    }
    return ordered;
}

// `ordered`: from exact_orders(), encoded. Utilization is left to Tiles.
Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered, const TrafficWeights& weights) {
    const Layout& layout = encoding.layout();
    const int hub_level = layout.level_of(layout.hub());
    Terms terms;
    terms.compute = encoding.log_of(-1, [&](int p) { return !layout.places()[p].is_spatial(); });
    for (std::size_t i = 0; i < ordered.size(); ++i) terms.traffic += encoding.iterations(static_cast<int>(i));
    for (int p = 0; p < static_cast<int>(layout.places().size()); ++p) {
        const LoopSlot& place = layout.places()[p];
        const int level = layout.level_of(place.memory);
        if (level < hub_level || place.is_spatial()) {
            const double weight = level < hub_level ? weights.innermost + weights.step * level : 1.0;
            for (int t = 0; t < layout.einsum().tensor_count(); ++t) terms.traffic.add(weight, moving(encoding, t, p));
        } else if (!is_ordered(ordered, p)) {
            terms.traffic.add(iteration_weight(layout, place, weights) * layout.einsum().tensor_count(),
                              encoding.log_of(-1, [p](int other) { return other == p; }));
        }
    }
    return terms;
}

// The dimensions, innermost first, in the order of the fewest fills of the memories inside `place`.
std::vector<int> best_order(const Layout& layout, int place, const Placement& placement) {
    const std::vector<double> weights(layout.einsum().tensors.size(), 1.0);
    const std::vector<std::uint32_t> moved = relevances(layout);
    std::vector<int> dimensions;
    std::vector<std::uint32_t> here;
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        dimensions.push_back(d);
        if (log_at(layout, d, place, placement) > 0.0) here.push_back(moved[d]);
    }
    Chain best;
    double most = 0.0;
    for (const Chain& chain : stationarity_chains(here)) {
        double spared = 0.0;
        for (const int d : dimensions)
            spared += log_at(layout, d, place, placement) * weight_of(resting(chain, moved[d]), weights);
        if (spared <= most) continue;
        most = spared;
        best = chain;
    }
    sort_by_phase(dimensions, best, moved);
    return dimensions;
}

using mip::Expression;
using Clock = std::chrono::steady_clock;

constexpr int kMostRounds = 200;

Units units_of(Variant variant) {
    const bool published = variant == Variant::released_2021 || variant == Variant::released_2023;
    return published ? Units::included : Units::left_out;
}

Released released_of(Variant variant) {
    if (variant == Variant::released_2021) return Released::in_2021;
    return variant == Variant::released_2023 ? Released::in_2023 : Released::repaired;
}

TrafficWeights traffic_of(const ProgramOptions& options) {
    TrafficWeights weights = options.variant == Variant::as_printed ? TrafficWeights::as_printed() : TrafficWeights();
    weights.outside = options.weights.outside.value_or(weights.outside);
    return weights;
}

class Program {
   public:
    Program(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
            const ProgramOptions& options)
        : options_(options),
          layout_(einsum, architecture, mapspace, extents_to_factorise(einsum, options.pad), units_of(options.variant)),
          ordered_(has_exact_tiles(options.variant) ? exact_orders(layout_, options.orders, traffic_of(options))
                                                    : released_orders(layout_)),
          encoding_(encode(options.formulation, layout_, ordered_, problem_)),
          buffers_(shared_buffers_of(layout_, options.tensor_bits)),
          least_use_(*encoding_, buffers_),
          sets_(least_use_.sets()) {
        add_fanouts(*encoding_);
        add_constraints(*encoding_);
        add_model();
        add_goal();
        for (mip::DownSet& set : mip::knapsacks_of(problem_)) sets_.push_back(std::move(set));
    }

    Schedule run() {
        Schedule result;
        result.extents = layout_.extents();
        const mip::Solution solution = solve(result);
        result.status = solution.status;
        result.ended = solution.ended;
        result.objective = solution.objective;
        result.bound = solution.bound;
        result.rows = problem_.row_count();
        result.columns = problem_.column_count();
        if (solution.found()) {
            result.terms = {terms_.utilization.at(solution.values), terms_.compute.at(solution.values),
                            terms_.traffic.at(solution.values)};
            result.point = point_of(solution.values);
        }
        result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        return result;
    }

   private:
    void add_model() {
        if (!has_exact_tiles(options_.variant)) {
            terms_ = released_model(released_of(options_.variant), *encoding_);
            return;
        }
        tiles_.emplace(*encoding_, buffers_);
        for (mip::DownSet& set : fitting_sets(*encoding_, buffers_)) sets_.push_back(std::move(set));
        terms_ = exact_terms(*encoding_, ordered_, traffic_of(options_));
        terms_.utilization = tiles_->utilization();
    }

    void add_goal() {
        const Weights& weights = options_.weights;
        Expression objective;
        objective.add(-weights.utilization, terms_.utilization);
        if (options_.goal == Goal::sum) {
            objective.add(weights.compute, terms_.compute).add(weights.traffic, terms_.traffic);
        } else {
            Expression difference;
            difference.add(weights.traffic, terms_.traffic).add(-weights.compute, terms_.compute);
            const Expression size = Expression::of(problem_.add_continuous(0.0, mip::kInfinity));
            problem_.add_at_most(difference, size);
            problem_.add_at_most(-1.0 * difference, size);
            objective += size;
        }
        problem_.minimise(objective);
    }

    // Adds rows forbidding the placement if tiles of shared memories do not fit together or fill too little.
    bool cut_off(const Placement& placement) {
        const bool too_large = tiles_ && tiles_->cut_off(placement);
        return least_use_.cut_off(placement) || too_large;
    }

    // Repeats until shared memories' tiles fit. Placements cut off do not fit, so the last bound holds.
    mip::Solution solve(Schedule& result) {
        mip::Limits limits = options_.limits;
        mip::Solution solution;
        for (result.rounds = 1; result.rounds <= kMostRounds; ++result.rounds) {
            if (options_.limits.seconds)
                limits.seconds = std::max(
                    0.0, *options_.limits.seconds - std::chrono::duration<double>(Clock::now() - begin_).count());
            mip::add_hull_rows(problem_, sets_);
            solution = mip::solve(problem_, limits);
            result.nodes += solution.nodes;
            if (!solution.found() || !cut_off(encoding_->placement(solution.values))) return solution;
            if (solution.ended != mip::Ended::finished) break;
        }
        solution.status = mip::Status::nothing;  // the last solution's tiles do not fit
        solution.values.clear();
        return solution;
    }

    TilingPoint point_of(const std::vector<double>& values) const {
        TilingPoint point = layout_.mapspace().point();
        const Placement placement = encoding_->placement(values);
        for (std::size_t g = 0; g < placement.size(); ++g)
            for (std::size_t p = 0; p < placement[g].size(); ++p)
                for (int n = 0; n < placement[g][p]; ++n) put(point, layout_.groups()[g], layout_.places()[p]);
        if (has_exact_tiles(options_.variant))
            for (std::size_t p = 0; p < layout_.places().size(); ++p)
                if (!layout_.places()[p].is_spatial())
                    set_order(point, static_cast<int>(p), best_order(layout_, static_cast<int>(p), placement));
        for (std::size_t i = 0; i < ordered_.size(); ++i)
            set_order(point, ordered_[i].place, encoding_->order(static_cast<int>(i), values));
        for (int m = 0; m < point.level_count(); ++m) point[m].keep = layout_.keep(m);
        for (int d = 0; d < point.dimension_count(); ++d) cut_padding(point, d);
        layout_.mapspace().arrange(point);
        return point;
    }

    // Undoes padding: a padded dimension's inner loops run over the true extent, the others' last round is shorter.
    void cut_padding(TilingPoint& point, int d) const {
        std::int64_t chunks = layout_.einsum().dimensions[d].extent;
        if (chunks == layout_.extents()[d]) return;
        for (int m = point.level_count() - 1; m >= 0; --m)
            for (std::int32_t* factor : {&point[m].along_x[d], &point[m].along_y[d], &point[m].temporal[d]}) {
                *factor = static_cast<std::int32_t>(std::min<std::int64_t>(*factor, chunks));
                chunks = (chunks + *factor - 1) / *factor;
            }
        for (int m = 0; m < point.level_count(); ++m) point[m].spread(d, point[m].along_x[d], point[m].along_y[d]);
    }

    void set_order(TilingPoint& point, int place, const std::vector<int>& order) const {
        std::copy(order.begin(), order.end(), point[layout_.places()[place].memory].order.begin());
    }

    static void put(TilingPoint& point, const FactorGroup& group, const LoopSlot& place) {
        TilingLevel& level = point[place.memory];
        const int d = group.dimension;
        const auto prime = static_cast<std::int32_t>(group.prime);
        switch (place.kind) {
            case LoopKind::temporal: level.temporal[d] *= prime; break;
            case LoopKind::spatial_x: level.spread(d, level.along_x[d] * prime, level.along_y[d]); break;
            case LoopKind::spatial_y: level.spread(d, level.along_x[d], level.along_y[d] * prime); break;
        }
    }

    Clock::time_point begin_ = Clock::now();
    const ProgramOptions& options_;
    mip::Program problem_;
    Layout layout_;
    std::vector<OrderedPlace> ordered_;
    std::unique_ptr<Encoding> encoding_;
    std::vector<SharedBuffer> buffers_;
    LeastUse least_use_;
    std::optional<Tiles> tiles_;
    Terms terms_;
    std::vector<mip::DownSet> sets_;  ///< their hulls bound the relaxation
};

}  // namespace

Schedule schedule(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                  const ProgramOptions& options) {
    return Program(einsum, architecture, mapspace, options).run();
}

bool has_exact_tiles(Variant variant) { return variant == Variant::exact || variant == Variant::as_printed; }

std::string_view formulation_name(Formulation formulation) {
    return formulation == Formulation::counts ? "counts" : "as-published";
}

std::string_view variant_name(Variant variant) {
    switch (variant) {
        case Variant::exact: return "exact";
        case Variant::as_printed: return "as-printed";
        case Variant::repaired: return "repaired";
        case Variant::released_2021: return "released-2021";
        case Variant::released_2023: return "released-2023";
    }
    return "";
}

std::optional<Formulation> formulation_named(std::string_view name) {
    for (const Formulation f : {Formulation::counts, Formulation::as_published})
        if (formulation_name(f) == name) return f;
    return std::nullopt;
}

std::optional<Variant> variant_named(std::string_view name) {
    for (const Variant v :
         {Variant::exact, Variant::as_printed, Variant::repaired, Variant::released_2021, Variant::released_2023})
        if (variant_name(v) == name) return v;
    return std::nullopt;
}

}  // namespace tilewright::cosa
