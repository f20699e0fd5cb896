#include "multicore/search/slot_search.hpp"

#include <algorithm>

namespace tilewright::multicore {

SlotSearch::SlotSearch(const Evaluators& evaluators, const Weights& weights, const Way& way, const StopSource* stop)
    : evaluators_(evaluators),
      weights_(weights),
      way_(way),
      stop_(stop),
      floors_(evaluators.exact, way, stop),
      cores_(evaluators.exact.problem().package().core_count()),
      start_{-1, {}, 0.0, Slots(floors_.slots())},
      energy_behind_(way.stages() + 1, 0.0),
      states_(way.stages()),
      run_(way.frame.run()) {
    for (int stage = 0; stage < way.stages(); ++stage)
        streams_.push_back(streams_of(evaluators.exact.problem(), way.frame.first + stage, way.frame.first));
    for (int stage = way.stages() - 1; stage >= 0; --stage) {
        double least = kNever;
        for (int size = 1; size <= cores_; ++size)
            if (way.size == 0 || size == way.size)
                least = std::min(least, way.shapes[stage]->least_of_size(size).energy_pj);
        energy_behind_[stage] = energy_behind_[stage + 1] + least;
    }
}

double SlotSearch::value_of(double energy_pj, double cycles) const {
    return weights_.of(energy_pj + way_.frame.leak_pj * cycles, cycles);
}

// Cycles at which that energy comes to the cut.
double SlotSearch::cycles_below(double energy_pj, double cut) const {
    const double of_cycle = weights_.cycles + weights_.energy * way_.frame.leak_pj;
    return (cut - weights_.energy * energy_pj) / of_cycle;
}

double SlotSearch::floor(double cut) const {
    const std::vector<Rest> rests = floors_.behind({}, start_.slots, cycles_below(energy_behind_[0], cut), true);
    return rests.empty() ? cut : value_of(energy_behind_[0], rests.front().cycles);
}

double SlotSearch::go(std::int64_t most, const std::function<double()>& cut, const Found& found,
                      std::int64_t& looked_at) {
    double left_out = cut();
    for (int stage = 0; stage < way_.stages(); ++stage)
        left_out = std::min(left_out, of_stage(stage, most, cut, found, looked_at));
    return std::min(left_out, cut());
}

Places SlotSearch::places_of(int stage, int state) const {
    std::vector<const State*> back;
    for (int s = stage; s >= 0; --s) {
        back.push_back(&states_[s][state]);
        state = back.back()->parent;
    }
    Places places;
    for (int s = 0; s <= stage; ++s) {
        const State& one = *back[stage - s];
        floors_.place(places, lag_of(s, one.choice), streams_[s][one.choice.streams]);
    }
    return places;
}

int SlotSearch::lag_of(int stage, const Choice& choice) const {
    return shape_of(stage, choice).shape.members > 1 ? 2 : 1;
}

// Shapes that have room in an empty core.
const std::vector<int>& SlotSearch::fitting(int stage, int size, int streams) {
    const auto [found, is_new] = fitting_.try_emplace({stage, size, streams});
    if (!is_new) return found->second;
    const StageView view{evaluators_, way_.frame, weights_, way_.frame.first + stage};
    const std::vector<FlooredShape>& shapes = way_.shapes[stage]->of_size(size);
    for (std::size_t shape = 0; shape < shapes.size(); ++shape)
        if (has_room(view, {{}, shapes[shape].shape.split, streams_[stage][streams], shapes[shape].shape.sums}))
            found->second.push_back(static_cast<int>(shape));
    return found->second;
}

// Cycles with a shape of the stage placed last and the rest at its least.
double SlotSearch::least_with(const Places& places, const FlooredShape& one, const Slots& before, Slots more,
                              const std::vector<Rest>& rests) const {
    floors_.add_shape(static_cast<int>(places.offsets.size()) - 1, one, places.offsets.back(), more);
    double cycles = kNever;
    for (const Rest& rest : rests) {
        if (rest.cycles >= cycles) break;
        cycles = std::min(cycles, floors_.cycles(before, &more, &rest, cycles));
    }
    return cycles;
}

// Of a state with each option of the stage.
void SlotSearch::offer(int stage, int state, double cut, Best& best) {
    const State& before = stage > 0 ? states_[stage - 1][state] : start_;
    const double energy_pj = before.energy_pj + energy_behind_[stage + 1];
    for (const int lag : {1, 2})
        for (std::size_t s = 0; s < streams_[stage].size(); ++s) {
            Places places = stage > 0 ? places_of(stage - 1, state) : Places{};
            floors_.place(places, lag, streams_[stage][s]);
            const std::vector<Rest> rests = floors_.behind(places, before.slots, cycles_below(energy_pj, cut), false);
            if (!rests.empty()) offer_shapes(state, static_cast<int>(s), places, rests, cut, best);
        }
}

// Of the stage placed last.
void SlotSearch::offer_shapes(int state, int streams, const Places& places, const std::vector<Rest>& rests, double cut,
                              Best& best) {
    const int stage = static_cast<int>(places.offsets.size()) - 1;
    const State& before = stage > 0 ? states_[stage - 1][state] : start_;
    const bool is_pipeline = way_.size == 0;
    const int others = is_pipeline ? way_.stages() - 1 - stage : 0;
    const int from = is_pipeline && stage > 0 ? before.choice.team.from + before.choice.team.size : 0;
    Slots words(floors_.slots());
    floors_.add_words(places, stage, stage - 1, words.words);
    const FlooredShape* same = nullptr;
    double cycles = kNever;
    for (int size = is_pipeline ? 1 : way_.size; size <= (is_pipeline ? cores_ - from - others : way_.size); ++size)
        for (const int shape : fitting(stage, size, streams)) {
            Choice choice{{from, size}, shape, streams};
            if (lag_of(stage, choice) != places.lags.back()) continue;
            const FlooredShape& one = shape_of(stage, choice);
            if (same == nullptr || same->steps != one.steps) {  // ways of sums differ in links alone
                same = &one;
                cycles = least_with(places, one, before.slots, words, rests);
            }
            const double energy_pj = before.energy_pj + one.floor.energy_pj;
            const double value = value_of(energy_pj + energy_behind_[stage + 1], cycles);
            if (value >= cut) continue;
            const int last = is_pipeline ? cores_ - size - others : from;
            for (; choice.team.from <= last; ++choice.team.from) best.offer({value, energy_pj, state, choice});
        }
}

void SlotSearch::Best::offer(const Coming& one) {
    if (coming.size() < most || one < coming.front()) {
        coming.push_back(one);
        std::ranges::push_heap(coming);
        if (coming.size() <= most) return;
        std::ranges::pop_heap(coming);
        left_out = std::min(left_out, coming.back().value);
        coming.pop_back();
    } else {
        left_out = std::min(left_out, one.value);
    }
}

double SlotSearch::of_stage(int stage, std::int64_t most, const std::function<double()>& cut, const Found& found,
                            std::int64_t& looked_at) {
    Best best{static_cast<std::size_t>(most)};
    states_[stage].clear();
    const std::size_t count = stage > 0 ? states_[stage - 1].size() : 1;
    for (std::size_t state = 0; state < count; ++state) {
        throw_if_stopped(stop_);
        offer(stage, static_cast<int>(state), cut(), best);
    }
    std::ranges::sort(best.coming);
    for (const Coming& next : best.coming) {
        throw_if_stopped(stop_);
        if (next.value >= cut()) break;
        ++looked_at;
        if (auto state = evaluate(stage, next, cut(), found)) states_[stage].push_back(std::move(*state));
    }
    return best.left_out;
}

void SlotSearch::take(int stage, const Choice& choice) {
    const Shape& shape = shape_of(stage, choice).shape;
    run_.stages[stage] = {cores_of(choice.team), shape.split, streams_[stage][choice.streams], shape.sums};
}

// With one stage more; nothing: it has no room or costs no less than the cut.
std::optional<SlotSearch::State> SlotSearch::evaluate(int stage, const Coming& next, double cut, const Found& found) {
    take(stage, next.choice);
    int state = next.state;
    for (int s = stage - 1; s >= 0; --s) {
        take(s, states_[s][state].choice);
        state = states_[s][state].parent;
    }
    if (!may_run(evaluators_.exact.problem(), way_.frame.first + stage, next.choice.team)) return std::nullopt;
    Parts parts;
    const Evaluated now = evaluators_.exact.part(run_, *way_.frame.made, (std::uint64_t{2} << stage) - 1,
                                                 way_.size == 0, nullptr, 0, &parts);
    if (!now) return std::nullopt;
    if (stage + 1 == way_.stages()) {
        found(run_, now.cost);
        return std::nullopt;
    }
    State one{next.state, next.choice, now.cost.energy.total() - now.cost.energy.leakage, Slots(floors_.slots())};
    for (std::size_t t = 0; t < now.cost.slots.size(); ++t) {
        one.slots.slowest[t] = static_cast<double>(now.cost.slots[t].compute);
        one.slots.moving[t] = static_cast<double>(now.cost.slots[t].moving);
        one.slots.busy[t] = static_cast<double>(parts.busy[t]);
        one.slots.words[t] = static_cast<double>(parts.dram_words[t]);
    }
    Places places = stage > 0 ? places_of(stage - 1, next.state) : Places{};
    floors_.place(places, lag_of(stage, next.choice), streams_[stage][next.choice.streams]);
    for (int s = 0; s <= stage; ++s) floors_.add_words(places, s, stage, one.slots.words);
    const double energy_pj = one.energy_pj + energy_behind_[stage + 1];
    if (value_of(energy_pj, floors_.cycles(one.slots, nullptr, nullptr, kNever)) >= cut ||
        floors_.behind(places, one.slots, cycles_below(energy_pj, cut), true).empty())
        return std::nullopt;
    return one;
}

}  // namespace tilewright::multicore
