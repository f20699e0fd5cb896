#include "multicore/search/stage_options.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace tilewright::multicore {

double StageView::value_of(const Floor& floor) const {
    const double cycles = frame.serial ? floor.cycles : std::max(floor.cycles, floor.dram_cycles);
    return weights.of(floor.energy_pj + frame.leak_pj * cycles, cycles);
}

Evaluated StageView::evaluate(const Evaluator& evaluator, const package::Stage& stage, Parts* parts) const {
    throw_if_stopped(evaluators.stop);
    package::Run run = frame.run();
    run.stages[einsum - frame.first] = stage;
    return evaluator.part(run, *frame.made, std::uint64_t{1} << (einsum - frame.first), frame.disjoint, nullptr, 0,
                          parts);
}

bool has_room(const StageView& view, const package::Stage& stage) {
    const Problem& problem = view.evaluators.exact.problem();
    Box made;
    for (const Box& box : view.frame.made->of(view.einsum))
        if (!is_empty(box) && (made.empty() || words_of(box) > words_of(made))) made = box;
    if (made.empty()) return true;
    std::int64_t window = std::numeric_limits<std::int64_t>::max();
    std::int64_t buffer = 0;
    for (const package::CoreKind& kind : problem.package().kinds) {
        window = std::min(window, kind.window_words);
        buffer = std::max(buffer, kind.buffer_words);
    }
    Box points = problem.points_behind(view.einsum, made);
    for (const package::Split& split : stage.split)
        points[split.dimension] = part_of(points[split.dimension], split.parts - 1, split.parts);
    const auto results = static_cast<std::int64_t>(problem.worker(view.einsum).results.size());
    std::int64_t room = words_of(problem.result_of(view.einsum, points)) * results;
    std::map<int, std::int64_t> kept;  // by tensor: by its greediest operand
    for (const Reading& reading : problem.worker(view.einsum).reads) {
        const std::int64_t words = words_of(problem.touched(view.einsum, reading, points));
        if ((stage.streamed >> reading.operand & 1U) != 0)
            room += std::min(window, words);
        else
            kept[reading.tensor] = std::max(kept[reading.tensor], words);
    }
    for (const auto& [tensor, words] : kept) room += words;
    return room <= buffer;
}

double Wired::energy_pj(const package::Network& network, const std::vector<int>& from,
                        const std::vector<Team>& to) const {
    double energy_pj = other_pj;
    for (const Flow& flow : parts.flows) {
        int source = flow.from;
        package::NodeSet cores = 0;  // of all teams
        package::NodeSet targets = 0;
        for (std::size_t t = 0; t < to.size(); ++t) {
            if (flow.from >= from[t] && flow.from < from[t] + to[t].size) source = flow.from - from[t] + to[t].from;
            const package::NodeSet team =
                (to[t].size == 64 ? ~package::NodeSet{0} : (package::NodeSet{1} << to[t].size) - 1) << from[t];
            cores |= team;
            targets |= (flow.to & team) >> from[t] << to[t].from;
        }
        energy_pj += static_cast<double>(flow.words) * network.tree(source, targets | (flow.to & ~cores)).energy_pj;
    }
    return energy_pj;
}

PlacelessOptions::PlacelessOptions(const StageView& view, const Shapes& shapes, int size)
    : view_(view),
      shapes_(shapes.of_size(size)),
      dram_(dram_prices(view.evaluators.exact, view.einsum)),
      streams_(streams_of(view.evaluators.exact.problem(), view.einsum, view.frame.first)),
      opened_(shapes_.size()) {}

