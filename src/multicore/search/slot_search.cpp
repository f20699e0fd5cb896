#include "multicore/search/slot_search.hpp"

#include <algorithm>

namespace tilewright::multicore {

SlotSearch::SlotSearch(const Evaluators& evaluators, const Weights& weights, const Way& way)
    : evaluators_(evaluators),
      weights_(weights),
      way_(way),
      floors_(evaluators.exact, way),
      cores_(evaluators.exact.problem().package().core_count()),
      start_{-1, {}, 1, 0.0, Slots(floors_.slots())},
      energy_behind_(way.stages() + 1, 0.0),
      states_(way.stages()),
      run_(way.frame.run()) {
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
    const std::vector<Rest> rests = floors_.behind({}, start_.slots, cycles_below(energy_behind(0), cut));
    return rests.empty() ? cut : value_of(energy_behind(0), rests.front().cycles);
}

double SlotSearch::go(std::int64_t most, const std::function<double()>& cut, const Found& found, const StopSource* stop,
                      std::int64_t& looked_at) {
    double left_out = cut();
    for (int stage = 0; stage < way_.stages(); ++stage)
        left_out = std::min(left_out, of_stage(stage, most, cut, found, stop, looked_at));
    return std::min(left_out, cut());
}

Places SlotSearch::places_of(int stage, int state) const {
    std::vector<int> lags;
    for (int s = stage; s >= 0; --s) {
        lags.push_back(states_[s][state].lag);
        state = states_[s][state].parent;
    }
    Places places;
    for (auto lag = lags.rbegin(); lag != lags.rend(); ++lag) floors_.place(places, *lag);
    return places;
}

// Shapes and streams that have room in an empty core.
const std::vector<std::pair<int, int>>& SlotSearch::fitting(int stage, int size) {
    const auto [found, is_new] = fitting_.try_emplace({stage, size});
    if (!is_new) return found->second;
    const int einsum = way_.frame.first + stage;
    const Problem& problem = evaluators_.exact.problem();
    const StageView view{evaluators_, way_.frame, weights_, einsum};
    const std::vector<std::uint32_t> streams = streams_of(problem, einsum, way_.frame.first);
    const std::vector<FlooredShape>& shapes = way_.shapes[stage]->of_size(size);
    for (std::size_t shape = 0; shape < shapes.size(); ++shape)
        for (std::size_t s = 0; s < streams.size(); ++s) {
            const package::Stage one{{}, shapes[shape].shape.split, streams[s], shapes[shape].shape.sums};
            if (has_room(view, one)) found->second.emplace_back(static_cast<int>(shape), static_cast<int>(s));
        }
    return found->second;
}

// Of a state with each option of the stage; no more than `most` of all.
void SlotSearch::offer(int stage, int state, double cut, std::int64_t most, std::vector<Coming>& coming,
                       double& left_out) {
    const State& so_far = before(stage, state);
    const Places places = stage > 0 ? places_of(stage - 1, state) : Places{};
    const int einsum = way_.frame.first + stage;
    const std::vector<std::uint32_t> streams = streams_of(evaluators_.exact.problem(), einsum, way_.frame.first);
    const int others = way_.stages() - 1 - stage;
    const int from = way_.size > 0 || stage == 0 ? 0 : so_far.choice.team.from + so_far.choice.team.size;
    const double energy_pj = so_far.energy_pj + energy_behind(stage + 1);
    for (const int lag : {1, 2}) {
        Places next = places;
        floors_.place(next, lag);
        const int offset = next.offsets.back();
        const std::vector<Rest> rests = floors_.behind(next, so_far.slots, cycles_below(energy_pj, cut));
        const int largest = way_.size > 0 ? way_.size : cores_ - from - others;
        for (int size = way_.size > 0 ? way_.size : 1; size <= largest && !rests.empty(); ++size)
            for (const auto& [shape, s] : fitting(stage, size)) {
                const FlooredShape& one = way_.shapes[stage]->of_size(size)[shape];
                if ((one.shape.members > 1 ? 2 : 1) != lag) continue;
                Slots more(floors_.slots());
                floors_.add_shape(stage, one, offset, more);
                floors_.add_words(stage, streams[s], offset, more.words, false, stage);
                double cycles = kNever;
                for (const Rest& rest : rests) {
                    if (rest.cycles >= cycles) break;
                    cycles = std::min(cycles, floors_.cycles(so_far.slots, &more, &rest));
                }
                const double value = value_of(energy_pj + one.floor.energy_pj, cycles);
                if (value >= cut) continue;
                for (int at = from; at + size + (way_.size > 0 ? 0 : others) <= cores_; ++at) {
                    const Coming now{value, so_far.energy_pj + one.floor.energy_pj, state, {{at, size}, shape, s}};
                    if (way_.size > 0 && at > 0) break;
                    if (static_cast<std::int64_t>(coming.size()) >= most && !(now < coming.front())) {
                        left_out = std::min(left_out, value);
                        continue;
                    }
                    coming.push_back(now);
                    std::ranges::push_heap(coming);
                    if (static_cast<std::int64_t>(coming.size()) <= most) continue;
                    std::ranges::pop_heap(coming);
                    left_out = std::min(left_out, coming.back().value);
                    coming.pop_back();
                }
            }
    }
}

double SlotSearch::of_stage(int stage, std::int64_t most, const std::function<double()>& cut, const Found& found,
                            const StopSource* stop, std::int64_t& looked_at) {
    double left_out = kNever;
    std::vector<Coming> coming;  // a heap, the last one on top
    states_[stage].clear();
    const std::size_t count = stage > 0 ? states_[stage - 1].size() : 1;
    for (std::size_t state = 0; state < count; ++state) {
        throw_if_stopped(stop);
        offer(stage, static_cast<int>(state), cut(), most, coming, left_out);
    }
    std::ranges::sort(coming);
    for (const Coming& next : coming) {
        throw_if_stopped(stop);
        if (next.value >= cut()) break;
        ++looked_at;
        if (auto state = evaluate(stage, next, cut(), found)) states_[stage].push_back(std::move(*state));
    }
    return left_out;
}

void SlotSearch::take(int stage, const Choice& choice) {
    const Shape& shape = way_.shapes[stage]->of_size(choice.team.size)[choice.shape].shape;
    const int einsum = way_.frame.first + stage;
    run_.stages[stage] = {cores_of(choice.team), shape.split,
                          streams_of(evaluators_.exact.problem(), einsum, way_.frame.first)[choice.streams],
                          shape.sums};
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
    const bool is_late = way_.shapes[stage]->of_size(next.choice.team.size)[next.choice.shape].shape.members > 1;
    State one{next.state, next.choice, is_late ? 2 : 1, now.cost.energy.total() - now.cost.energy.leakage,
              Slots(floors_.slots())};
    for (std::size_t t = 0; t < now.cost.slots.size(); ++t) {
        one.slots.slowest[t] = static_cast<double>(now.cost.slots[t].compute);
        one.slots.moving[t] = static_cast<double>(now.cost.slots[t].moving);
        one.slots.busy[t] = static_cast<double>(parts.busy[t]);
        one.slots.words[t] = static_cast<double>(parts.dram_words[t]);
    }
    Places places = stage > 0 ? places_of(stage - 1, next.state) : Places{};
    floors_.place(places, one.lag);
    for (int s = 0; s <= stage; ++s)
        floors_.add_words(s, run_.stages[s].streamed, places.offsets[s], one.slots.words, true, stage);
    const double energy_pj = one.energy_pj + energy_behind(stage + 1);
    if (value_of(energy_pj, floors_.cycles(one.slots, nullptr, nullptr)) >= cut ||
        floors_.behind(places, one.slots, cycles_below(energy_pj, cut)).empty())
        return std::nullopt;
    return one;
}

}  // namespace tilewright::multicore
