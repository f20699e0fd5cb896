#include "mapper/optimal/imperfect/search.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/engine/reconstruction.hpp"
#include "mapper/optimal/geometry/layouts.hpp"

namespace tilewright::optimal {
namespace {

// All choices of dividing fan-outs, by dimension; for few dimensions, those of possibly repacking blocks first.
std::vector<Remainders> all_remainders(const ImperfectCharges& charges) {
    constexpr std::size_t kMost = 6;
    struct Choice {
        int level = 0;
        std::uint32_t dimension = 0;
    };
    std::vector<Choice> choices;
    for (const bool repacks : {true, false})
        for (int l = 0; l < charges.level_count(); ++l)
            for (std::uint32_t left = charges.may_leave(l); left != 0; left &= left - 1)
                if (charges.may_repack(l) == repacks && choices.size() < kMost) choices.push_back({l, left & -left});
    std::vector<Remainders> all;
    for (std::uint32_t chosen = 0; chosen < 1U << choices.size(); ++chosen) {
        Remainders& remainders = all.emplace_back();
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const Choice& choice = choices[i];
            remainders.decided[choice.level] |= choice.dimension;
            if ((chosen >> i & 1U) != 0) remainders.left[choice.level] |= choice.dimension;
        }
    }
    return all;
}

// Fan-outs with more layouts are not followed layout by layout.
class Follow {
   public:
    Follow(const Mapspace& mapspace, const ImperfectCharges& charges, ImperfectCompletionBound& completion_bound,
           const LeanEvaluator& evaluator, const ImperfectHooks& hooks, bool decided = false)
        : mapspace_(mapspace),
          charges_(charges),
          completion_bound_(completion_bound),
          evaluator_(evaluator),
          hooks_(hooks),
          decided_(decided) {
        completion_bound_.look_at(charges);
    }

    // Lower ends first: few labels, and if their best nests attain them or all exceed the limit, the assignment is
    // done. Energy before time: if no memory throttles the least-energy nests, they are best in every respect.
    bool run() {
        for (const bool timed : {false, true}) {
            const bool throttled = hooks_.is_throttled || charges_.least_cycles() > charges_.least_steps();
            if (!timed && hooks_.time_matters && throttled) continue;
            End end = follow(timed, true);
            if (end == End::uncertain && (charges_.exact() || is_open_layout())) {
                if (hooks_.later) {
                    hooks_.later();
                    return true;
                }
                if (is_open_layout()) return run_laid_out();
                if (!decided_ && depends_on_remainders()) return run_decided();
                end = follow(timed, false);
            }
            if (end == End::stopped) return false;
            if (end == End::settled) return true;
            if (end == End::throttled) continue;
            return leave_open();
        }
        return true;
    }

   private:
    enum class End {
        settled,    ///< no nest beats those found
        uncertain,  ///< something may be as good as least_
        throttled,  ///< likewise, as some memory is slower than the computation
        stopped,
    };

    End follow(bool timed, bool relaxed) {
        ImperfectLabels labels(mapspace_, charges_, completion_bound_, {.timed = timed, .relaxed = relaxed},
                               hooks_.stop);
        const std::vector<Nesting> nests = labels.run(hooks_.pruning);
        if (labels.stopped()) return End::stopped;
        if (labels.overflowed()) {
            if (relaxed) least_ = {completion_bound_.all_pj(), charges_.least_cycles()};
            return End::uncertain;
        }
        bool throttled = false;
        for (const Nesting& nest : nests) {
            if (hooks_.pruning.pruned(nest.energy_pj, nest.cycles)) continue;
            if (hooks_.stop()) return End::stopped;
            evaluate(nest, [&](const LeanCost& cost) {
                const auto links = static_cast<double>(charges_.setup().link_latency_cycles);
                const bool slow = static_cast<double>(cost.cycles) - links > nest.cycles;
                if (!timed && slow) throttled = throttled || time_decides(nest, cost, relaxed);
            });
        }
        if (throttled) return End::throttled;
        if (!relaxed) return End::settled;
        return is_settled(nests) ? End::settled : End::uncertain;
    }

    // In all layouts, if they are open.
    void evaluate(const Nesting& nest, const std::function<void(const LeanCost&)>& visit) {
        TilingPoint point = nest.point;
        const auto take = [&] {
            const LeanCost cost = evaluator_.evaluate(point);
            hooks_.found(point, cost);
            visit(cost);
            return !hooks_.stop();
        };
        if (is_open_layout())
            mapspace_.visit_layouts(point, Mapspace::Cover::as_it_is, take);
        else
            take();
    }

    bool is_open_layout() const {
        for (int l = 0; l < charges_.level_count(); ++l)
            if (charges_.order(l).is_any()) return true;
        return false;
    }

    // Each layout by itself: its repacking is known.
    bool run_laid_out() {
        TilingPoint point = charges_.assignment();
        for (int l = 0; l < point.level_count(); ++l)
            if (mapspace_.orders_at_most(point, l) > kMostOrders) return leave_open();
        bool finished = true;
        mapspace_.visit_layouts(point, Mapspace::Cover::as_it_may_be, [&] {
            const ImperfectCharges charges(mapspace_, charges_.setup(), point, LayoutChoice::given);
            Follow laid_out(mapspace_, charges, completion_bound_, evaluator_, hooks_);
            finished = is_pruned(charges) || laid_out.run();
            return finished;
        });
        return finished;
    }

