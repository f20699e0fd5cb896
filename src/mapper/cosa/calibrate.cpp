#include "mapper/cosa/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "mapper/cosa/cosa.hpp"
#include "workload/shapes.hpp"

namespace tilewright::cosa {
namespace {

Trial try_weights(const Weights& weights, const Architecture& architecture, const Objective& objective,
                  const std::function<Constraints(const Einsum&)>& constraints) {
    constexpr std::int64_t kNodes = 200;  // the weights need no proof
    ProgramOptions options;
    options.weights = weights;
    options.limits.nodes = kNodes;
    const CosaMapper mapper(options);
    Trial trial;
    trial.weights = weights;
    double sum = 0.0;
    for (const Einsum& einsum : micro_benchmarks()) {
        const SearchResult found = mapper.search(Mapspace(einsum, architecture, constraints(einsum)),
                                                 LeanEvaluator(einsum, architecture), objective, Budget{});
        if (!found.best) continue;
        ++trial.schedules;
        sum += std::log(found.score.value);
    }
    if (trial.schedules > 0) trial.score = std::exp(sum / trial.schedules);
    return trial;
}

bool is_better(const Trial& a, const Trial& b) {
    return a.schedules != b.schedules ? a.schedules > b.schedules : a.score < b.score;
}

}  // namespace

std::vector<Einsum> micro_benchmarks() {
    return {conv2d(64, 64, 14, 3), gemm(1, 1024, 512), conv2d(32, 128, 28, 1), conv2d(64, 96, 14, 3, 2)};
}

std::vector<Trial> calibrate(const Architecture& architecture, const Objective& objective,
                             const std::function<Constraints(const Einsum&)>& constraints) {
    const Weights released;
    std::vector<Trial> trials{try_weights(released, architecture, objective, constraints)};
    for (const double compute : {10.0, 3.0, 1.0})
        for (const double utilization : {0.02, 0.1, 0.3})
            if (const Weights weights{utilization, compute, 1.0}; weights != released)
                trials.push_back(try_weights(weights, architecture, objective, constraints));
    return trials;
}

const Trial& best_trial(const std::vector<Trial>& trials) {
    return *std::min_element(trials.begin(), trials.end(), is_better);
}

}  // namespace tilewright::cosa
