#include "multicore/search/pipeline.hpp"

#include <algorithm>
#include <queue>

namespace tilewright::multicore {

Pipeline::Pipeline(const Evaluators& evaluators, const Weights& weights, Way& way, EnergyRest& rest)
    : evaluators_(evaluators),
      weights_(weights),
      way_(way),
      rest_(rest),
      cores_(evaluators.exact.problem().package().core_count()),
      states_(way.stages()),
      run_(way.frame.run()),
      choices_(way.stages()),
      offsets_(way.stages(), 0),
      lags_(way.stages(), 1) {
    find_stages();
}

void Pipeline::find_stages() {
    const Problem& problem = evaluators_.exact.problem();
    const int first = way_.frame.first;
    around_.assign(way_.stages(), 0);
    needed_.assign(way_.stages(), 0);
    int starts = 0;
    // By stage: makers of what the other readers of its tensors from outside hold beside these, which take room only
    // when all their readers are placed.
    std::vector<std::uint64_t> held_beside(way_.stages(), 0);
    std::vector<std::uint64_t> makers(way_.stages(), 0);
    for (int stage = 0; stage < way_.stages(); ++stage) {
        bool is_start = true;
        for (const Reading& reading : problem.worker(first + stage).reads) {
            const int maker = problem.maker(reading.tensor);
            const bool is_inside = way_.frame.is_inside(maker);
            if (is_inside) {
                makers[stage] |= std::uint64_t{1} << (maker - first);
                is_start = false;
            }
            for (const int reader : problem.readers(reading.tensor)) {
                if (reader < first || reader >= first + stage) continue;
                around_[stage] |= std::uint64_t{1} << (reader - first);
                if (!is_inside) held_beside[stage] |= makers[reader - first];
            }
        }
        around_[stage] |= makers[stage];
        starts += is_start ? 1 : 0;
    }
    has_several_starts_ = starts > 1;
    for (int stage = 0; stage < way_.stages(); ++stage)
        for (int next = stage + 1; next < way_.stages(); ++next)
            needed_[stage] |= (around_[next] | held_beside[next]) & ((std::uint64_t{2} << stage) - 1);
}

double Pipeline::go(std::int64_t most, const std::function<double()>& cut, const Found& found, const StopSource* stop,
                    std::int64_t& looked_at) {
    double left_out = cut();
    for (int stage = 0; stage < way_.stages(); ++stage)
        left_out = std::min(left_out, of_stage(stage, cut(), cut, most, found, stop, looked_at));
    return std::min(left_out, cut());
}

// Of a state with one more stage and the rest at its least.
double Pipeline::value_of(int stage, const State& before, double alone_pj, const Team& team) const {
    return before.energy_pj + alone_pj + weights_.energy * rest_.beside(stage) +
           rest_.from(stage + 1, team.from + team.size);
}

std::vector<Pipeline::Coming> Pipeline::first_of(int stage, double cut) const {
    static const std::vector<State> kStart{State{}};
    const std::vector<State>& before = stage > 0 ? states_[stage - 1] : kStart;
    const int after = way_.stages() - 1 - stage;
    std::vector<Coming> all;
    for (std::size_t s = 0; s < before.size(); ++s)
        for (int from = before[s].after; from + after < cores_; ++from)
            for (int size = 1; from + size + after <= cores_; ++size) {
                const Team team{from, size};
                bool is_exact = false;
                const double alone = way_.alone(evaluators_, weights_, stage, team, is_exact);
                const double value = value_of(stage, before[s], alone, team);
                if (value < cut) all.push_back({value, static_cast<int>(s), {team, 0}, is_exact});
            }
    return all;
}

// States with one more stage, the most promising first; the least of what is left out.
double Pipeline::of_stage(int stage, double cut, const std::function<double()>& now, std::int64_t most,
                          const Found& found, const StopSource* stop, std::int64_t& looked_at) {
    std::vector<Coming> first = first_of(stage, cut);
    std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming(std::greater<>{}, std::move(first));
    std::map<Key, State> best;
    std::vector<State>& states = states_[stage];
    states.clear();
    const bool is_last = stage + 1 == way_.stages();
    int at = -1;  // the state that run_ has
    for (std::int64_t looked = 0; !coming.empty() && coming.top().value < now();) {
        throw_if_stopped(stop);
        if (looked >= most) break;
        const Coming next = coming.top();
        coming.pop();
        const State before = stage > 0 ? states_[stage - 1][next.state] : State{};
        StageOptions& options = *way_.options_of(evaluators_, weights_, stage, next.choice.team);
        const Option* option = options.at(next.choice.option);
        if (option == nullptr) continue;
        if (!next.is_exact) {
            coming.push({value_of(stage, before, option->value, next.choice.team), next.state, next.choice, true});
            continue;
        }
        const package::Stage here = option->stage;
        if (const Option* after = options.at(next.choice.option + 1))
            coming.push({value_of(stage, before, after->value, next.choice.team),
                         next.state,
                         {next.choice.team, next.choice.option + 1},
                         true});
        if (at != next.state && stage > 0) take_back(stage - 1, next.state);
        at = next.state;
        ++looked;
        ++looked_at;
        const double energy_pj = before.energy_pj + added(stage, here, next.choice);
        const int free = next.choice.team.from + next.choice.team.size;
        if (energy_pj + rest_.from(stage + 1, free) >= now()) continue;
        if (is_last) {
            const Evaluated whole =
                evaluators_.exact.part(run_, *way_.frame.made, (std::uint64_t{2} << stage) - 1, true);
            if (whole) found(run_, whole.cost);
            continue;
        }
        const auto [same, is_new] = best.try_emplace(key_of(needed_[stage], stage, next.choice),
                                                     State{next.state, next.choice, energy_pj, free});
        if (!is_new && energy_pj < same->second.energy_pj)
            same->second = State{next.state, next.choice, energy_pj, free};
    }
    for (const auto& [key, state] : best) states.push_back(state);
    return coming.empty() ? kNever : coming.top().value;
}

// run_, choices and slots of a state and those before it.
void Pipeline::take_back(int stage, int state) {
    for (int s = stage; s >= 0; --s) {
        const State& one = states_[s][state];
        choices_[s] = one.choice;
        run_.stages[s] = way_.options_of(evaluators_, weights_, s, one.choice.team)->at(one.choice.option)->stage;
        state = one.parent;
    }
    for (int s = 0; s <= stage; ++s) place(s);
}

// As RunAccount has them.
void Pipeline::place(int stage) {
    const Problem& problem = evaluators_.exact.problem();
    const int first = way_.frame.first;
    lags_[stage] = 1;
    for (const package::Split& split : run_.stages[stage].split)
        if (problem.worker(first + stage).axis_of[split.dimension] < 0 && split.parts > 1) lags_[stage] = 2;
    offsets_[stage] = 0;
    for (int p = 0; p < stage; ++p)
        if (problem.depends(first + stage, first + p))
            offsets_[stage] = std::max(offsets_[stage], offsets_[p] + lags_[p]);
}

// What tells these stages from others: teams, options, slots.
Pipeline::Key Pipeline::key_of(std::uint64_t stages, int stage, const Choice& choice) const {
    int start = 0;
    if (!has_several_starts_) {
        start = offsets_[stage];
        for (int s = 0; s < stage; ++s)
            if ((stages >> s & 1U) != 0) start = std::min(start, offsets_[s]);
    }
    Key key{choice.team.from + choice.team.size};
    for (int s = 0; s <= stage; ++s) {
        if ((stages >> s & 1U) == 0) continue;
        const Choice& one = s == stage ? choice : choices_[s];
        key.insert(key.end(), {one.team.from, one.team.size, one.option, offsets_[s] - start});
    }
    return key;
}

double Pipeline::energy_of(std::uint64_t stages, std::uint64_t placed) const {
    if (stages == 0) return 0.0;
    const Evaluated now = evaluators_.exact.part(run_, *way_.frame.made, stages, true, nullptr, placed);
    return now ? weights_.energy * now.cost.energy.total() : kNever;
}

// By the stage of the state in run_.
double Pipeline::added(int stage, const package::Stage& option, const Choice& choice) {
    run_.stages[stage] = option;
    choices_[stage] = choice;
    place(stage);
    const std::uint64_t self = std::uint64_t{1} << stage;
    const std::uint64_t placed = (std::uint64_t{2} << stage) - 1;
    const auto [with, is_new] = known_.try_emplace({stage, key_of(around_[stage] | self, stage, choice)}, 0.0);
    if (!is_new) return with->second;
    double around = 0.0;
    if (around_[stage] != 0) {
        Choice none;
        const auto [alone, is_first] = known_around_.try_emplace({self, key_of(around_[stage], stage, none)}, 0.0);
        if (is_first) alone->second = energy_of(around_[stage], placed);
        around = alone->second;
    }
    with->second = energy_of(around_[stage] | self, placed) - around;
    return with->second;
}

}  // namespace tilewright::multicore
