#include "fusion/optimize.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/hierarchy/front.hpp"
#include "fusion/hierarchy/likely_leaves.hpp"
#include "fusion/hierarchy/plan_mapper.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"
#include "fusion/products.hpp"
#include "fusion/search.hpp"

namespace tilewright::fusion {
namespace {

Wanted wanted_for(const Objective& objective) {
    switch (objective.kind) {
        case ObjectiveKind::energy: return Wanted::energy;
        case ObjectiveKind::latency: return Wanted::cycles;
        default: return Wanted::both;
    }
}

using Aim = std::optional<Weights>;  // of one search: the weighted sum that is minimised; nothing: the product
constexpr Weights kEnergy{1.0, 0.0};
constexpr Weights kCycles{0.0, 1.0};

Aim aim_for(const Objective& objective) {
    switch (objective.kind) {
        case ObjectiveKind::energy: return kEnergy;
        case ObjectiveKind::latency: return kCycles;
        default: return std::nullopt;
    }
}

// By which leaves are mapped; the weights choose among the best of each kind.
ObjectiveKind kind_of(const Aim& aim) {
    if (!aim || (aim->energy > 0.0 && aim->cycles > 0.0)) return ObjectiveKind::edp;
    return aim->cycles > 0.0 ? ObjectiveKind::latency : ObjectiveKind::energy;
}

class FusionSearch {
   public:
    FusionSearch(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                 const Objective& objective, const StopSource* stop, int longest_group, const TellProgress& tell,
                 const PartialBits& partial)
        : cascade_(cascade),
          architecture_(architecture),
          demands_(demands),
          objective_(objective),
          aim_(aim_for(objective)),
          stop_(stop),
          longest_(longest_group),
          tell_(tell),
          partial_(partial),
          bits_of_sums_(bits_of_sums(cascade, architecture, partial)),
          machine_(in_units(machine_around(architecture), cascade, partial)),
          view_(cascade),
          mapper_(cascade, architecture, demands, stop, {}, partial),
          plans_(view_, architecture, mapper_, partial_),
          quick_mapper_(cascade, architecture, demands, stop, {.warm_up = 200, .steps = 1}, partial),
          quick_plans_(view_, architecture, quick_mapper_, partial_),
          floors_(cascade, architecture, demands, view_.may_be_driven(), wanted_for(objective), partial) {}

    // Where floors are mostly reached, the first plan at floors is the best one.
    Answer run(int rounds) {
        try {
            map_quickly();
            map_alone();
            if (objective_.kind == ObjectiveKind::edp) map_others();  // its bound takes several proofs
            if (wants_front())
                find_front(rounds);
            else
                search(rounds);
        } catch (const Stopped&) {
            answer_.stopped = true;
        }
        if (wants_front()) finish_front();
        if (answer_.bound == 0.0) bound_once();
        return finished();
    }

   private:
    bool wants_front() const { return objective_.kind == ObjectiveKind::pareto; }

    // By the aim; its tie-breaker is what it leaves out.
    std::pair<double, double> score(const Mapped& mapped) const {
        if (aim_) return aim_->score(mapped.plan.energy_pj, mapped.plan.cycles);
        const Score product = objective_.score(mapped.plan.energy_pj, mapped.plan.cycles);
        return {product.value, product.tie};
    }
    double value(const Mapped& mapped) const { return score(mapped).first; }

    // Of one aim.
    void search(int rounds) {
        bound(1);
        if (!is_near() && objective_.kind == ObjectiveKind::latency) map_others();
        if (!is_near()) map_likely();
        bound(rounds - 1);
    }

    Best best_of(Leaves& leaves, const StopSource* stop, int longest, const Aim& aim) {
        Search search(view_, machine_, leaves, {longest, bits_of_sums_}, stop);
        return best_of(search, aim);
    }

    Best best_of(Search& search, const Aim& aim) {
        Best best = aim ? search.best(*aim, {}) : least_product(search, {});
        answer_.statistics.proofs += best.proofs;
        answer_.statistics.rounds += best.rounds;
        return best;
    }

    void offer(std::optional<Mapped> mapped) {
        if (!mapped) return;
        if (wants_front()) front_.offer(*mapped);
        const bool is_as_good = is_quick_ && !(score(*answer_.fused) < score(*mapped));
        if (answer_.fused && !is_as_good && !(score(*mapped) < score(*answer_.fused))) return;
        answer_.fused = std::move(*mapped);
        is_quick_ = false;
        tell();
    }

