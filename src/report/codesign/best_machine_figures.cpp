#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/number_text.hpp"
#include "report/codesign/best_machine.hpp"
#include "report/codesign/proof_parts.hpp"

namespace tilewright::report {
namespace {

views::Figure bounds_figure(const BestMachineReport& report) {
    const MetricAxis axis = metric_axis(report.metric);
    plot::Plane plane{"The best machine and the bound over the search",
                      {"boxes looked at", "", true},
                      {axis.label, axis.unit, false},
                      {}};
    plot::Series best{"best machine so far", true, {}};
    plot::Series bound{"no machine has less", true, {}};
    for (const BoundThen& known : report.course) {
        const auto x = static_cast<double>(std::max<std::int64_t>(known.boxes, 1));
        const std::string gap = known.value.value_or(0.0) > 0.0
                                    ? fmt::format("gap {:.2f} %", 100.0 * (1.0 - known.bound / *known.value))
                                    : "";
        if (known.value) best.marks.push_back({x, *known.value * axis.factor, gap});
        bound.marks.push_back({x, known.bound * axis.factor, gap});
    }
    if (!best.marks.empty()) plane.series.push_back(std::move(best));
    plane.series.push_back(std::move(bound));
    return {kProofKind, report.title + ": the proof is complete where the two meet.", std::move(plane), ""};
}

// The best machine's own values are not drawn.
views::Figure worth_figure(const BestMachineReport& report) {
    constexpr double kPercent = 100.0;
    constexpr double kMostDrawn = 100.0;  // else one bad value hides the others
    plot::StackedBars bars{"Cost of each knob's values", {}, {"worse than the best machine", "%", false}, {}};
    plot::Part least{"proven: at least", {}, "#0072b2"};
    plot::Part open{"not proven: up to the best that was found", {}, "#e69f00"};
    for (const KnobWorth& worth : report.worth) {
        if (worth.proven && !worth.found) continue;
        const double floor = kPercent * (worth.least.value_or(0.0) / *report.value - 1.0);
        const double found = worth.found ? kPercent * (*worth.found / *report.value - 1.0) : floor;
        const std::string name = worth.knob + " " + worth.value;
        bars.bars.push_back(floor > kMostDrawn ? fmt::format("{}: {:.0f} %", name, floor) : name);
        const double drawn = std::clamp(floor, 0.0, kMostDrawn);
        least.values.push_back(drawn);
        open.values.push_back(std::max(0.0, std::min(found, kMostDrawn) - drawn));
    }
    bars.parts = {std::move(least), std::move(open)};
    return {kWorthKind,
            report.title +
                ": the best machine with a knob held at a value, against the best of all; all other knobs "
                "are free. Bars end at 100 %. Values that no valid machine has are left out.",
            std::move(bars), ""};
}

}  // namespace

std::vector<views::Figure> best_machine_figures(const BestMachineReport& report) {
    std::vector<views::Figure> figures;
    if (report.value.value_or(0.0) > 0.0 && !report.worth.empty()) figures.push_back(worth_figure(report));
    for (views::Figure& figure : reason_figures(report.counts, report.cuts_along, report.title))
        figures.push_back(std::move(figure));
    if (report.course.size() > 1) figures.push_back(bounds_figure(report));
    return figures;
}

views::Headline best_machine_headline(const BestMachineReport& report) {
    views::Headline headline{report.title, {}, {}, report.notes};
    if (report.value)
        headline.cards.push_back({"Least " + report.metric, metric_text(report.metric, *report.value),
                                  "point " + std::to_string(report.best ? report.best->point : 0)});
    const double gap = codesign::gap_of(report.value, report.bound.value_or(0.0));
    headline.cards.push_back({"Proof", report.proven ? "proven" : fmt::format("within {:.2f} %", 100.0 * gap),
                              "of " + count_text(report.machines) + " machines"});
    for (views::Card& card : cards_of_counts(report.counts)) headline.cards.push_back(std::move(card));
    if (report.best) {
        Table knobs({"knob", "value"}, "lr");
        for (const auto& [name, value] : report.best->knobs) knobs.add({name, knob_text(value)});
        Table metrics({"metric", "value"}, "lr");
        for (const auto& [name, value] : report.best->metrics) metrics.add({name, metric_text(name, value)});
        headline.tables = {{"The best machine", knobs}, {"What it comes to", metrics}};
    }
    if (!report.worth.empty()) headline.tables.push_back({kWorthTitle, worth_table(report)});
    headline.notes.insert(headline.notes.begin(), best_machine_claim(report));
    return headline;
}

}  // namespace tilewright::report
