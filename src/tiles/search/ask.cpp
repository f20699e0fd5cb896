#include "tiles/search/ask.hpp"

#include <algorithm>

namespace tilewright::tiles {
namespace {

RankedPoint ranked(const Rules& rules, const std::int64_t* slots, const Score& score, double time_us) {
    return {{slots + rules.point_slot(), slots + rules.let_slot()}, score, time_us};
}

// The best few, best first; of equals the first that came.
void keep(std::vector<RankedPoint>& best, std::size_t most, const Rules& rules, const std::int64_t* slots,
          const Score& score, double time_us) {
    if (best.size() == most && !(score < best.back().score)) return;
    const auto place = std::ranges::upper_bound(best, score, {}, &RankedPoint::score);
    best.insert(place, ranked(rules, slots, score, time_us));
    if (best.size() > most) best.pop_back();
}

void say_of_best(const Problem& problem, std::span<const std::int64_t> given, Scorer& scorer, Answer& answer) {
    std::vector<std::int64_t> slots = slots_for(problem, given);
    std::ranges::copy(answer.best.point, slots.begin() + problem.rules.point_slot());
    complete(problem.rules, slots.data());
    scorer.score(slots.data());
    answer.parts = scorer.parts();
    answer.lets.assign(slots.begin() + problem.rules.let_slot(), slots.end());
}

}  // namespace

Answer ask(const Problem& problem, std::span<const std::int64_t> given, const AskOptions& options) {
    Answer answer;
    Scorer scorer(problem, options.measures);
    const std::optional<double> bound = scorer.bound(slots_for(problem, given).data());
    const bool alone = options.runners_up == 0 && options.measures.size() == 1;
    std::vector<RankedPoint> best;
    bool reached = false;
    PointWalk walk(problem, given, options.limits);
    answer.walked = walk.each([&](const std::int64_t* slots) {
        const Score score = scorer.score(slots);
        keep(best, options.runners_up + 1, problem.rules, slots, score, scorer.time_us());
        // With a bound that is reached no other can be better; it would only be the second.
        reached = alone && bound && best.front().score.front() <= *bound;
        return !reached;
    });
    if (best.empty()) {
        if (!answer.walked.complete) answer.claim = Claim::best_found;
        return answer;
    }
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
