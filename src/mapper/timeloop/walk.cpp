#include "mapper/timeloop/walk.hpp"

#include <algorithm>

namespace tilewright::timeloop_search {
namespace {

// A stream's number of factorisations: every n-th is its own.
Number own_factorizations(const Space& space, const WalkPlan& plan) {
    const auto streams = static_cast<Number>(plan.streams);
    const auto stream = static_cast<Number>(plan.stream);
    const Number all = space.sizes().factorizations;
    return all <= stream ? 0 : (all - stream - 1) / streams + 1;
}

// A slice of a stream's own factorisation.
class Slices {
   public:
    Slices(const Space& space, const WalkPlan& plan, Prune prune) : space_(space), plan_(plan), prune_(prune) {}

    Slice of(Number own) const {
        return space_.slice(own * static_cast<Number>(plan_.streams) + static_cast<Number>(plan_.stream), prune_);
    }

   private:
    const Space& space_;
    WalkPlan plan_;
    Prune prune_;
};

// Bypasses count fastest, then splits, orders (all, or some drawn), factorisations (all, or drawn with replacement).
class PrunedWalk final : public Walk {
   public:
    PrunedWalk(const Space& space, const WalkPlan& plan)
        : space_(space),
          plan_(plan),
          slices_(space, plan, Prune::yes),
          factorizations_(own_factorizations(space, plan)),
          bypasses_(space.sizes().bypasses),
          draw_factorization_(std::max<Number>(factorizations_, 1), plan.seed),
          draw_permutation_(space.sizes().permutations, plan.seed),
          done_(factorizations_ == 0) {
        // Timeloop's hybrid draws its first factorisation only after number 0.
        if (!done_) enter(plan.algorithm == Algorithm::random_pruned ? draw_factorization_.next() : 0);
    }

    bool done() const override { return done_; }
    const Slice& slice() const override { return slice_; }
    const Choice& choice() const override { return choice_; }

    void report(Outcome outcome) override {
        if (outcome == Outcome::no_room) ++without_room_;
        if (choice_.bypass + 1 == bypasses_) {
            if (without_room_ == bypasses_) leave_factorization();
            without_room_ = 0;
        }
        if (outcome == Outcome::no_fanout) choice_.bypass = bypasses_ - 1;
        step();
    }

    std::int64_t doomed() const override {
        if (choice_.bypass != 0 || doomed_in_a_row_.empty()) return 0;
        const std::int64_t here = doomed_in_a_row_[static_cast<std::size_t>(choice_.split)];
        const auto splits = static_cast<std::int64_t>(doomed_in_a_row_.size());
        if (draws_orders() || doomed_in_a_row_.front() < splits) return here;
        constexpr Number kAtOnce = Number{1} << 40U;
        return here + static_cast<std::int64_t>(std::min(orders_left_ - 1, kAtOnce)) * splits;
    }

    void pass(std::int64_t count) override {
        const Number place = choice_.split + static_cast<Number>(count);
        choice_.split = place % slice_.splits;
        choice_.permutation += place / slice_.splits;
        orders_left_ -= place / slice_.splits;
    }

   private:
    bool draws_orders() const { return plan_.algorithm == Algorithm::random_pruned; }

    void enter(Number factorization) {
        choice_ = {};
        choice_.factorization = factorization;
        slice_ = slices_.of(factorization);
        orders_left_ = slice_.permutations;
        count_doomed();
        if (!draws_orders()) return;
        orders_left_ = std::min(orders_left_, static_cast<Number>(plan_.orders_per_visit));
        choice_.permutation = draw_permutation_.next() % slice_.permutations;
    }

    void count_doomed() {
        const std::vector<bool> doomed = space_.doomed_splits(slice_);
        doomed_in_a_row_.assign(doomed.size(), 0);
        std::int64_t in_a_row = 0;
        for (std::size_t i = doomed.size(); i-- > 0;) doomed_in_a_row_[i] = in_a_row = doomed[i] ? in_a_row + 1 : 0;
    }

    // No choice of kept tensors fits: the rest of the orders and splits is skipped.
    void leave_factorization() {
        choice_.split = slice_.splits - 1;
        orders_left_ = 1;
    }

    void step() {
        if (++choice_.bypass < bypasses_) return;
        choice_.bypass = 0;
        if (++choice_.split < slice_.splits) return;
        choice_.split = 0;
        if (--orders_left_ > 0) {
            choice_.permutation =
                draws_orders() ? draw_permutation_.next() % slice_.permutations : choice_.permutation + 1;
            return;
        }
        if (plan_.algorithm != Algorithm::linear_pruned) return enter(draw_factorization_.next());
        done_ = choice_.factorization + 1 == factorizations_;
        if (!done_) enter(choice_.factorization + 1);
    }

    const Space& space_;
    WalkPlan plan_;
    Slices slices_;
    Number factorizations_;
    Number bypasses_;
    Draws draw_factorization_;
    Draws draw_permutation_;
    bool done_;
    std::vector<std::int64_t> doomed_in_a_row_;  ///< by split: from it on, in any order
    Slice slice_;
    Choice choice_;
    Number orders_left_ = 0;  ///< of this factorisation, with the present one
    Number without_room_ = 0;
};

// Factors, orders and splits are drawn, with replacement; then all bypasses in sequence.
class RandomWalk final : public Walk {
   public:
    RandomWalk(const Space& space, const WalkPlan& plan)
        : slices_(space, plan, Prune::no),
          factorizations_(own_factorizations(space, plan)),
          bypasses_(space.sizes().bypasses),
          draw_factorization_(std::max<Number>(factorizations_, 1), plan.seed),
          draw_permutation_(space.sizes().permutations, plan.seed),
          draw_split_(space.sizes().splits, plan.seed) {
        if (!done()) draw();
    }

    bool done() const override { return factorizations_ == 0; }
    const Slice& slice() const override { return slice_; }
    const Choice& choice() const override { return choice_; }

    void report(Outcome /*outcome*/) override {
        if (++choice_.bypass == bypasses_) draw();
    }

   private:
    void draw() {
        choice_ = {draw_factorization_.next(), draw_permutation_.next(), draw_split_.next(), 0};
        slice_ = slices_.of(choice_.factorization);
    }

    Slices slices_;
    Number factorizations_;
    Number bypasses_;
    Draws draw_factorization_;
    Draws draw_permutation_;
    Draws draw_split_;
    Slice slice_;
    Choice choice_;
};

}  // namespace

std::unique_ptr<Walk> make_walk(const Space& space, const WalkPlan& plan) {
    if (plan.algorithm == Algorithm::random) return std::make_unique<RandomWalk>(space, plan);
    return std::make_unique<PrunedWalk>(space, plan);
}

}  // namespace tilewright::timeloop_search
