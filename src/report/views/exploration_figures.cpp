#include "report/views/schedule_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/plot/canvas.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::views {
namespace {

using explore::Row;
using explore::Specification;
using explore::Status;

constexpr std::size_t kMostLines = plot::kColours;
constexpr std::size_t kMostTicks = 8;
constexpr std::size_t kMostLabelled = 40;

/// Quantity of a metric's name: "energy_pj" is energy in pJ.
struct Quantity {
    std::string label;
    std::string unit;
    double factor = 1.0;  ///< from the metric's unit to the axis'

    bool operator==(const Quantity&) const = default;
};

Quantity quantity_of(const std::string& name) {
    static const std::vector<Quantity> kSuffixes{{"_pj_cycles", "J*cycles", 1e-12},
                                                 {"_pj", "J", 1e-12},
                                                 {"_mw", "W", 1e-3},
                                                 {"_mm2", "mm2", 1.0},
                                                 {"_cycles", "cycles", 1.0}};
    for (const Quantity& suffix : kSuffixes)
        if (name.ends_with(suffix.label) && name.size() > suffix.label.size())
            return {name.substr(0, name.size() - suffix.label.size()), suffix.unit, suffix.factor};
    return {name, "", 1.0};
}

// "5.367 mJ"; of units that are words, the number alone.
std::string value_text(const Quantity& quantity, double value) {
    const plot::Prefix prefix = plot::prefix_for(value * quantity.factor);
    const bool letter = !quantity.unit.empty() && quantity.unit.size() <= 2;
    if (!letter && prefix.factor <= 1.0) return plot::tick_text(value * quantity.factor);
    return plot::tick_text(value * quantity.factor / prefix.factor) + " " + prefix.symbol +
           (letter ? quantity.unit : "");
}

plot::Axis axis_of(const Specification& specification, std::size_t metric, const std::vector<const Row*>& rows) {
    double least = rows.front()->values[metric];
    double most = least;
    for (const Row* row : rows) {
        least = std::min(least, row->values[metric]);
        most = std::max(most, row->values[metric]);
    }
    constexpr double kWide = 20.0;
    const Quantity quantity = quantity_of(specification.metrics[metric].name);
    return {quantity.label, quantity.unit, least > 0.0 && most > kWide * least};
}

plot::Mark mark_of(const Specification& specification, const Row& row, std::size_t x, std::size_t y) {
    const auto value = [&](std::size_t metric) {
        return row.values[metric] * quantity_of(specification.metrics[metric].name).factor;
    };
    return {value(x), value(y), fmt::format("{}: {}", row.point, explore::point_text(specification.space, row.point))};
}

// One series for all designs, or one per value (or range of values) of a knob.
class Groups {
   public:
    Groups(const Specification& specification, std::optional<std::size_t> knob, const std::vector<const Row*>& rows)
        : specification_(specification), knob_(knob) {
        if (!knob) {
            series_ = {{"designs", false, {}, 0}};
            return;
        }
        const explore::Knob& given = specification.space.knobs()[*knob];
        const auto [low, high] = std::ranges::minmax(rows, {}, [&](const Row* row) { return position(*row); });
        first_ = position(*low);
        const std::size_t count = position(*high) - first_ + 1;
        width_ = (count + kMostColours - 1) / kMostColours;
        for (std::size_t from = first_; from < first_ + count; from += width_) {
            const std::size_t to = std::min(from + width_, first_ + count) - 1;
            const std::string range = to == from ? "" : " to " + given.values[to];
            series_.push_back({fmt::format("{} {}{}", given.name, given.values[from], range),
                               false,
                               {},
                               static_cast<int>(series_.size()) + 2});
        }
    }

    void add(const Row& row, const plot::Mark& mark) {
        const std::size_t group = knob_ ? (position(row) - first_) / width_ : 0;
        series_[group].marks.push_back(mark);
    }
    std::vector<plot::Series> series() && { return std::move(series_); }

   private:
    static constexpr std::size_t kMostColours = 5;

    std::size_t position(const Row& row) const {
        return static_cast<std::size_t>(specification_.space.position(row.point, *knob_));
    }

