#include "views/exploration_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewright::views {
namespace {

using explore::Row;
using explore::Specification;
using explore::Status;

// More marks than that are a blot, and a large page.
constexpr std::size_t kMostMarks = 4000;
constexpr std::size_t kMostLines = 60;

plot::Axis axis_of(const Specification& specification, std::size_t metric, const std::vector<const Row*>& rows) {
    double least = rows.front()->values[metric];
    double most = least;
    for (const Row* row : rows) {
        least = std::min(least, row->values[metric]);
        most = std::max(most, row->values[metric]);
    }
    constexpr double kWide = 20.0;
    return {specification.metrics[metric].name, "", least > 0.0 && most > kWide * least};
}

plot::Mark mark_of(const Specification& specification, const Row& row, std::size_t x, std::size_t y) {
    return {row.values[x], row.values[y],
            fmt::format("{}: {}", row.point, explore::point_text(specification.space, row.point))};
}

Figure plane_figure(const Specification& specification, const std::vector<const Row*>& valid,
                    const std::vector<Row>& front, const std::vector<std::size_t>& objectives,
                    const std::string& title) {
    const std::size_t x = objectives[1];
    const std::size_t y = objectives[0];
    plot::Plane chart{fmt::format("Designs: {}", title),
                      axis_of(specification, x, valid),
                      axis_of(specification, y, valid),
                      {{"designs", false, {}, 0}, {"the front", false, {}, 1}}};
    const std::size_t step = valid.size() / kMostMarks + 1;
    for (std::size_t i = 0; i < valid.size(); i += step)
        chart.series[0].marks.push_back(mark_of(specification, *valid[i], x, y));
    for (const Row& row : front) chart.series[1].marks.push_back(mark_of(specification, row, x, y));
    std::string caption = fmt::format("Each mark is a design within all limits; no other beats those of the front.");
    if (step > 1)
        caption += fmt::format(" One in {} of the {} designs is drawn, and all of the front.", step, valid.size());
    return {"explored", caption, chart, ""};
}

/// One of the upright axes: where the designs are on it, from 0 to 1, and in words.
struct Upright {
    std::string name;
    std::vector<double> places;       ///< by row
    std::vector<std::string> values;  ///< by row
    std::string least;
    std::string most;
};

Upright knob_axis(const Specification& specification, std::size_t knob, const std::vector<Row>& rows) {
    const explore::Knob& given = specification.space.knobs()[knob];
    Upright axis{given.name, {}, {}, given.values.front(), given.values.back()};
    const double last = std::max<double>(static_cast<double>(given.values.size()) - 1.0, 1.0);
    for (const Row& row : rows) {
        axis.places.push_back(static_cast<double>(specification.space.position(row.point, knob)) / last);
        axis.values.push_back(specification.space.value(row.point, knob));
    }
    return axis;
}

Upright metric_axis(const Specification& specification, std::size_t metric, const std::vector<Row>& rows) {
    const auto value = [&](const Row& row) { return row.values[metric]; };
    const auto [low, high] =
        std::minmax_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return value(a) < value(b); });
    const double least = value(*low);
    const double span = value(*high) - least;
    Upright axis{
        specification.metrics[metric].name, {}, {}, fmt::format("{:.4g}", least), fmt::format("{:.4g}", value(*high))};
    for (const Row& row : rows) {
        axis.places.push_back(span > 0.0 ? (value(row) - least) / span : 0.0);
        axis.values.push_back(fmt::format("{:.4g}", value(row)));
    }
    return axis;
}

// Every design a line across upright axes (Inselberg: The plane with parallel coordinates, 1985).
Figure parallel_figure(const Specification& specification, std::vector<Row> front,
                       const std::vector<std::size_t>& objectives, const std::string& title) {
    const std::size_t of = front.size();
    if (of > kMostLines) front.resize(kMostLines);
    std::vector<Upright> axes;
    for (std::size_t knob = 0; knob < specification.space.knobs().size(); ++knob)
        axes.push_back(knob_axis(specification, knob, front));
    for (const std::size_t metric : objectives) axes.push_back(metric_axis(specification, metric, front));
    plot::Plane chart{fmt::format("The front in parallel coordinates: {}", title),
                      {"axis", "", false},
                      {"from the least to the most", "", false},
                      {}};
    for (std::size_t i = 0; i < front.size(); ++i) {
        plot::Series line{fmt::format("design {}", front[i].point), true, {}, static_cast<int>(i)};
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            line.marks.push_back(
                {static_cast<double>(axis + 1), axes[axis].places[i], axes[axis].name + " " + axes[axis].values[i]});
        chart.series.push_back(std::move(line));
    }
    std::string caption = "Every line is a design of the front. The axes, from the least to the most:";
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        caption += fmt::format("{} {} {} ({} to {})", axis == 0 ? "" : ",", axis + 1, axes[axis].name, axes[axis].least,
                               axes[axis].most);
    caption += ".";
    if (of > front.size()) caption += fmt::format(" The first {} of {} designs by the first metric.", front.size(), of);
    return {"parallel", caption, chart, ""};
}

}  // namespace

std::vector<Figure> exploration_figures(const Specification& specification, const std::vector<Row>& rows,
                                        const std::vector<std::size_t>& objectives, const std::string& title) {
    std::vector<const Row*> valid;
    for (const Row& row : rows)
        if (row.status == Status::valid) valid.push_back(&row);
    if (valid.empty() || objectives.size() < 2) return {};
    const std::vector<Row> front = explore::pareto_front(rows, objectives, specification.metrics);
    return {plane_figure(specification, valid, front, objectives, title),
            parallel_figure(specification, front, objectives, title)};
}

}  // namespace tilewright::views