    void tell() const {
        if (tell_) tell_(answer_.fused ? &*answer_.fused : nullptr, wants_front() ? 0.0 : answer_.bound);
    }

    // The ends, then the line that closes most of what they leave open.
    void find_front(int rounds) {
        constexpr int kMostLines = 64;
        constexpr double kEnough = 0.001;
        front_.begin(at_floors().floors());
        prove(kEnergy, rounds);
        prove(kCycles, rounds);
        for (int i = 2; i < kMostLines && !answer_.stopped && !front_.empty(); ++i) {
            const std::optional<Weights> next = front_.next(kEnough);
            if (!next) break;
            prove(*next, rounds);
        }
    }

    // A line, as high as the search of one aim finds it.
    void prove(const Weights& weights, int rounds) {
        aim_ = weights;
        is_known_ = false;
        answer_.bound = 0.0;
        if (const Mapped* best = front_.cheapest(aim_)) answer_.fused = *best;
        try {
            search(rounds);
        } catch (const Stopped&) {
            answer_.stopped = true;
        }
        front_.prove({weights, answer_.bound});
    }

    // What certificates are of is not of a front.
    void finish_front() {
        if (!front_.has_lines()) front_.begin(at_floors().floors());
        aim_.reset();
        answer_.duals.clear();
        answer_.floor_bound = 0.0;
        front_.write(answer_);
    }

    std::optional<Mapped> mapped(FusionPlan plan) { return mapped(std::move(plan), plans_); }

    std::optional<Mapped> mapped(FusionPlan plan, PlanMapper& plans) {
        plan.weights = weights_of(plan);
        return plans.mapped(std::move(plan), kind_of(aim_));
    }

    // A first plan, long before the best of any leaf is known: leaves as a short search maps them, alone and in pairs.
    void map_quickly() {
        answer_.unfused = mapped(quick_plans_.alone(), quick_plans_);
        if (!answer_.unfused) return;
        offer(answer_.unfused);
        if (longest_ > 1)
            for (const Aim& aim : aims()) offer_likely(quick_plans_.inside(*answer_.unfused), 2, aim, quick_plans_);
        is_quick_ = true;
    }

    // The plan that is best with leaves as they are likely to be; nothing: none was found.
    std::optional<Mapped> offer_likely(const std::vector<LeastPerPoint>& inside, int longest, const Aim& aim,
                                       PlanMapper& plans) {
        LikelyLeaves likely(floors_, cascade_, machine_, inside);
        const Best best = best_of(likely, stop_, longest, aim);
        throw_if_stopped(stop_);
        if (!best.plan) return std::nullopt;
        std::optional<Mapped> one = mapped(*best.plan, plans);
        offer(one);
        return one;
    }

    // Of energy and cycles where a product is to be small: its tangent.
    Weights weights_of(const FusionPlan& plan) const {
        if (aim_) return *aim_;
        if (plan.energy_pj <= 0.0 || plan.cycles <= 0.0) return {0.0, 1.0};
        return {1.0 / plan.energy_pj, 1.0 / plan.cycles};
    }

    void map_alone() {
        std::optional<Mapped> alone = aim_ ? mapped(plans_.alone()) : alone_for_product();
        if (!alone) return;
        answer_.unfused = alone;
        offer(std::move(alone));
    }

    // From the leaves of least energy, from those of fewest cycles, and from those of which each has the least product
    // of its own, which is the least of all where there is one: on by tangents as long as the product falls.
    std::optional<Mapped> alone_for_product() {
        std::optional<Mapped> least;
        for (const std::optional<Weights>& first : {std::optional(kEnergy), {kCycles}, {}}) {
            FusionPlan plan = plans_.alone();
            plan.weights = first;
            for (std::optional<Mapped> next = plans_.mapped(std::move(plan), ObjectiveKind::edp);
                 next && (!least || value(*next) < value(*least)); next = mapped(least->plan))
                least = std::move(next);
        }
        return least;
    }

    // Plans at floors of what is not asked for: of least energy where cycles are to be few.
    void map_others() {
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
            if (kind == objective_.kind) continue;
            FloorLeaves floors(cascade_, architecture_, demands_, view_.may_be_driven(), wanted_for({.kind = kind}),
                               partial_);
            const Best best = best_of(floors, stop_, longest_, aim_for({.kind = kind}));
            throw_if_stopped(stop_);
            if (best.plan) offer(mapped(*best.plan));
        }
    }

