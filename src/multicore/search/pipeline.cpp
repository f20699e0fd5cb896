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
    whole_.assign(way_.stages(), 0);
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
                if (!is_inside) held_beside[stage] |= makers[reader - first] | std::uint64_t{1} << (reader - first);
            }
        }
        around_[stage] |= makers[stage];
        starts += is_start ? 1 : 0;
    }
    has_several_starts_ = starts > 1;
    for (int stage = 0; stage < way_.stages(); ++stage)
        for (int next = stage + 1; next < way_.stages(); ++next) {
            const std::uint64_t before = (std::uint64_t{2} << stage) - 1;
            needed_[stage] |= (around_[next] | held_beside[next]) & before;
            whole_[stage] |= held_beside[next] & before;
        }
}

double Pipeline::go(std::int64_t most, const std::function<double()>& cut, const Found& found, const StopSource* stop,
                    std::int64_t& looked_at) {
    double left_out = cut();
    if (!find_pairs(left_out)) return left_out;
    for (int stage = 0; stage < way_.stages(); ++stage)
        left_out = std::min(left_out, of_stage(stage, cut(), cut, most, found, stop, looked_at));
    return std::min(left_out, cut());
}

// False: no turns are of use.
bool Pipeline::find_pairs(double cut) {
    if (way_.size == 0) return true;
    if (!pairs_ || pairs_cut_ < cut) {
        pairs_ = std::make_unique<TurnPairs>(evaluators_, weights_, way_, rest_, cut);
        pairs_cut_ = cut;
    }
    return pairs_->least() < cut;
}

double Pipeline::rest_behind(int stage, const State& state) const {
    return pairs_ ? pairs_->after(stage, state.context, state.choice.option)
                  : rest_.from(stage + 1, after(state.choice.team));
}

// All options of the stage behind each state.
std::vector<Pipeline::Coming> Pipeline::first_by_pairs(int stage, double cut) const {
    static const std::vector<State> kStart{State{}};
    std::vector<Coming> all;
    const std::vector<State>& before = stage > 0 ? states_[stage - 1] : kStart;
    const int options = static_cast<int>(pairs_->options(stage).size());
    for (std::size_t s = 0; s < before.size(); ++s)
        for (int option = 0; option < options; ++option) {
            const int context = pairs_->context(stage, before[s].context, option);
            const double rest = before[s].energy_pj + pairs_->after(stage, context, option);
            if (rest >= cut) continue;
            const double value = rest + pairs_->added(stage, before[s].context, before[s].choice.option, option);
            if (value < cut) all.push_back({value, static_cast<int>(s), {{0, way_.size}, option}, true});
        }
    return all;
}

// Of a state with one more stage and the rest at its least.
double Pipeline::value_of(int stage, const State& before, double alone_pj, const Team& team) const {
    return before.energy_pj + alone_pj + weights_.energy * rest_.beside(stage) + rest_.from(stage + 1, after(team));
}

