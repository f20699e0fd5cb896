#include "multicore/search/pipeline.hpp"

#include <algorithm>
#include <queue>
#include <span>

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
    return before.energy_pj + alone_pj + weights_.energy * rest_.beside(stage) + rest_.from(stage + 1, after(team));
}

std::vector<Pipeline::Coming> Pipeline::first_of(int stage, double cut) const {
    static const std::vector<State> kStart{State{}};
    const std::vector<State>& before = stage > 0 ? states_[stage - 1] : kStart;
    const int others = way_.stages() - 1 - stage;
    std::vector<Coming> all;
    const auto offer = [&](std::size_t s, const Team& team) {
        bool is_exact = false;
        const double alone = way_.alone(evaluators_, weights_, stage, team, is_exact);
        const double value = value_of(stage, before[s], alone, team);
        if (value < cut) all.push_back({value, static_cast<int>(s), {team, 0}, is_exact});
    };
    for (std::size_t s = 0; s < before.size(); ++s) {
        if (way_.size > 0) offer(s, {0, way_.size});
        for (int from = before[s].after; way_.size == 0 && from + others < cores_; ++from)
            for (int size = 1; from + size + others <= cores_; ++size) offer(s, {from, size});
    }
    return all;
}

// States with one more stage, the most promising first; the least of what is left out.
double Pipeline::of_stage(int stage, double cut, const std::function<double()>& now, std::int64_t most,
                          const Found& found, const StopSource* stop, std::int64_t& looked_at) {
    std::vector<Coming> first = first_of(stage, cut);
    std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming(std::greater<>{}, std::move(first));
    std::map<Key, std::vector<State>> best;
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
        Choice choice = next.choice;
        choice.shape = option->shape;
        choice.streams = option->streams;
        const package::Stage here = option->stage;
        if (const Option* other = options.at(next.choice.option + 1))
            coming.push({value_of(stage, before, other->value, next.choice.team),
                         next.state,
                         {next.choice.team, next.choice.option + 1},
                         true});
        if (at != next.state && stage > 0) take_back(stage - 1, next.state);
        at = next.state;
        ++looked;
        ++looked_at;
        take(stage, here, choice);
        State state{next.state, choice, before.energy_pj + added(stage), after(choice.team), before.room};
        if (state.energy_pj + rest_.from(stage + 1, state.after) >= now()) continue;
        if (way_.size > 0 && !add_room(stage, state.room)) continue;
        if (is_last) {
            const Evaluated whole =
                evaluators_.exact.part(run_, *way_.frame.made, (std::uint64_t{2} << stage) - 1, way_.size == 0);
            if (whole) found(run_, whole.cost);
            continue;
        }
        std::vector<State>& same = best[key_of(needed_[stage], stage, true)];
        if (is_beaten(same, state)) continue;
        std::erase_if(same, [&](const State& other) { return is_beaten_by(other, state); });
        same.push_back(std::move(state));
    }
    for (auto& [key, same] : best)
        for (State& state : same) states.push_back(std::move(state));
    return coming.empty() ? kNever : coming.top().value;
}

bool Pipeline::is_beaten_by(const State& one, const State& other) {
    return other.energy_pj <= one.energy_pj && other.room.size() <= one.room.size() &&
           std::ranges::equal(other.room, std::span(one.room).first(other.room.size()), std::ranges::less_equal{});
}

bool Pipeline::is_beaten(const std::vector<State>& same, const State& state) {
    return std::ranges::any_of(same, [&](const State& other) { return is_beaten_by(state, other); });
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

// Slot from which slots of these stages count.
int Pipeline::start_of(std::uint64_t stages, int stage) const {
    if (has_several_starts_) return 0;
    int start = offsets_[stage];
    for (int s = 0; s < stage; ++s)
        if ((stages >> s & 1U) != 0) start = std::min(start, offsets_[s]);
    return start;
}

// What tells these stages from others: teams, options, slots.
Pipeline::Key Pipeline::key_of(std::uint64_t stages, int stage, bool has_places) const {
    const bool is_alike = evaluators_.exact.problem().package().kinds.size() == 1;
    const int start = has_places && way_.size > 0 ? 0 : start_of(stages, stage);
    Key key;
    if (has_places) key.push_back(after(choices_[stage].team));
    for (int s = 0; s <= stage; ++s) {
        if ((stages >> s & 1U) == 0) continue;
        const Choice& one = choices_[s];
        key.insert(key.end(), {has_places || !is_alike ? one.team.from : 0, one.team.size, one.shape, one.streams,
                               offsets_[s] - start});
    }
    return key;
}

void Pipeline::take(int stage, const package::Stage& option, const Choice& choice) {
    run_.stages[stage] = option;
    choices_[stage] = choice;
    place(stage);
}

// `last` says in which slots the stages work.
const Pipeline::Known& Pipeline::known(std::uint64_t stages, int last) {
    const auto [found, is_new] = known_.try_emplace({stages, key_of(stages, last, false)});
    Known& one = found->second;
    if (!is_new) return one;
    const Evaluated now = evaluators_.exact.part(run_, *way_.frame.made, stages, way_.size == 0, nullptr,
                                                 (std::uint64_t{2} << last) - 1, &one.wired.parts);
    one.fits = static_cast<bool>(now);
    one.wired.other_pj = now.cost.energy.total() - now.cost.energy.links - now.cost.energy.d2d;
    one.start = start_of(stages, last);
    for (const Choice& choice : choices_) one.from.push_back(choice.team.from);
    return one;
}

double Pipeline::energy_of(std::uint64_t stages, const Known& known) const {
    std::vector<int> from;
    std::vector<Team> to;
    for (int s = 0; s < way_.stages(); ++s) {
        if ((stages >> s & 1U) == 0) continue;
        from.push_back(known.from[s]);
        to.push_back(choices_[s].team);
        if (way_.size > 0) break;  // the same for all
    }
    return known.wired.energy_pj(evaluators_.exact.network(), from, to);
}

// By the stage, taken last.
double Pipeline::added(int stage) {
    const std::uint64_t all = around_[stage] | std::uint64_t{1} << stage;
    const Known& with = known(all, stage);
    if (!with.fits) return kNever;
    double energy_pj = energy_of(all, with);
    if (around_[stage] != 0) energy_pj -= energy_of(around_[stage], known(around_[stage], stage));
    return weights_.energy * energy_pj;
}

// False: a core has no room for it.
bool Pipeline::add_room(int stage, std::vector<std::int32_t>& room) {
    const package::Package& package = evaluators_.exact.problem().package();
    const std::uint64_t all = around_[stage] | std::uint64_t{1} << stage;
    const auto add = [&](std::uint64_t stages, int sign) {
        const Known& one = known(stages, stage);
        const std::vector<std::int32_t>& words = one.wired.parts.room;
        const int shift = (start_of(stages, stage) - one.start) * cores_;  // nothing stands there before the start
        const auto begin = static_cast<std::size_t>(std::max(0, -shift));
        room.resize(std::max(room.size(), words.size() + shift), 0);
        for (std::size_t i = begin; i < words.size(); ++i) room[i + shift] += sign * words[i];
    };
    add(all, 1);
    if (around_[stage] != 0) add(around_[stage], -1);
    for (std::size_t i = 0; i < room.size(); ++i)
        if (room[i] > package.kind_of(static_cast<int>(i % cores_)).buffer_words) return false;
    return true;
}

}  // namespace tilewright::multicore