    void map_likely() {
        if (!answer_.unfused || longest_ == 1) return;
        const std::vector<LeastPerPoint> inside = plans_.inside(*answer_.unfused);
        // Groups of a few einsums are found in a fraction of the time. Where floors know boxes their plans are as good.
        constexpr int kFew = 2;
        const int most = floors_.knows_boxes() ? kFew + 1 : std::min(longest_, cascade_.einsum_count());
        for (int longest = kFew; longest < most; longest *= 2)
            for (const Aim& aim : aims()) offer_likely(inside, longest, aim, plans_);
        if (floors_.knows_boxes()) return;
        map_likely(inside, aim_);
        if (aim_) return;
        map_likely(inside, kEnergy);
        map_likely(inside, kCycles);
    }

    // Of likely leaves that find plans. Their cycles are wrong by more than their energy is.
    std::vector<Aim> aims() const {
        if (aim_ && (wants_front() || *aim_ == kEnergy)) return {aim_};
        return {kEnergy, kCycles, std::nullopt};
    }

    // What was seen of leaves tells the next search more.
    void map_likely(std::vector<LeastPerPoint> inside, const Aim& aim) {
        double best_so_far = value(*answer_.unfused);
        constexpr int kTries = 3;
        for (int i = 0; i < kTries; ++i) {
            const std::optional<Mapped> one = offer_likely(inside, longest_, aim, plans_);
            if (!one || value(*one) >= best_so_far * (1.0 - kClose)) return;
            best_so_far = value(*one);
            inside = plans_.inside(*one);
        }
    }

    // The bound of the floors as they are; it holds where the search is stopped, too.
    std::optional<FusionPlan> bound_at_floors() {
        const Best best = best_of(at_floors(), aim_);
        if (best.bound > answer_.bound) {
            answer_.bound = best.bound;
            if (!floors_.has_learnt() && !best.stopped) {
                answer_.floor_bound = best.bound;
                answer_.duals = best.duals;
                answer_.sums = best.sums;
            }
            tell();
        }
        answer_.stopped = answer_.stopped || best.stopped;
        return best.stopped ? std::nullopt : best.plan;
    }

    Search& at_floors() {
        if (!at_floors_) at_floors_.emplace(view_, machine_, floors_, SearchLimits{longest_, bits_of_sums_}, stop_);
        return *at_floors_;
    }

    void bound_once() {
        StopSource now;
        now.request();
        answer_.bound = best_of(floors_, &now, longest_, aim_).bound;
    }

    void bound(int rounds) {
        constexpr int kFew = 8;
        constexpr double kMuch = 1.001;
        for (int i = 0; i < rounds && !is_proven() && !is_known_; ++i) {
            const double before = answer_.bound;
            const std::optional<FusionPlan> plan = bound_at_floors();
            const bool is_slow = i + 1 >= kFew && answer_.bound < before * kMuch && !closes_gap(before);
            if (!plan || is_slow) return;
            is_known_ = !learn(*plan);
        }
    }

    // Little is missing, and less by a tenth than before.
    bool closes_gap(double before) const {
        constexpr double kLittle = 0.001;
        if (!answer_.fused) return false;
        const double best = value(*answer_.fused);
        return best - before <= kLittle * best && best - answer_.bound <= 0.9 * (best - before);
    }

    // What the leaves of a plan cost: with all of the buffer, and with what the plan leaves them. False: nothing new.
    bool learn(const FusionPlan& plan) {
        const std::optional<std::vector<AskedLeaf>> asked = plans_.leaves_of(plan);
        if (!asked) return false;
        bool is_new = false;
        for (const AskedLeaf& one : *asked)
            for (const std::int64_t units : {machine_.capacity, one.units}) is_new = learn(one, units) || is_new;
        offer(mapped(plan));
        return is_new;
    }

    bool learn(const AskedLeaf& leaf, std::int64_t units) {
        if (!learnt_.insert({leaf.einsum, leaf.question, units}).second) return false;
        floors_.learn(leaf.einsum, leaf.question, units, least_of(leaf, units));
        return true;
    }

