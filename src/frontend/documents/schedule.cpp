// "tilewright-schedule": who does what when, of every layer. "tilewright-schedule-report": how good the schedules are.

#include "frontend/native/schedule.hpp"
#include "frontend/documents/parts.hpp"
#include "schedule/validate.hpp"
#include "views/schedule_figures.hpp"

namespace tilewright::documents {
namespace {

// What stands on top of what; each part is what it is above the one below.
struct Quantity {
    const char* title;
    plot::Axis axis;
    const char* key;
    const char* bound_key;
};

views::Figure against_bounds(const yaml::Node& root, const Quantity& quantity) {
    plot::StackedBars chart{
        std::string(quantity.title) + ": " + root.at("network").text() + " on " + root.at("machine").at("name").text(),
        {},
        quantity.axis,
        {{"no schedule has less", {}}, {"this one, above that", {}}, {"the baseline, above it", {}}}};
    for (const yaml::Node& layer : root.at("layers").items()) {
        const yaml::Node* ours = layer.find("schedule");
        if (is_absent(ours)) continue;
        const double best = amount(ours->at(quantity.key));
        const double baseline = amount(layer.at("baseline").at(quantity.key));
        const double bound = std::min(amount(layer.at("bounds").at(quantity.bound_key)), best);
        chart.bars.push_back(first_name(layer));
        chart.parts[0].values.push_back(bound);
        chart.parts[1].values.push_back(best - bound);
        chart.parts[2].values.push_back(std::max(0.0, baseline - best));
    }
    return {"scheduled",
            "One run of every layer: what a lower bound says that no schedule of any tile sizes undercuts, how far the "
            "schedule found is above it, and how far the best static loop order is above that.",
            std::move(chart), ""};
}

}  // namespace

views::Document read_schedule(const yaml::Node& root, const std::string& file) {
    std::vector<views::ScheduledLayer> layers;
    const std::vector<native::LayerScheduleFile> files = native::read_schedules(root);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const native::LayerScheduleFile& read = files[i];
        const auto findings = schedule::validate(read.layer.problem, read.layer.schedule, 1);
        if (!findings.empty())
            throw InputError(ErrorCode::bad_value, read.at(findings.front().place),
                             "this schedule cannot be drawn: " + findings.front().message);
        layers.push_back({first_name(root.at("layers").items()[i]), read.layer.problem, read.layer.schedule});
    }
    return {file, {}, views::schedule_figures(layers)};
}

views::Document read_schedule_report(const yaml::Node& root, const std::string& file) {
    return {file,
            {},
            {against_bounds(root, {"Cycles", {"cycles", "cycles"}, "latency_cycles", "latency_cycles"}),
             against_bounds(root, {"Traffic", {"traffic", "B"}, "traffic_bytes", "traffic_bytes"})}};
}

}  // namespace tilewright::documents
