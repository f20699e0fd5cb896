#include "multicore/search/stage_options.hpp"

#include <algorithm>
#include <map>

namespace tilewright::multicore {

double StageView::value_of(const Floor& floor) const {
    const double cycles = frame.serial ? floor.cycles : std::max(floor.cycles, floor.dram_cycles);
    return weights.of(floor.energy_pj + frame.leak_pj * cycles, cycles);
}

Evaluated StageView::evaluate(const Evaluator& evaluator, const package::Stage& stage) const {
    throw_if_stopped(evaluators.stop);
    package::Run run = frame.run();
    run.stages[einsum - frame.first] = stage;
    return evaluator.part(run, *frame.made, std::uint64_t{1} << (einsum - frame.first), frame.disjoint);
}

namespace {

// Words that a core of the largest step holds in its slot at least: what it makes, what it keeps and makes it from.
std::int64_t least_room(const StageView& view, const Box& made, const package::Stage& stage, std::int64_t window) {
    const Problem& problem = view.evaluators.exact.problem();
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
    return room;
}

}  // namespace

PlacelessOptions::PlacelessOptions(const StageView& view, const Shapes& shapes, Team team)
    : view_(view),
      shapes_(shapes.of_size(team.size)),
      team_(team),
      dram_(dram_prices(view.evaluators.exact, view.einsum)) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) waiting_.push({view_.value_of(shapes_[i].floor), false, i});
}

// All streams of a shape. Without links, but for the shortest ways from and to DRAM; of the slots what cores compute.
void PlacelessOptions::open(const Waiting& next) {
    const FlooredShape& of = shapes_[next.index];
    package::Stage stage{cores_of(team_), of.shape.split, 0, of.shape.sums};
    for (const std::uint32_t streamed : streams_of(view_.evaluators.exact.problem(), view_.einsum, view_.frame.first)) {
        stage.streamed = streamed;
        if (!largest_.empty() && least_room(view_, largest_, stage, window_words_) > buffer_words_) continue;
        const Evaluated alone = view_.evaluate(view_.evaluators.floors, stage);
        if (!alone) continue;
        Option option{stage, of.floor, 0.0};
        const Energy& energy = alone.cost.energy;
        const double placeless = energy.leaves + energy.sends + energy.arrivals + energy.sums + energy.dram +
                                 static_cast<double>(alone.cost.counts.dram_reads) * dram_.way_in_pj +
                                 static_cast<double>(alone.cost.counts.dram_writes) * dram_.way_out_pj;
        double compute = 0.0;
        for (const Slot& slot : alone.cost.slots) compute += static_cast<double>(slot.compute);
        option.alone.energy_pj = std::max(option.alone.energy_pj, placeless * (1.0 - kRounding));
        option.alone.cycles = std::max(option.alone.cycles, compute);
        option.value = std::max(view_.value_of(option.alone), next.value);
        waiting_.push({option.value, true, options_.size()});
        options_.push_back(std::move(option));
    }
}

const Option* PlacelessOptions::at(std::size_t i) {
    while (ordered_.size() <= i && !waiting_.empty()) {
        const Waiting next = waiting_.top();
        waiting_.pop();
        if (next.is_open)
            ordered_.push_back(next.index);
        else
            open(next);
    }
    return i < ordered_.size() ? &options_[ordered_[i]] : nullptr;
}

double PlacelessOptions::floor(std::size_t i) const {
    if (i < ordered_.size()) return options_[ordered_[i]].value;
    return waiting_.empty() ? kNever : waiting_.top().value;
}

void StageOptions::place(Option option) {
    option.stage.team = cores_of(team_);
    const Evaluated alone = view_.evaluate(view_.evaluators.exact, option.stage);
    if (!alone) return;
    option.alone.energy_pj = alone.cost.energy.total() - alone.cost.energy.leakage;
    option.alone.cycles = static_cast<double>(alone.cost.cycles);
    if (view_.frame.serial) option.alone.cycles -= static_cast<double>(alone.cost.slots.front().cycles);
    option.value = std::max(view_.value_of(option.alone), option.value);
    waiting_.push({option.value, options_.size()});
    options_.push_back(std::move(option));
}

const Option* StageOptions::at(std::size_t i) {
    while (ordered_.size() <= i) {
        if (!waiting_.empty() && waiting_.top().value <= floors_.floor(next_)) {
            ordered_.push_back(waiting_.top().index);
            waiting_.pop();
            continue;
        }
        const Option* next = floors_.at(next_);
        if (next == nullptr && waiting_.empty()) break;
        if (next == nullptr || (!waiting_.empty() && waiting_.top().value <= next->value)) continue;
        place(*next);
        ++next_;
    }
    return i < ordered_.size() ? &options_[ordered_[i]] : nullptr;
}

const Option* StageOptions::any() {
    while (options_.empty()) {
        const Option* next = floors_.at(next_);
        if (next == nullptr) return nullptr;
        place(*next);
        ++next_;
    }
    return &options_.front();
}

double StageOptions::least() {
    const Option* best = at(0);
    return best != nullptr ? best->value : kNever;
}

double StageOptions::floor(bool& is_exact) const {
    is_exact = true;
    if (!ordered_.empty()) return options_[ordered_.front()].value;
    const double later = floors_.floor(next_);
    if (!waiting_.empty() && waiting_.top().value <= later) return waiting_.top().value;
    is_exact = later == kNever;
    return later;
}

}  // namespace tilewright::multicore
