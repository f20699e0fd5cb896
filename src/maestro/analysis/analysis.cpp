#include "maestro/analysis/analysis.hpp"

#include <utility>

#include "maestro/analysis/evaluator.hpp"

namespace tilewright::dataflow {

std::string not_covered(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware) {
    Evaluator evaluator(problem, levels, false);
    return evaluator.run(hardware) ? "" : evaluator.problem();
}

std::optional<Counts> analyze(const CompleteLayer& problem, const std::vector<Level>& levels,
                              const Hardware& hardware) {
    Evaluator evaluator(problem, levels, true);
    if (!evaluator.run(hardware)) return std::nullopt;
    const Evaluated& evaluated = evaluator.result();
    Counts counts;
    counts.levels.assign(evaluated.levels.begin(),
                         evaluated.levels.begin() + static_cast<std::ptrdiff_t>(levels.size()));
    counts.operations = evaluated.operations;
    counts.runtime_cycles = evaluated.cycles;
    return counts;
}

struct Plan::State {
    State(CompleteLayer of, std::vector<Level> with)
        : problem(std::move(of)), levels(std::move(with)), lean(problem, levels, false), whole(problem, levels, true) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    CompleteLayer problem;
    std::vector<Level> levels;
    Evaluator lean;
    Evaluator whole;  // for networks without multicast
};

Plan::Plan(CompleteLayer problem, std::vector<Level> levels)
    : state_(std::make_unique<State>(std::move(problem), std::move(levels))) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

const std::vector<Level>& Plan::levels() const { return state_->levels; }

void Plan::set_map(std::size_t level, std::size_t map, std::int64_t size, std::int64_t offset) {
    const Axis axis = state_->levels[level].maps[map].axis;
    state_->levels[level].maps[map].inherited = false;
    for (std::size_t i = level; i < state_->levels.size(); ++i)
        for (Map& changed : state_->levels[i].maps) {
            if (changed.axis != axis) continue;
            if (i > level && !changed.inherited) return;
            changed.size = size;
            changed.offset = offset;
        }
}

void Plan::set_clusters(std::size_t level, std::int64_t clusters) { state_->levels[level].clusters = clusters; }

std::optional<Estimate> Plan::evaluate(const Hardware& hardware) {
    Evaluator& evaluator = hardware.multicast ? state_->lean : state_->whole;
    if (!evaluator.run(hardware)) return std::nullopt;
    const Evaluated& evaluated = evaluator.result();
    const LevelCounts& top = evaluated.levels[0];
    return Estimate{evaluated.cycles, evaluated.operations, top.input.multicast, top.filter.multicast,
                    top.output_change};
}

}  // namespace tilewright::dataflow
