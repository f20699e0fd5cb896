#include "report/llm/serving.hpp"
#include "report/parts/csv_cell.hpp"

namespace tilewright::report {

std::string serving_csv(const ServingReport& report) {
    if (report.served) return served_csv(*report.served);
    std::string csv =
        "architecture,network,latency,phase,devices,batch,tokens,context,seconds,tokens_per_second,energy_pj,"
        "tokens_per_joule,attention_seconds,collective_seconds,bound,bound_share,weight_bytes,cache_bytes,"
        "capacity_bytes,unlimited_energy_pj\n";
    const std::string run =
        csv_cell(report.machine) + "," + csv_cell(report.model) + "," + csv_cell(report.latency) + ",";
    for (const llm::PhaseCosts& costs : report.points) {
        const llm::Point& point = costs.point;
        csv += run + (point.phase == Phase::prefill ? "prefill" : "decode");
        for (const std::int64_t number : {point.devices, point.batch, point.tokens, point.context})
            csv += "," + std::to_string(number);
        const std::vector<std::optional<double>> numbers{costs.seconds,           costs.tokens_per_second(),
                                                         costs.energy_pj,         costs.tokens_per_joule(),
                                                         costs.attention_seconds, costs.collective_seconds};
        for (const std::optional<double>& number : numbers)
            csv += "," + csv_number(costs.is_complete() ? number : std::nullopt);
        csv += "," + (costs.bounds.empty()
                          ? ","
                          : csv_cell(costs.bounds.front().bound) + "," + csv_number(costs.bounds.front().share));
        csv += "," + csv_number(costs.weight_bytes) + "," + csv_number(costs.cache_bytes) + "," +
               csv_number(costs.capacity_bytes) + "," + csv_number(costs.unlimited_energy_pj) + "\n";
    }
    return csv;
}

}  // namespace tilewright::report
