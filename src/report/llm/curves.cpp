#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/numbers/number_text.hpp"
#include "report/llm/serving.hpp"

namespace tilewright::report {
namespace {

using llm::PhaseCosts;

/// A picture of one phase's points: a line for each set of points differing in x only.
struct Curve {
    Phase phase;
    const char* title;
    plot::Axis x;
    plot::Axis y;
    std::function<double(const PhaseCosts&)> x_of;
    std::function<double(const PhaseCosts&)> y_of;
    std::function<std::string(const llm::Point&)> line_of;
};

std::string devices_text(const llm::Point& point) {
    return point.devices == 1 ? "" : fmt::format(", {} devices", count_text(point.devices));
}

plot::Series& series_named(plot::Plane& plane, const std::string& name) {
    const auto known = std::ranges::find(plane.series, name, &plot::Series::name);
    if (known != plane.series.end()) return *known;
    return plane.series.emplace_back(plot::Series{name, true, {}});
}

plot::Plane drawn(const Curve& curve, const ServingReport& report) {
    plot::Plane plane{curve.title, curve.x, curve.y, {}};
    for (const PhaseCosts& costs : report.points)
        if (costs.point.phase == curve.phase && costs.is_complete())
            series_named(plane, curve.line_of(costs.point)).marks.push_back({curve.x_of(costs), curve.y_of(costs), ""});
    for (plot::Series& line : plane.series) std::ranges::stable_sort(line.marks, {}, &plot::Mark::x);
    std::erase_if(plane.series, [](const plot::Series& line) { return line.marks.size() < 2; });
    return plane;
}

std::vector<Curve> curves() {
    const auto batch = [](const PhaseCosts& costs) { return static_cast<double>(costs.point.batch); };
    const auto context = [](const PhaseCosts& costs) { return static_cast<double>(costs.point.context); };
    const auto prompt = [](const PhaseCosts& costs) { return static_cast<double>(costs.point.tokens); };
    const auto rate = [](const PhaseCosts& costs) { return costs.tokens_per_second().value_or(0.0); };
    const auto seconds = [](const PhaseCosts& costs) { return costs.seconds; };
    const auto by_batch = [](const llm::Point& point) {
        return fmt::format("batch {}", count_text(point.batch)) + devices_text(point);
    };
    const auto by_context = [](const llm::Point& point) {
        return fmt::format("context {}", count_text(point.context)) + devices_text(point);
    };
    const plot::Axis time{"time", "s", true};
    return {{Phase::decode,
             "Decode: tokens per second over the batch",
             {"batch", "", true},
             {"tokens per second", "", true},
             batch,
             rate,
             by_context},
            {Phase::decode,
             "Decode: time of a token over the context",
             {"context", "", true},
             time,
             context,
             seconds,
             by_batch},
            {Phase::prefill,
             "Prefill: time to the first token over the prompt",
             {"prompt", "", true},
             time,
             prompt,
             seconds,
             by_batch}};
}

}  // namespace

std::vector<views::Figure> serving_figures(const ServingReport& report) {
    std::vector<views::Figure> figures;
    for (const Curve& curve : curves()) {
        plot::Plane plane = drawn(curve, report);
        if (plane.series.empty()) continue;
        figures.push_back(
            {"llm",
             fmt::format("{} on {}, times: {}. A line for each {}.", report.model, report.machine, report.latency,
                         plane.series.front().name.substr(0, 5) == "batch" ? "batch" : "context"),
             std::move(plane), ""});
    }
    return figures;
}

}  // namespace tilewright::report