    // Nothing: no mapping fits.
    std::optional<LeafPoint> least_of(const AskedLeaf& leaf, std::int64_t units) {
        const auto goes_on = static_cast<double>(leaf.question.resumed);
        const std::vector<std::int64_t> sums = sums_of(cascade_, leaf.einsum, partial_);
        const bool apart = goes_on > 0.0 && std::ranges::any_of(sums, [](std::int64_t bits) { return bits > 0; });
        LeafPoint least;
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
            if (wanted_for(objective_) != Wanted::both && objective_.kind != kind) continue;
            const auto best = [&](bool unfinished) {
                return mapper_.best(leaf.einsum, leaf.question.extents, leaf.question.held, units * machine_.unit_bits,
                                    kind, unfinished);
            };
            const LeafMapping* last = best(false);
            const LeafMapping* before = apart ? best(true) : last;
            if (last == nullptr || before == nullptr) return std::nullopt;
            const double bound = apart ? goes_on * before->bound + last->bound : (1.0 + goes_on) * last->bound;
            (kind == ObjectiveKind::energy ? least.energy_pj : least.cycles) = bound * (1.0 - kClose);
        }
        return least;
    }

    bool is_proven() const {
        return answer_.fused && !answer_.stopped && answer_.bound >= value(*answer_.fused) * (1.0 - kProof);
    }

    // What is likely would be looked for in vain.
    bool is_near() const {
        constexpr double kNear = 0.01;
        return answer_.fused && answer_.bound >= value(*answer_.fused) * (1.0 - kNear);
    }

    Answer finished() {
        if (answer_.fused && answer_.bound > value(*answer_.fused) * (1.0 + kProof))
            throw std::logic_error("a fused mapping costs " + std::to_string(value(*answer_.fused)) +
                                   ", less than the bound of all, " + std::to_string(answer_.bound));
        answer_.proven = wants_front() ? !front_.empty() && answer_.gap == 0.0 : is_proven();
        answer_.statistics.leaves = mapper_.count();
        return std::move(answer_);
    }

    static constexpr double kClose = 1e-9;  // sums in another order
    static constexpr double kProof = 1e-8;  // bounds of leaves are taken a little lower than they are

    const Cascade& cascade_;
    const Architecture& architecture_;
    const std::vector<Constraints>& demands_;
    Objective objective_;
    Aim aim_;  // of a front: of the line that is being proven; nothing before the first
    const StopSource* stop_;
    int longest_;
    const TellProgress& tell_;
    const PartialBits& partial_;
    const std::vector<std::int64_t> bits_of_sums_;  // by tensor
    Machine machine_;
    CascadeView view_;
    LeafMapper mapper_;
    PlanMapper plans_;
    LeafMapper quick_mapper_;
    PlanMapper quick_plans_;
    FloorLeaves floors_;
    std::optional<Search> at_floors_;  // what it knows of boxes serves all rounds
    std::set<std::tuple<int, LeafQuestion, std::int64_t>> learnt_;
    bool is_known_ = false;  // the last plan at floors asks for leaves that were mapped before
    Answer answer_;
    Front front_{kProof};
    bool is_quick_ = false;  // the best is of the first plan: another one that is as good counts
};

}  // namespace

std::string problem_with_objective(const Objective& objective) {
    if (objective.kind != ObjectiveKind::energy && objective.kind != ObjectiveKind::latency &&
        objective.kind != ObjectiveKind::edp && objective.kind != ObjectiveKind::pareto)
        return "fused mappings are searched for energy, latency, edp and pareto";
    return "";
}

std::string problem_with(const Cascade& cascade, const Architecture& architecture, const Objective& objective) {
    if (std::string problem = problem_with_objective(objective); !problem.empty()) return problem;
    std::string problem = fused::problem_with(architecture);
    if (problem.empty()) problem = problem_with_hierarchy(architecture);
    if (!problem.empty()) return "fused mappings are not searched on this machine: " + problem;
    return problem_with_cascade(cascade);
}

Answer optimize(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                const Objective& objective, const StopSource* stop, int longest_group, int rounds,
                const TellProgress& tell, const PartialBits& partial) {
    return FusionSearch(cascade, architecture, demands, objective, stop, longest_group, tell, partial).run(rounds);
}

Answer optimize(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                const StopSource* stop, int longest_group, const PartialBits& partial) {
    constexpr int kRounds = 64;
    std::string problem;
    return optimize(cascade, architecture, demands_of(cascade, architecture, {}, problem), objective, stop,
                    longest_group, kRounds, {}, partial);
}

}  // namespace tilewright::fusion
