#include "tiles/search/ask.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

// The best few, best first; of equals the first that came.
class Best {
   public:
    Best(const Rules& rules, std::size_t most) : rules_(rules), most_(most) { kept_.reserve(most + 1); }

    void take(const std::int64_t* slots, const Score& score, double time_us) {
        if (kept_.size() == most_ && !(score < kept_.back().score)) return;
        RankedPoint one;
        if (kept_.size() == most_) {
            one = std::move(kept_.back());
            kept_.pop_back();
        }
        one.point.assign(slots + rules_.point_slot(), slots + rules_.let_slot());
        one.score = score;
        one.time_us = time_us;
        kept_.insert(std::ranges::upper_bound(kept_, score, {}, &RankedPoint::score), std::move(one));
    }

    std::vector<RankedPoint>& kept() { return kept_; }

   private:
    const Rules& rules_;
    std::size_t most_;
    std::vector<RankedPoint> kept_;
};

void say_of_best(const Problem& problem, std::span<const std::int64_t> given, Scorer& scorer, Answer& answer) {
    std::vector<std::int64_t> slots = slots_for(problem, given);
    std::ranges::copy(answer.best.point, slots.begin() + problem.rules.point_slot());
    complete(problem.rules, slots.data());
    scorer.score(slots.data());
    answer.parts = scorer.parts();
    answer.lets.assign(slots.begin() + problem.rules.let_slot(), slots.end());
}

bool has(const AskOptions& options, Measure measure) {
    return std::ranges::find(options.measures, measure) != options.measures.end();
}

}  // namespace

Answer ask(const Problem& problem, std::span<const std::int64_t> given, const AskOptions& options) {
    Answer answer;
    Scorer scorer(problem, options.measures);
    const std::optional<double> bound = scorer.bound(slots_for(problem, given).data());
    const bool alone = options.runners_up == 0 && options.measures.size() == 1;
    Best found(problem.rules, options.runners_up + 1);
    bool reached = false;
    PointWalk walk(problem, given, options.limits);
    // Points that differ in idle choices alone are equal: the first is the best, but the others are the next.
    if (options.runners_up == 0 && !has(options, Measure::words))
        walk.leave_out_idle(has(options, Measure::time), has(options, Measure::count));
    answer.walked = walk.each([&](const std::int64_t* slots) {
        const Score score = scorer.score(slots, walk.changed());
        found.take(slots, score, scorer.time_us());
        // With a bound that is reached no other can be better; it would only be the second.
        reached = alone && bound && score.front() <= *bound;
        return !reached;
    });
    std::vector<RankedPoint>& best = found.kept();
    if (best.empty()) {
        if (!answer.walked.complete) answer.claim = Claim::best_found;
        return answer;
    }
    constexpr double kRounding = 1e-9;
    if (bound && best.front().score.front() < *bound * (1.0 - kRounding))
        throw InputError(ErrorCode::bad_value, problem.rules.bound->where(),
                         fmt::format("bound: {:g} us, but a legal point takes {:g} us: no bound", *bound,
                                     best.front().score.front()));
    answer.best = std::move(best.front());
    answer.runners_up.assign(std::make_move_iterator(best.begin() + 1), std::make_move_iterator(best.end()));
    if (!answer.walked.complete && !reached) {
        answer.claim = bound && *bound > 0.0 ? Claim::within : Claim::best_found;
        if (answer.claim == Claim::within) answer.within = answer.best.score.front() / *bound - 1.0;
    }
    say_of_best(problem, given, scorer, answer);
    return answer;
}

}  // namespace tilewright::tiles
