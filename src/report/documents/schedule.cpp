// "tilewright-schedule": activities of every layer over time. "tilewright-schedule-report": quality of the schedules.

#include "native/schedule.hpp"

#include <algorithm>
#include <array>

#include "report/documents/documents.hpp"
#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/schedule/document.hpp"
#include "report/views/schedule_figures.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::documents {
namespace {

// A stack; each part is its excess over the one below.
struct Quantity {
    const char* title;
    plot::Axis axis;
    std::int64_t schedule::Score::* of;
    std::int64_t schedule::LayerBounds::* bound;
};

const std::string& name_of(const document::ScheduledLayer& layer) { return layer.names.front(); }

views::Figure against_bounds(const document::ScheduleReport& report, const Quantity& quantity) {
    plot::StackedBars chart{
        std::string(quantity.title) + ": " + report.network + " on " + report.machine.name,
        {},
        quantity.axis,
        {{"no schedule has less", {}}, {"this one, above that", {}}, {"the baseline, above it", {}}}};
    for (const document::ScheduledLayer& layer : report.layers) {
        if (!layer.best || !layer.baseline) continue;
        const auto best = static_cast<double>(layer.best->score.*quantity.of);
        const auto baseline = static_cast<double>(layer.baseline->score.*quantity.of);
        const double bound = std::min(static_cast<double>(layer.bounds.*quantity.bound), best);
        chart.bars.push_back(name_of(layer));
        chart.parts[0].values.push_back(bound);
        chart.parts[1].values.push_back(best - bound);
        chart.parts[2].values.push_back(std::max(0.0, baseline - best));
    }
    return {"scheduled",
            "One run of every layer: what a lower bound says that no schedule of any tile sizes undercuts, how far the "
            "schedule found is above it, and how far the best static loop order is above that.",
            std::move(chart), ""};
}

std::string tiling_text(const schedule::PerDim& tiling) {
    std::string text;
    for (const std::int64_t size : tiling.value) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text;
}

// Flexer, Fig. 1: every tiling in a static loop order and under the list scheduler.
views::Figure every_tiling(const document::ScheduledLayer& layer) {
    plot::Plane chart{"Every tiling: " + name_of(layer), {"latency", "cycles", true}, {"traffic", "B", true}, {}};
    chart.series = {{"static loop order", false, {}, -1}, {"list scheduler", false, {}, -1}};
    std::size_t without = 0;
    for (const document::TilingCosts& one : layer.tilings) {
        const std::array scores{one.fixed, one.listed};
        for (std::size_t i = 0; i < scores.size(); ++i)
            if (scores[i])
                chart.series[i].marks.push_back({static_cast<double>(scores[i]->latency_cycles),
                                                 static_cast<double>(scores[i]->traffic_bytes),
                                                 tiling_text(one.tiling)});
        without += one.fixed ? 0 : 1;
    }
    return {"tilings",
            "One mark for each choice of tile sizes: the best static loop order and the list scheduler." +
                (without == 0 ? "" : " Not tried, for their many operations: " + std::to_string(without) + " tilings."),
            std::move(chart), name_of(layer)};
}

views::Document shown(const document::ScheduleReport& report, const std::string& file) {
    using schedule::LayerBounds;
    using schedule::Score;
    views::Document document{
        file,
        {},
        {against_bounds(report,
                        {"Cycles", {"latency", "cycles"}, &Score::latency_cycles, &LayerBounds::latency_cycles}),
         against_bounds(report, {"Traffic", {"traffic", "B"}, &Score::traffic_bytes, &LayerBounds::traffic_bytes})}};
    for (const document::ScheduledLayer& layer : report.layers)
        if (!layer.tilings.empty()) document.figures.push_back(every_tiling(layer));
    return document;
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
    check_names(root);
    return shown(read_as<document::ScheduleReport>(root), file);
}

views::Document document_of(const report::ScheduleReport& report, const std::string& file) {
    return shown(document::document_of(report), file);
}

}  // namespace tilewright::documents
