#include "fusion/optimize.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/hierarchy/likely_leaves.hpp"
#include "fusion/hierarchy/plan_mapper.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/products.hpp"
#include "fusion/search.hpp"

namespace tilewright::fusion {
namespace {

class FusionSearch {
   public:
    FusionSearch(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                 const Objective& objective, const StopSource* stop, int longest_group)
        : cascade_(cascade),
          objective_(objective),
          stop_(stop),
          longest_(longest_group),
          machine_(machine_around(architecture)),
          view_(cascade),
          mapper_(cascade, architecture, demands, stop),
          plans_(view_, architecture, mapper_),
          floors_(cascade, architecture, demands, view_.may_be_driven()) {}

    // Where floors are mostly reached, the first plan at floors is the best one.
    Answer run(int rounds) {
        try {
            map_alone();
            bound(1);
            if (!is_proven()) map_likely();
            bound(rounds - 1);
        } catch (const Stopped&) {
            answer_.stopped = true;
        }
        if (answer_.bound == 0.0) bound_once();
        return finished();
    }

   private:
    double value(double energy_pj, double cycles) const { return objective_.score(energy_pj, cycles).value; }
    double value(const Mapped& mapped) const { return value(mapped.plan.energy_pj, mapped.plan.cycles); }

    Best best_of(Leaves& leaves, const Machine& machine, const StopSource* stop, const Known& known) {
        Search search(view_, machine, leaves, {longest_}, stop);
        Best best = objective_.kind == ObjectiveKind::energy    ? search.best({1.0, 0.0}, known)
                    : objective_.kind == ObjectiveKind::latency ? search.best({0.0, 1.0}, known)
                                                                : least_product(search, known);
        answer_.statistics.proofs += best.proofs;
        answer_.statistics.rounds += best.rounds;
        return best;
    }

    void offer(std::optional<Mapped> mapped) {
        if (!mapped) return;
        const auto score = [&](const Mapped& one) { return objective_.score(one.plan.energy_pj, one.plan.cycles); };
        if (!answer_.fused || score(*mapped) < score(*answer_.fused)) answer_.fused = std::move(*mapped);
    }

    std::optional<Mapped> mapped(FusionPlan plan) {
        plan.weights = weights_of(plan);
        return plans_.mapped(std::move(plan), objective_.kind);
    }

    // Of energy and cycles where a product is to be small: its tangent.
    Weights weights_of(const FusionPlan& plan) const {
        switch (objective_.kind) {
            case ObjectiveKind::energy: return {1.0, 0.0};
            case ObjectiveKind::latency: return {0.0, 1.0};
            default: break;
        }
        if (plan.energy_pj <= 0.0 || plan.cycles <= 0.0) return {0.0, 1.0};
        return {1.0 / plan.energy_pj, 1.0 / plan.cycles};
    }

    void map_alone() {
        std::optional<Mapped> alone = mapped(plans_.alone());
        if (alone && objective_.kind == ObjectiveKind::edp) alone = mapped(alone->plan);
        if (!alone) return;
        answer_.unfused = alone;
        answer_.fused = std::move(alone);
    }

    // What was seen of leaves tells the next search more.
    void map_likely() {
        if (!answer_.unfused || longest_ == 1) return;
        std::vector<LeastPerPoint> inside = plans_.inside(*answer_.unfused);
        constexpr int kTries = 3;
        for (int i = 0; i < kTries; ++i) {
            LikelyLeaves likely(floors_, cascade_, machine_, inside);
            const Best best = best_of(likely, machine_, stop_, {});
            throw_if_stopped(stop_);
            if (!best.plan) return;
            std::optional<Mapped> one = mapped(*best.plan);
            if (!one) return;
            std::vector<LeastPerPoint> seen = plans_.inside(*one);
            const bool is_better = value(*one) < value(*answer_.fused) * (1.0 - kClose);
            offer(std::move(one));
            if (!is_better) return;
            inside = std::move(seen);
        }
    }

    // The bound of the floors as they are; it holds where the search is stopped, too.
    std::optional<FusionPlan> bound_at_floors() {
        const Best best = best_of(floors_, machine_, stop_, {});
        if (best.bound > answer_.bound) {
            answer_.bound = best.bound;
            answer_.duals = floors_.has_learnt() ? std::vector<double>{} : best.duals;
            answer_.sums = floors_.has_learnt() ? std::vector<ProvenSum>{} : best.sums;
        }
        answer_.stopped = answer_.stopped || best.stopped;
        return best.stopped ? std::nullopt : best.plan;
    }

