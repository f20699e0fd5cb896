#include <fmt/format.h>

#include "report/parts/csv_cell.hpp"
#include "report/schedule/schedule.hpp"

namespace tilewright::report {
namespace {

struct Kind {
    const char* name;
    const std::optional<schedule::Found>* found;
};

std::string row(const std::string& head, const char* kind, const std::string& how, std::int64_t cycles,
                std::int64_t bytes) {
    return head + fmt::format(",{},{},{},{}\n", kind, csv_cell(how), cycles, bytes);
}

}  // namespace

std::string schedule_csv(const ScheduleReport& report) {
    std::string text = "network,machine,layer,repeats,schedule,how,latency_cycles,traffic_bytes\n";
    for (const ScheduledLayer& layer : report.layers) {
        const schedule::LayerAnswer& answer = layer.answer;
        const std::string head = fmt::format("{},{},{},{}", csv_cell(report.network), csv_cell(report.machine.name),
                                             csv_cell(layer.names.front()), layer.repeats);
        for (const Kind& kind : {Kind{"best", &answer.best}, Kind{"baseline", &answer.baseline},
                                 Kind{"list_scheduler", &answer.published}})
            if (const std::optional<schedule::Found>& found = *kind.found)
                text += row(head, kind.name, found->how, found->score.latency_cycles, found->score.traffic_bytes);
        if (answer.best)
            text += row(head, "bound", "", answer.bounds.latency_cycles, answer.bounds.traffic_bytes);
        else
            text += head + ",no_schedule,,,\n";
    }
    return text;
}

}  // namespace tilewright::report