    const Specification& specification_;
    std::optional<std::size_t> knob_;
    std::size_t first_ = 0;
    std::size_t width_ = 1;
    std::vector<plot::Series> series_;
};

std::vector<std::size_t> drawn_rows(const std::vector<const Row*>& rows, std::size_t x, std::size_t y,
                                    const plot::Plane& chart) {
    std::vector<plot::PlacedPoint> points;
    points.reserve(rows.size());
    for (const Row* row : rows) points.push_back({row->values[x], row->values[y]});
    return plot::drawn_points(points, chart.x, chart.y);
}

Figure plane_figure(const Specification& specification, const std::vector<const Row*>& valid,
                    const std::vector<Row>& front, const std::vector<std::size_t>& objectives, const std::string& title,
                    std::optional<std::size_t> coloured_by) {
    const std::size_t x = objectives[1];
    const std::size_t y = objectives[0];
    plot::Plane chart{
        fmt::format("Designs: {}", title), axis_of(specification, x, valid), axis_of(specification, y, valid), {}};
    Groups groups(specification, coloured_by, valid);
    const std::vector<std::size_t> drawn = drawn_rows(valid, x, y, chart);
    for (const std::size_t i : drawn) groups.add(*valid[i], mark_of(specification, *valid[i], x, y));
    chart.series = std::move(groups).series();
    std::vector<const Row*> best_rows;
    for (const Row& row : front) best_rows.push_back(&row);
    const std::vector<std::size_t> drawn_front = drawn_rows(best_rows, x, y, chart);
    plot::Series best{"the front", false, {}, 1, drawn_front.size() <= kMostLabelled};
    for (const std::size_t i : drawn_front) best.marks.push_back(mark_of(specification, front[i], x, y));
    chart.series.push_back(std::move(best));
    std::string caption = "Each mark is a design within all limits; no other beats those of the front.";
    for (const std::string& text : {plot::drawn_text(drawn.size(), valid.size(), "designs"),
                                    plot::drawn_text(drawn_front.size(), front.size(), "designs of the front")})
        if (!text.empty()) caption += " " + text;
    if (drawn.size() < valid.size() && drawn_front.size() == front.size())
        caption += fmt::format(" All {} of the front are.", front.size());
    return {"explored", caption, chart, ""};
}

/// One of the upright axes: the designs' places on it, from 0 to 1, and in words.
struct Upright {
    std::string name;
    std::vector<double> places;       ///< by row
    std::vector<std::string> values;  ///< by row
    std::string least;
    std::string most;
    std::vector<plot::Mark> scale = {};  ///< y: the place of a value, its label
};

Upright knob_axis(const Specification& specification, std::size_t knob, const std::vector<Row>& rows) {
    const explore::Knob& given = specification.space.knobs()[knob];
    Upright axis{given.name, {}, {}, given.values.front(), given.values.back()};
    const double last = std::max<double>(static_cast<double>(given.values.size()) - 1.0, 1.0);
    for (const Row& row : rows) {
        axis.places.push_back(static_cast<double>(specification.space.position(row.point, knob)) / last);
        axis.values.push_back(specification.space.value(row.point, knob));
    }
    const std::size_t every = (given.values.size() + kMostTicks - 1) / kMostTicks;
    for (std::size_t i = 0; i < given.values.size(); i += every)
        axis.scale.push_back({0.0, static_cast<double>(i) / last, given.values[i]});
    return axis;
}

Upright metric_axis(const Specification& specification, std::size_t metric, const std::vector<Row>& rows) {
    const auto value = [&](const Row& row) { return row.values[metric]; };
    const auto [low, high] =
        std::minmax_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return value(a) < value(b); });
    const double least = value(*low);
    const double span = value(*high) - least;
    const Quantity quantity = quantity_of(specification.metrics[metric].name);
    Upright axis{quantity.label, {}, {}, value_text(quantity, least), value_text(quantity, value(*high))};
    for (const Row& row : rows) {
        axis.places.push_back(span > 0.0 ? (value(row) - least) / span : 0.0);
        axis.values.push_back(value_text(quantity, value(row)));
    }
    for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0})
        if (span > 0.0 || place == 0.0) axis.scale.push_back({0.0, place, value_text(quantity, least + place * span)});
    return axis;
}

std::vector<std::string> names_of(const std::vector<Upright>& axes) {
    std::vector<std::string> names;
    for (const Upright& axis : axes) names.push_back(axis.name);
    return names;
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
                      {"axis", "", false, names_of(axes)},
                      {"from the least to the most", "", false},
                      {}};
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        for (plot::Mark mark : axes[axis].scale) {
            mark.x = static_cast<double>(axis + 1);
            chart.scales.push_back(std::move(mark));
        }
    for (std::size_t i = 0; i < front.size(); ++i) {
        plot::Series line{fmt::format("design {}", front[i].point), true, {}, static_cast<int>(i)};
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            line.marks.push_back(
                {static_cast<double>(axis + 1), axes[axis].places[i], axes[axis].name + " " + axes[axis].values[i]});
        chart.series.push_back(std::move(line));
    }
    std::string caption = "Every line is a design of the front. The axes, from the least to the most:";
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        caption +=
            fmt::format("{} {} ({} to {})", axis == 0 ? "" : ",", axes[axis].name, axes[axis].least, axes[axis].most);
    caption += ".";
    if (of > front.size()) caption += fmt::format(" The first {} of {} designs by the first metric.", front.size(), of);
    return {"parallel", caption, chart, ""};
}

}  // namespace

std::vector<Figure> exploration_figures(const Specification& specification, const std::vector<Row>& rows,
                                        const std::vector<std::size_t>& objectives, const std::string& title,
                                        std::optional<std::size_t> coloured_by) {
    std::vector<const Row*> valid;
    for (const Row& row : rows)
        if (row.status == Status::valid) valid.push_back(&row);
    if (valid.empty() || objectives.size() < 2) return {};
    const std::vector<Row> front = explore::pareto_front(rows, objectives, specification.metrics);
    return {plane_figure(specification, valid, front, objectives, title, coloured_by),
            parallel_figure(specification, front, objectives, title)};
}

}  // namespace tilewright::views