// Without links, but for the shortest ways from and to DRAM; of the slots what cores compute.
std::vector<PlacelessOptions::One>& PlacelessOptions::of(std::size_t shape, const Team& team) {
    if (opened_[shape]) return *opened_[shape];
    std::vector<One>& all = opened_[shape].emplace();
    const FlooredShape& of = shapes_[shape];
    const TrustedLeaves* trust = view_.evaluators.trust;
    package::Stage stage{cores_of(team), of.shape.split, 0, of.shape.sums};
    for (std::size_t s = 0; s < streams_.size(); ++s) {
        stage.streamed = streams_[s];
        if (!has_room(view_, stage)) continue;
        One one{{stage, of.floor, 0.0, static_cast<int>(shape), static_cast<int>(s)}, {}, team.from};
        const Evaluated alone = view_.evaluate(view_.evaluators.floors, stage, &one.wired.parts);
        if (!alone) continue;
        const Energy& energy = alone.cost.energy;
        one.wired.other_pj = energy.total() - energy.leakage - energy.links - energy.d2d;
        one.is_exact = trust != nullptr && !trust->is_distrusted(view_.einsum);
        const double placeless = one.wired.other_pj +
                                 static_cast<double>(alone.cost.counts.dram_reads) * dram_.way_in_pj +
                                 static_cast<double>(alone.cost.counts.dram_writes) * dram_.way_out_pj;
        double compute = 0.0;
        for (const Slot& slot : alone.cost.slots) compute += static_cast<double>(slot.compute);
        Floor& floor = one.option.alone;
        floor.energy_pj = std::max(floor.energy_pj, placeless * (1.0 - kRounding));
        floor.cycles = std::max(floor.cycles, compute);
        one.option.value = view_.value_of(floor);
        all.push_back(std::move(one));
    }
    return all;
}

StageOptions::StageOptions(const StageView& view, PlacelessOptions& floors, Team team)
    : view_(view), floors_(floors), team_(team) {
    const Distances distances = distances_of(view.evaluators.exact, team);
    const double reach_pj = view.evaluators.exact.sending().arrive_pj;
    for (std::size_t i = 0; i < floors.shapes().size(); ++i) {
        Floor floor = floors.shapes()[i].floor;
        floor.energy_pj = std::max(floor.energy_pj, floors.shapes()[i].energy_on(distances, reach_pj));
        waiting_.push({view_.value_of(floor), Stand::shape, i});
    }
}

void StageOptions::open(const Waiting& next) {
    std::vector<PlacelessOptions::One>& all = floors_.of(next.index, team_);
    for (std::size_t p = 0; p < all.size(); ++p)
        waiting_.push({std::max(next.value, all[p].option.value), Stand::option, next.index, p});
}

void StageOptions::place(const Waiting& next) {
    PlacelessOptions::One& one = floors_.of(next.index, team_)[next.place];
    Option option = one.option;
    option.stage.team = cores_of(team_);
    if (!one.is_exact || !has_energy_alone()) {
        one.wired.parts = {};
        const Evaluated alone = view_.evaluate(view_.evaluators.exact, option.stage, &one.wired.parts);
        if (!alone) return;
        const Energy& energy = alone.cost.energy;
        one.wired.other_pj = energy.total() - energy.leakage - energy.links - energy.d2d;
        one.from = team_.from;
        one.is_exact = true;
        option.alone.cycles = static_cast<double>(alone.cost.cycles);
        if (view_.frame.serial) option.alone.cycles -= static_cast<double>(alone.cost.slots.front().cycles);
    }
    option.unknown_pj = one.wired.parts.unknown_pj;
    option.room = &one.wired.parts.room;
    option.alone.energy_pj = one.wired.energy_pj(view_.evaluators.exact.network(), {one.from}, {team_});
    option.value = view_.value_of(option.alone);
    waiting_.push({std::max(option.value, next.value * (1.0 - kRounding)), Stand::exact, options_.size()});
    options_.push_back(std::move(option));
}

const Option* StageOptions::at(std::size_t i) {
    while (ordered_.size() <= i && !waiting_.empty()) {
        const Waiting next = waiting_.top();
        waiting_.pop();
        switch (next.stand) {
            case Stand::exact: ordered_.push_back(next.index); break;
            case Stand::option: place(next); break;
            case Stand::shape: open(next); break;
        }
    }
    return i < ordered_.size() ? &options_[ordered_[i]] : nullptr;
}

const Option* StageOptions::any() {
    while (options_.empty() && !waiting_.empty()) {
        const Waiting next = waiting_.top();
        waiting_.pop();
        if (next.stand == Stand::option)
            place(next);
        else
            open(next);
    }
    return options_.empty() ? nullptr : &options_.front();
}

double StageOptions::least() {
    const Option* best = at(0);
    return best != nullptr ? best->value : kNever;
}

double StageOptions::floor(bool& is_exact) const {
    is_exact = true;
    if (!ordered_.empty()) return options_[ordered_.front()].value;
    if (waiting_.empty()) return kNever;
    is_exact = waiting_.top().stand == Stand::exact;
    return waiting_.top().value;
}

}  // namespace tilewright::multicore