    bool leave_open() {
        hooks_.open(least_.energy_pj, least_.cycles);
        return true;
    }

    // Every label dominated by this nest has at least its energy.
    bool time_decides(const Nesting& nest, const LeanCost& cost, bool relaxed) const {
        if (hooks_.time_matters) return true;
        return !relaxed && !hooks_.pruning.pruned(cost.energy_pj, nest.cycles);
    }

    // Ranges are wide if blocks may repack or the number of instances at work is unknown.
    bool depends_on_remainders() const {
        bool depends = false;
        for (int l = 0; l < charges_.level_count(); ++l) depends = depends || charges_.may_repack(l);
        for (int d = 0; d < charges_.dimension_count(); ++d) depends = depends || charges_.spreads_twice(d);
        return depends;
    }

    // With the dividing fan-outs decided, the repacking ones are known: few are.
    bool run_decided() {
        for (const Remainders& remainders : all_remainders(charges_)) {
            const ImperfectCharges charges(mapspace_, charges_.setup(), charges_.assignment(), charges_.layouts(),
                                           remainders);
            Follow decided(mapspace_, charges, completion_bound_, evaluator_, hooks_, true);
            if (is_pruned(charges)) continue;
            if (!decided.run()) return false;
        }
        return true;
    }

    bool is_pruned(const ImperfectCharges& charges) const {
        const double cycles = charges.least_cycles();
        return hooks_.pruning.pruned(completion_bound_.all_pj(hooks_.pruning.limit_pj(cycles)), cycles);
    }

    bool is_settled(const std::vector<Nesting>& nests) {
        least_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        bool settled = true;
        for (const Nesting& nest : nests) {
            if (hooks_.pruning.pruned(nest.energy_pj, nest.cycles)) continue;
            settled = false;
            least_.energy_pj = std::min(least_.energy_pj, nest.energy_pj);
            least_.cycles = std::min(least_.cycles, nest.cycles);
        }
        return settled;
    }

    const Mapspace& mapspace_;
    const ImperfectCharges& charges_;
    ImperfectCompletionBound& completion_bound_;
    const LeanEvaluator& evaluator_;
    const ImperfectHooks& hooks_;
    bool decided_;                  ///< dividing fan-outs
    ImperfectLabels::Least least_;  ///< costs of nests
};

}  // namespace

bool follow_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                      const ImperfectHooks& hooks) {
    return Follow(mapspace, charges, completion_bound, evaluator, hooks).run();
}

void dive_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                    const ImperfectHooks& hooks) {
    constexpr std::size_t kFew = 4;
    completion_bound.look_at(charges);
    ImperfectLabels labels(mapspace, charges, completion_bound, {.relaxed = true, .most_per_place = kFew}, hooks.stop);
    for (const Nesting& nest : labels.run(hooks.pruning)) {
        if (hooks.pruning.pruned(nest.energy_pj, nest.cycles)) continue;
        TilingPoint point = nest.point;
        mapspace.visit_layouts(point, Mapspace::Cover::as_it_is, [&] {
            hooks.found(point, evaluator.evaluate(point));
            return false;  // the first one suffices
        });
    }
}

std::vector<Nesting> ImperfectLabels::run(const Pruning& pruning) {
    delivery_.prune_by(pruning);
    walk_.run();
    std::vector<Nesting> all;
    if (stopped() || overflowed()) return all;
    for (const auto& [key, node] : walk_.last().nodes) {
        const bool whole = std::all_of(node.at.chunks.begin(), node.at.chunks.begin() + charges_.dimension_count(),
                                       [](double chunks) { return chunks == 1.0; });
        if (!whole) continue;
        for (const ImperfectDelivery::Entry& entry : node.entries) {
            const Label& label = label_of(entry);
            all.push_back(nesting(label, delivery_.cycles_of(label, node)));
        }
    }
    std::sort(all.begin(), all.end(), [](const Nesting& a, const Nesting& b) {
        return a.energy_pj != b.energy_pj ? a.energy_pj < b.energy_pj : a.cycles < b.cycles;
    });
    return all;
}

std::optional<ImperfectLabels::Price> ImperfectLabels::price(const TilingPoint& point) {
    Least at_least;
    Pruning note;
    note.pruned = [&at_least](double energy_pj, double cycles) {
        at_least = {std::max(at_least.energy_pj, energy_pj), std::max(at_least.cycles, cycles)};
        return false;
    };
    note.limit_pj = [](double) { return std::numeric_limits<double>::infinity(); };
    delivery_.prune_by(note);
    if (!walk_.run(point)) return std::nullopt;
    const auto node = walk_.last().only();
    if (!node) return std::nullopt;
    const Label& label = label_of((*node)->entries.front());
    return Price{label.energy, delivery_.cycles_at(label, **node), at_least};
}

Nesting ImperfectLabels::nesting(const Label& label, double cycles) const {
    NestBuilder nest(mapspace_, charges_.assignment());
    for (const Label* step : history(delivery_.labels(), label))
        if (step->factor > 1) nest.add_loop(step->level, step->dimension, step->factor);
    Nesting nesting{nest.point(), {}, label.energy.lo, cycles};
    for (int l = 0; l < charges_.level_count(); ++l) mapspace_.settle_order(nesting.point, l);
    return nesting;
}

}  // namespace tilewright::optimal
