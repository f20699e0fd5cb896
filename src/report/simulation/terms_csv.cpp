#include "report/simulation/terms_csv.hpp"

#include <fmt/format.h>

#include "report/parts/csv_cell.hpp"
#include "report/simulation/terms.hpp"

namespace tilewright::report {
namespace {

constexpr const char* kTermsHeader = "network,architecture,memory,layer,repeats,term,model_cycles,simulated_cycles\n";

template <class SomeLayer>
std::string term_rows(const std::string& before, const SomeLayer& layer, const std::vector<Term>& terms) {
    const std::string start = fmt::format("{},{},{}", before, csv_cell(layer.names.front()), layer.repeats);
    if (!layer.failure.empty()) return start + ",not_simulated,,\n";
    std::string rows;
    for (const Term& term : terms)
        rows += fmt::format("{},{},{},{}\n", start, csv_cell(term.name), csv_number(term.model_cycles),
                            csv_number(term.simulated_cycles));
    return rows;
}

}  // namespace

std::string simulation_csv(const Simulation& simulation) {
    const std::string before = fmt::format("{},{},{}", csv_cell(simulation.network),
                                           csv_cell(simulation.architecture.name), csv_cell(simulation.memory));
    std::string text = kTermsHeader;
    for (const SimulatedLayer& layer : simulation.layers)
        text += term_rows(before, layer, layer.failure.empty() ? terms_of(layer) : std::vector<Term>{});
    return text;
}

std::string replay_csv(const ScheduleReplay& replay) {
    const std::string memory = replay.options.dram ? replay.options.dram->name : "";
    const std::string before = fmt::format(",{},{}", csv_cell(replay.machine.name), csv_cell(memory));
    std::string text = kTermsHeader;
    for (const ReplayedLayer& layer : replay.layers)
        text += term_rows(before, layer, layer.failure.empty() ? terms_of(layer, replay.options) : std::vector<Term>{});
    return text;
}

}  // namespace tilewright::report
