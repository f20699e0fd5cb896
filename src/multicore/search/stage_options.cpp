#include "multicore/search/stage_options.hpp"

#include <algorithm>

namespace tilewright::multicore {

StageOptions::StageOptions(const Evaluator& evaluator, const RunFrame& frame, const Shapes& shapes,
                           const Weights& weights, int einsum, Team team)
    : evaluator_(evaluator), frame_(frame), shapes_(shapes), weights_(weights), einsum_(einsum), team_(team) {
    if (!may_run(evaluator.problem(), einsum, team)) return;
    const std::vector<FlooredShape>& all = shapes.of_size(team.size);
    for (std::size_t i = 0; i < all.size(); ++i) waiting_.push({value_of(all[i].floor), false, i});
}

double StageOptions::value_of(const Floor& floor) const {
    const double cycles = frame_.serial ? floor.cycles : std::max(floor.cycles, floor.dram_cycles);
    return weights_.of(floor.energy_pj + frame_.leak_pj * cycles, cycles);
}

// All streams of a shape, evaluated.
void StageOptions::open(const Waiting& next) {
    const Shape& shape = shapes_.of_size(team_.size)[next.index].shape;
    const Floor& floor = shapes_.of_size(team_.size)[next.index].floor;
    package::Run run = frame_.run();
    package::Stage& stage = run.stages[einsum_ - frame_.first];
    stage = {cores_of(team_), shape.split, 0, shape.sums};
    for (const std::uint32_t streamed : streams_of(evaluator_.problem(), einsum_, frame_.first)) {
        stage.streamed = streamed;
        const Evaluated alone =
            evaluator_.part(run, *frame_.made, std::uint64_t{1} << (einsum_ - frame_.first), frame_.disjoint);
        if (!alone) continue;
        Option option{stage, floor, 0.0};
        option.alone.energy_pj = alone.cost.energy.total() - alone.cost.energy.leakage;
        option.alone.cycles = static_cast<double>(alone.cost.cycles);
        if (frame_.serial) option.alone.cycles -= static_cast<double>(alone.cost.slots.front().cycles);
        option.value = std::max(value_of(option.alone), next.value);
        waiting_.push({option.value, true, options_.size()});
        options_.push_back(std::move(option));
    }
}

const Option* StageOptions::at(std::size_t i) {
    while (ordered_.size() <= i && !waiting_.empty()) {
        const Waiting next = waiting_.top();
        waiting_.pop();
        if (next.exact)
            ordered_.push_back(next.index);
        else
            open(next);
    }
    return i < ordered_.size() ? &options_[ordered_[i]] : nullptr;
}

double StageOptions::least() {
    const Option* best = at(0);
    return best != nullptr ? best->value : kNever;
}

}  // namespace tilewright::multicore