    void bound_once() {
        StopSource now;
        now.request();
        answer_.bound = best_of(floors_, machine_, &now, {}).bound;
    }

    void bound(int rounds) {
        constexpr int kFew = 8;
        constexpr double kMuch = 1.001;
        for (int i = 0; i < rounds && !is_proven() && !is_known_; ++i) {
            const double before = answer_.bound;
            const std::optional<FusionPlan> plan = bound_at_floors();
            const bool is_slow = i + 1 >= kFew && answer_.bound < before * kMuch;
            if (!plan || is_slow) return;
            is_known_ = !learn(*plan);
        }
    }

    // What the leaves of a plan cost: with all of the buffer, and with what the plan leaves them. False: nothing new.
    bool learn(const FusionPlan& plan) {
        const std::optional<std::vector<AskedLeaf>> asked = plans_.leaves_of(plan);
        if (!asked) return false;
        bool is_new = false;
        for (const AskedLeaf& one : *asked)
            for (const std::int64_t words : {machine_.capacity_words, one.words}) is_new = learn(one, words) || is_new;
        offer(mapped(plan));
        return is_new;
    }

    bool learn(const AskedLeaf& leaf, std::int64_t words) {
        if (!learnt_.insert({leaf.einsum, leaf.question, words}).second) return false;
        floors_.learn(leaf.einsum, leaf.question, words, least_of(leaf, words));
        return true;
    }

    // Nothing: no mapping fits.
    std::optional<LeafPoint> least_of(const AskedLeaf& leaf, std::int64_t words) {
        const auto calls = static_cast<double>(1 + leaf.question.resumed);
        LeafPoint least;
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
            if (objective_.kind != ObjectiveKind::edp && objective_.kind != kind) continue;
            const LeafMapping* best = mapper_.best(leaf.einsum, leaf.question.extents, leaf.question.held, words, kind);
            if (best == nullptr) return std::nullopt;
            (kind == ObjectiveKind::energy ? least.energy_pj : least.cycles) = calls * best->bound * (1.0 - kClose);
        }
        return least;
    }

    bool is_proven() const {
        return answer_.fused && !answer_.stopped && answer_.bound >= value(*answer_.fused) * (1.0 - kProof);
    }

    Answer finished() {
        if (answer_.fused && answer_.bound > value(*answer_.fused) * (1.0 + kProof))
            throw std::logic_error("a fused mapping costs " + std::to_string(value(*answer_.fused)) +
                                   ", less than the bound of all, " + std::to_string(answer_.bound));
        answer_.proven = is_proven();
        answer_.statistics.leaves = mapper_.count();
        return std::move(answer_);
    }

    static constexpr double kClose = 1e-9;  // sums in another order
    static constexpr double kProof = 1e-8;  // bounds of leaves are taken a little lower than they are

    const Cascade& cascade_;
    Objective objective_;
    const StopSource* stop_;
    int longest_;
    Machine machine_;
    CascadeView view_;
    LeafMapper mapper_;
    PlanMapper plans_;
    FloorLeaves floors_;
    std::set<std::tuple<int, LeafQuestion, std::int64_t>> learnt_;
    bool is_known_ = false;  // the last plan at floors asks for leaves that were mapped before
    Answer answer_;
};

}  // namespace

std::string problem_with_objective(const Objective& objective) {
    if (objective.kind != ObjectiveKind::energy && objective.kind != ObjectiveKind::latency &&
        objective.kind != ObjectiveKind::edp)
        return "fused mappings are searched for energy, latency and edp";
    return "";
}

std::string problem_with(const Cascade& cascade, const Architecture& architecture, const Objective& objective) {
    if (std::string problem = problem_with_objective(objective); !problem.empty()) return problem;
    if (std::string problem = problem_with_hierarchy(architecture); !problem.empty())
        return "fused mappings are not searched on this machine: " + problem;
    return problem_with_cascade(cascade, architecture.memories[shared_buffer(architecture)].word_bits);
}

Answer optimize(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                const Objective& objective, const StopSource* stop, int longest_group, int rounds) {
    return FusionSearch(cascade, architecture, demands, objective, stop, longest_group).run(rounds);
}

Answer optimize(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                const StopSource* stop, int longest_group) {
    std::string problem;
    return optimize(cascade, architecture, demands_of(cascade, architecture, {}, problem), objective, stop,
                    longest_group);
}

}  // namespace tilewright::fusion
