#include "mapper/optimal/ragged_search.hpp"

namespace tilewright::optimal {
namespace {

class Follow {
   public:
    Follow(const Mapspace& mapspace, const RaggedCharges& charges, const LeanEvaluator& evaluator,
           const RaggedHooks& hooks)
        : mapspace_(mapspace), charges_(charges), evaluator_(evaluator), hooks_(hooks) {}

    // Energy alone first: where no memory throttles the frugal nests, they are best in every respect.
    bool run() {
        bool relaxed = !charges_.exact();
        for (const bool timed : {false, true}) {
            bool throttled = false;
            End end = follow(timed, relaxed, throttled);
            if (end == End::too_many && !relaxed) end = follow(timed, relaxed = true, throttled);
            if (end == End::too_many) {
                hooks_.open(least_pj(), charges_.least_steps());
                return true;
            }
            if (end == End::stopped) return false;
            if (!throttled) return true;
        }
        return true;
    }

   private:
    enum class End { all, stopped, too_many };

    double least_pj() const { return charges_.compute_pj() + charges_.outside_pj().back(); }

    End follow(bool timed, bool relaxed, bool& throttled) {
        RaggedLabels labels(mapspace_, charges_, {.timed = timed, .relaxed = relaxed}, hooks_.stop);
        const std::vector<Nesting> nests = labels.run(hooks_.hopeless);
        if (labels.stopped()) return End::stopped;
        if (labels.overflowed()) return End::too_many;
        for (const Nesting& nest : nests) {
            if (hooks_.hopeless(nest.energy_pj, nest.cycles)) continue;
            if (hooks_.stop()) return End::stopped;
            const LeanCost cost = evaluator_.evaluate(nest.point);
            const auto links = static_cast<double>(charges_.setup().link_latency_cycles);
            throttled = throttled || (!timed && static_cast<double>(cost.cycles) - links > nest.cycles);
            hooks_.found(nest.point, cost);
            if (relaxed && (timed || !throttled)) hooks_.open(nest.energy_pj, nest.cycles);
        }
        return End::all;
    }

    const Mapspace& mapspace_;
    const RaggedCharges& charges_;
    const LeanEvaluator& evaluator_;
    const RaggedHooks& hooks_;
};

}  // namespace

bool follow_ragged(const Mapspace& mapspace, const RaggedCharges& charges, const LeanEvaluator& evaluator,
                   const RaggedHooks& hooks) {
    return Follow(mapspace, charges, evaluator, hooks).run();
}

}  // namespace tilewright::optimal
