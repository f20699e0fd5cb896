#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/codesign/machine_front.hpp"
#include "report/codesign/proof_parts.hpp"

namespace tilewright::report {
namespace {

struct MetricPair {
    std::size_t x = 1;
    std::size_t y = 0;
};

plot::Axis front_axis(const MachineFrontReport& report, std::size_t metric) {
    const MetricAxis axis = metric_axis(report.metrics[metric]);
    double least = 0.0;
    double most = 0.0;
    const auto look = [&](double value) {
        least = most == 0.0 ? value : std::min(least, value);
        most = std::max(most, value);
    };
    for (const MachineOfFront& machine : report.front) look(machine.values[metric].second);
    for (const EnvelopePoint& point : report.envelope) look(point.floors[metric].second);
    constexpr double kWide = 20.0;
    return {axis.label, axis.unit, least > 0.0 && most > kWide * least};
}

plot::Mark front_mark(const MachineFrontReport& report, const NamedNumbers& values, const MetricPair& pair,
                      std::string label) {
    return {values[pair.x].second * metric_axis(report.metrics[pair.x]).factor,
            values[pair.y].second * metric_axis(report.metrics[pair.y]).factor, std::move(label)};
}

// "a=1, b=2"
template <class Knobs, class Text>
std::string knobs_text(const Knobs& knobs, const Text& text_of) {
    std::string text;
    for (const auto& [name, value] : knobs) text += (text.empty() ? "" : ", ") + name + "=" + text_of(value);
    return text;
}

plot::Series marks_of_front(const MachineFrontReport& report, const MetricPair& pair) {
    plot::Series series{"machines of the front", false, {}, 1};
    for (const MachineOfFront& machine : report.front)
        series.marks.push_back(front_mark(report, machine.values, pair,
                                          fmt::format("{}: {}", machine.point, knobs_text(machine.knobs, knob_text))));
    return series;
}

plot::Series marks_of_envelope(const MachineFrontReport& report, const MetricPair& pair) {
    plot::Series series{"floors of the boxes left", false, {}, 2};
    for (const EnvelopePoint& point : report.envelope)
        series.marks.push_back(front_mark(report, point.floors, pair,
                                          knobs_text(point.knobs, [](const std::string& text) { return text; })));
    return series;
}

// The staircase through undominated marks: from each straight to the x of the next, then down to it.
plot::Series stairs_of(const plot::Series& marks, const std::string& name) {
    plot::Series stairs{name, true, {}, marks.colour};
    std::vector<plot::Mark> sorted = marks.marks;
    std::ranges::sort(sorted,
                      [](const plot::Mark& a, const plot::Mark& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
    for (const plot::Mark& mark : sorted) {
        if (!stairs.marks.empty() && mark.y >= stairs.marks.back().y) continue;  // another one is no worse
        if (!stairs.marks.empty()) stairs.marks.push_back({mark.x, stairs.marks.back().y, ""});
        stairs.marks.push_back({mark.x, mark.y, ""});
    }
    return stairs;
}

views::Figure front_figure(const MachineFrontReport& report, const MetricPair& pair) {
    plot::Plane plane{"Machines that no other beats", front_axis(report, pair.x), front_axis(report, pair.y), {}};
    const bool flat = report.metrics.size() == 2;
    std::string caption =
        report.title + (report.proven ? ": each mark is a machine; none of the space is better in one "
                                        "metric and no worse in the others."
                                      : ": each mark is a machine, the best that were found so far.");
    plot::Series front = marks_of_front(report, pair);
    if (flat) plane.series.push_back(stairs_of(front, "what these machines beat lies above"));
    plane.series.push_back(std::move(front));
    if (!report.envelope.empty()) {
        plot::Series envelope = marks_of_envelope(report, pair);
        if (flat) {
            plot::Series lowest = envelope;
            for (const plot::Mark& mark : plane.series.back().marks) lowest.marks.push_back(mark);
            plane.series.push_back(stairs_of(lowest, "no machine lies below"));
        }
        plane.series.push_back(std::move(envelope));
        caption +=
            fmt::format(" The search was not ended: others may lie between the two lines, at most {:.2f} % better.",
                        100.0 * report.gap);
    }
    if (!flat) caption += " A third metric is not drawn here.";
    return {kFrontKind, caption, std::move(plane), ""};
}

views::Figure gap_figure(const MachineFrontReport& report) {
    plot::Plane plane{
        "How much better a missing machine may be", {"boxes looked at", "", true}, {"gap", "%", false}, {}};
    plot::Series gap{"gap", true, {}};
    for (const KnownThen& known : report.course) {
        const auto x = static_cast<double>(std::max<std::int64_t>(known.boxes, 1));
        gap.marks.push_back({x, 100.0 * known.gap, fmt::format("{} machines on the front so far", known.machines)});
    }
    plane.series.push_back(std::move(gap));
    return {kProofKind,
            report.title +
                ": what a machine that was not found may have less of, in any metric, than one that was; 0 "
                "when the front is proven.",
            std::move(plane), ""};
}

}  // namespace

std::vector<views::Figure> machine_front_figures(const MachineFrontReport& report) {
    std::vector<views::Figure> figures;
    if (!report.front.empty() || !report.envelope.empty())
        for (std::size_t x = 1; x < report.metrics.size(); ++x) figures.push_back(front_figure(report, {x, 0}));
    for (views::Figure& figure : reason_figures(report.counts, report.cuts_along, report.title))
        figures.push_back(std::move(figure));
    if (report.course.size() > 1) figures.push_back(gap_figure(report));
    return figures;
}

}  // namespace tilewright::report
