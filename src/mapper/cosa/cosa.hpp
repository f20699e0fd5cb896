// CosaMapper: one schedule from one mixed-integer program, without search (docs/cosa.md).
//
// The search's objective only scores the schedule: CoSA minimises its own weighted sum. Of the budget only time and
// interruption apply; without a time limit the program visits at most kMostNodes nodes, so the answer does not depend
// on the machine's speed.
// Calibrates CoSA's weights for a machine by micro-benchmarks: a layer bound by computation, one by the outermost
// memory, one by the network, and one with strides. Each choice of weights is solved and its schedules costed; the
// least geometric mean of the objective wins.
#pragma once

#include <functional>
#include <vector>

#include "mapper/cosa/schedule.hpp"
#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "model/objective.hpp"

namespace tilewright {

class CosaMapper final : public Mapper {
   public:
    static constexpr std::int64_t kMostNodes = 200'000;

    explicit CosaMapper(cosa::ProgramOptions options = {}) : options_(std::move(options)) {}

    std::string_view name() const override { return "cosa"; }
    std::string_view description() const override { return "one schedule from a mixed-integer program"; }
    std::int64_t default_victory() const override { return 0; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

   private:
    cosa::ProgramOptions options_;
};

}  // namespace tilewright

namespace tilewright::cosa {

struct Trial {
    Weights weights;
    int schedules = 0;   ///< micro-benchmarks with a legal schedule
    double score = 0.0;  ///< geometric mean of the objective over those
};

std::vector<Einsum> micro_benchmarks();

/// Every choice of weights tried, the released code's first. Deterministic. `constraints`: the machine's for a layer.
std::vector<Trial> calibrate(const Architecture& architecture, const Objective& objective,
                             const std::function<Constraints(const Einsum&)>& constraints);

/// Most schedules, then least score, then first. Requires one.
const Trial& best_trial(const std::vector<Trial>& trials);

}  // namespace tilewright::cosa
