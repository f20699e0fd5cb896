#include "multicore/search/way.hpp"

namespace tilewright::multicore {

StageOptions* Way::options_of(const Evaluators& evaluators, const Weights& weights, int stage, const Team& team) {
    const auto [found, is_new] = options.try_emplace({stage, team});
    const Problem& problem = evaluators.exact.problem();
    const int einsum = frame.first + stage;
    if (!is_new || !may_run(problem, einsum, team)) return found->second.get();
    std::vector<int> kinds;
    for (const int core : cores_of(team)) kinds.push_back(problem.package().cores[core].kind);
    const StageView view{evaluators, frame, weights, einsum};
    std::unique_ptr<PlacelessOptions>& placeless = floors[{stage, std::move(kinds)}];
    if (!placeless) placeless = std::make_unique<PlacelessOptions>(view, *shapes[stage], team.size);
    found->second = std::make_unique<StageOptions>(view, *placeless, team);
    return found->second.get();
}

double Way::alone(const Evaluators& evaluators, const Weights& weights, int stage, const Team& team, bool& is_exact) {
    if (const StageOptions* known = options_of(evaluators, weights, stage, team)) return known->floor(is_exact);
    is_exact = true;
    return kNever;
}

}  // namespace tilewright::multicore