std::vector<Pipeline::Coming> Pipeline::first_of(int stage, double cut) const {
    static const std::vector<State> kStart{State{}};
    const std::vector<State>& before = stage > 0 ? states_[stage - 1] : kStart;
    if (pairs_) return first_by_pairs(stage, cut);
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
        if (const Option* other = pairs_ ? nullptr : options.at(next.choice.option + 1))
            coming.push({value_of(stage, before, other->value, next.choice.team),
                         next.state,
                         {next.choice.team, next.choice.option + 1},
                         true});
        if (at != next.state && stage > 0) take_back(stage - 1, next.state);
        at = next.state;
        ++looked;
        ++looked_at;
        take(stage, here, choice);
        State state{next.state,
                    choice,
                    before.energy_pj + energy_added(stage),
                    after(choice.team),
                    pairs_ ? pairs_->context(stage, before.context, choice.option) : 0,
                    before.room};
        if (state.energy_pj + rest_behind(stage, state) >= now()) continue;
        if (way_.size > 0 && !add_room(stage, state.room)) continue;
        if (is_last) {
            const Evaluated whole =
                evaluators_.exact.part(run_, *way_.frame.made, (std::uint64_t{2} << stage) - 1, way_.size == 0);
            if (whole) found(run_, whole.cost);
            continue;
        }
        std::vector<State>& same = best[key_of_future(stage)];
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

// Words that a stage owns or needs of tensors that these stages read: dimensions by which they are cut, and how many
// cores one part spans.
void Pipeline::add_pattern(int stage, std::uint64_t later, Key& key) const {
    const Problem& problem = evaluators_.exact.problem();
    const int einsum = way_.frame.first + stage;
    const Worker& worker = problem.worker(einsum);
    const auto is_read_by_later = [&](int tensor) {
        return std::ranges::any_of(problem.readers(tensor), [&](int reader) {
            return way_.frame.is_inside(reader) && (later >> (reader - way_.frame.first) & 1U) != 0;
        });
    };
    const auto add_cuts = [&](const auto& matters) {
        std::int64_t span = choices_[stage].team.size;
        for (const package::Split& split : run_.stages[stage].split) {
            span /= split.parts;
            if (split.parts > 1 && matters(split.dimension))
                key.insert(key.end(), {split.dimension, split.parts, span});
        }
        key.push_back(-1);
    };
    if (std::ranges::any_of(worker.results, is_read_by_later)) {
        const package::Sums& sums = run_.stages[stage].sums;
        key.insert(key.end(), {-2, lags_[stage], static_cast<int>(sums.way), sums.axis});
        add_cuts([](int) { return true; });
    }
    for (const Reading& reading : worker.reads) {
        if (!is_read_by_later(reading.tensor)) continue;
        const Access& access = problem.cascade().einsums[einsum].accesses[reading.operand];
        key.insert(key.end(), {-3, reading.operand, run_.stages[stage].streamed >> reading.operand & 1U});
        add_cuts([&](int dimension) {
            return access.anywhere || std::ranges::any_of(access.coordinates, [&](const Coordinate& at) {
                       return std::ranges::any_of(at.terms,
                                                  [&](const Term& term) { return term.dimension == dimension; });
                   });
        });
    }
}

// What later stages can tell of those so far.
Pipeline::Key Pipeline::key_of_future(int stage) const {
    const std::uint64_t later = ~((std::uint64_t{2} << stage) - 1);
    const int start = way_.size > 0 ? 0 : start_of(needed_[stage], stage);
    Key key{after(choices_[stage].team)};
    for (int s = 0; s <= stage; ++s) {
        if ((needed_[stage] >> s & 1U) == 0) continue;
        const Choice& one = choices_[s];
        key.insert(key.end(), {one.team.from, one.team.size, offsets_[s] - start});
        if (way_.size == 0 && (whole_[stage] >> s & 1U) != 0)
            key.insert(key.end(), {one.shape, one.streams});
        else
            add_pattern(s, later, key);
    }
    return key;
}

// Of a stage with those around it, but for their places.
Pipeline::Key Pipeline::key_of_added(int stage) const {
    const bool is_alike = evaluators_.exact.problem().package().kinds.size() == 1;
    const std::uint64_t self = std::uint64_t{1} << stage;
    const int start = start_of(around_[stage] | self, stage);
    Key key{stage, choices_[stage].shape, choices_[stage].streams};
    for (int s = 0; s <= stage; ++s) {
        if (((around_[stage] | self) >> s & 1U) == 0) continue;
        const Choice& one = choices_[s];
        key.insert(key.end(), {is_alike ? 0 : one.team.from, one.team.size, offsets_[s] - start});
        if (s == stage) continue;
        if (way_.size == 0)
            key.insert(key.end(), {one.shape, one.streams});
        else
            add_pattern(s, self, key);
    }
    return key;
}

void Pipeline::take(int stage, const package::Stage& option, const Choice& choice) {
    run_.stages[stage] = option;
    choices_[stage] = choice;
    place(stage);
}

// `last` says in which slots the stages work.
Evaluated Pipeline::evaluate(std::uint64_t stages, int last, Parts& parts) const {
    return evaluators_.exact.part(run_, *way_.frame.made, stages, way_.size == 0, nullptr,
                                  (std::uint64_t{2} << last) - 1, &parts);
}

// By the stage, taken last. Room of turns is that of all stages so far: add_room() judges it.
const Pipeline::Added& Pipeline::added(int stage) {
    const auto [found, is_new] = added_.try_emplace(key_of_added(stage));
    Added& one = found->second;
    if (!is_new) return one;
    const std::uint64_t all = around_[stage] | std::uint64_t{1} << stage;
    const auto links_less = [](const Evaluated& now) {
        return now.cost.energy.total() - now.cost.energy.links - now.cost.energy.d2d;
    };
    const auto is_fine = [&](const Evaluated& now) {
        return now.refused == Refusal::none || (way_.size > 0 && now.refused == Refusal::room);
    };
    const Evaluated with = evaluate(all, stage, one.with.parts);
    one.fits = is_fine(with);
    if (!one.fits) return one;
    one.with.other_pj = links_less(with);
    one.room = std::move(one.with.parts.room);
    one.start = start_of(all, stage);
    for (const Choice& choice : choices_) one.from.push_back(choice.team.from);
    if (around_[stage] == 0) return one;
    one.without.other_pj = links_less(evaluate(around_[stage], stage, one.without.parts));
    for (std::size_t i = 0; i < one.without.parts.room.size(); ++i) one.room[i] -= one.without.parts.room[i];
    return one;
}

double Pipeline::energy_of(std::uint64_t stages, const Wired& wired, const std::vector<int>& places) const {
    std::vector<int> from;
    std::vector<Team> to;
    for (int s = 0; s < way_.stages(); ++s) {
        if ((stages >> s & 1U) == 0) continue;
        from.push_back(places[s]);
        to.push_back(choices_[s].team);
        if (way_.size > 0) break;  // the same for all
    }
    return wired.energy_pj(evaluators_.exact.network(), from, to);
}

double Pipeline::energy_added(int stage) {
    const Added& one = added(stage);
    if (!one.fits) return kNever;
    double energy_pj = energy_of(around_[stage] | std::uint64_t{1} << stage, one.with, one.from);
    if (around_[stage] != 0) energy_pj -= energy_of(around_[stage], one.without, one.from);
    return weights_.energy * energy_pj;
}

// False: a core has no room for it.
bool Pipeline::add_room(int stage, std::vector<std::int32_t>& room) {
    const package::Package& package = evaluators_.exact.problem().package();
    const Added& one = added(stage);
    const int start = start_of(around_[stage] | std::uint64_t{1} << stage, stage);
    const int shift = (start - one.start) * cores_;  // nothing stands there before the start
    room.resize(std::max(room.size(), one.room.size() + shift), 0);
    for (std::size_t i = std::max(0, -shift); i < one.room.size(); ++i) room[i + shift] += one.room[i];
    for (std::size_t i = 0; i < room.size(); ++i)
        if (room[i] > package.kind_of(static_cast<int>(i % cores_)).buffer_words) return false;
    return true;
}

}  // namespace tilewright::multicore
