// tilewright compare --mappers: several mappers, and several factor rules, on the same layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "options/options.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "report/comparison/mapper_comparison.hpp"

namespace tilewright::cli {

class MapperComparer {
   public:
    void declare(Options& options);

    /// True when the user named mappers.
    bool wanted() const { return !mappers_.empty(); }

    /// 0: all there are.
    int threads() const { return threads_of(plan_.threads); }

    /// Searches and prints. `json` as everywhere; `csv` is where the curves go: a file, "-" or "".
    ExitStatus run(Inputs& inputs, bool json, const std::string& csv);

   private:
    std::vector<MapOptions> settle(const Inputs& inputs, report::MapperComparison& comparison);
    PlannedSearch settle_one(const Inputs& inputs, const std::string& mapper) const;
    void search_all(const NetworkProblem& problem, std::vector<MapOptions> contestants,
                    report::MapperComparison& comparison);
    bool search_shape(const LayerProblem& problem, const std::vector<MapOptions>& contestants, const StopSource& stop,
                      report::ComparedLayer& layer) const;
    std::string note_about(const report::ComparedLayer& layer, const report::MapperComparison& comparison) const;

    SearchPlan plan_;
    std::vector<std::string> mappers_;
    std::vector<std::string> factors_;
    std::optional<std::int64_t> runs_;
};

}  // namespace tilewright::cli
