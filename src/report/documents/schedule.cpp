// "tilewright-schedule": who does what when, of every layer. "tilewright-schedule-report": how good the schedules are.

#include "native/schedule.hpp"

#include <array>

#include "report/documents/parts.hpp"
#include "report/views/schedule_figures.hpp"
#include "schedule/validation/validate.hpp"

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

// Flexer, Fig. 1: what every tiling comes to in a static loop order and under the list scheduler.
views::Figure every_tiling(const yaml::Node& layer, const yaml::Node& tilings) {
    plot::Plane chart{"Every tiling: " + first_name(layer), {"latency", "cycles", true}, {"traffic", "B", true}, {}};
    chart.series = {{"static loop order", false, {}, -1}, {"list scheduler", false, {}, -1}};
    const std::array<const char*, 2> keys{"static", "list_scheduler"};
    std::size_t without = 0;
    for (const yaml::Node& one : tilings.items()) {
        std::string label;
        for (const char* dim : {"ow", "oh", "ic", "oc"})
            label += (label.empty() ? "" : " x ") + one.at("tiling").at(dim).text();
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const yaml::Node& score = one.at(keys[i]);
            if (is_absent(&score)) continue;
            chart.series[i].marks.push_back(
                {amount(score.at("latency_cycles")), amount(score.at("traffic_bytes")), label});
        }
        without += is_absent(&one.at("static")) ? 1 : 0;
    }
    return {"tilings",
            "One mark for each choice of tile sizes: the best static loop order and the list scheduler." +
                (without == 0 ? "" : " Not tried, for their many operations: " + std::to_string(without) + " tilings."),
            std::move(chart), first_name(layer)};
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
    views::Document document{
        file,
        {},
        {against_bounds(root, {"Cycles", {"latency", "cycles"}, "latency_cycles", "latency_cycles"}),
         against_bounds(root, {"Traffic", {"traffic", "B"}, "traffic_bytes", "traffic_bytes"})}};
    for (const yaml::Node& layer : root.at("layers").items())
        if (const yaml::Node* tilings = layer.find("tilings"))
            document.figures.push_back(every_tiling(layer, *tilings));
    return document;
}

}  // namespace tilewright::documents
