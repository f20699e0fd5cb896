// CosaMapper: one schedule from one mixed-integer program, without search (docs/cosa.md).
//
// The search's objective only scores the schedule: CoSA minimises its own weighted sum. Of the budget only time and
// interruption apply; without a time limit the program visits at most kMostNodes nodes, so the answer does not depend
// on the machine's speed.
#pragma once

#include "mapper/cosa/schedule.hpp"
#include "mapper/mapper.hpp"

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
