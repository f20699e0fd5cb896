#include "report/codesign/best_machine.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/codesign/fields.hpp"
#include "report/codesign/proof_parts.hpp"
#include "report/codesign/worth_text.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

// With all its digits, and as it is read: "711918000 (711.9 uJ)".
std::string exact_metric_text(const std::string& metric, double value) {
    std::string exact = plain_value_text(value);
    const std::string read = metric_text(metric, value);
    return exact == read ? exact : exact + " (" + read + ")";
}

std::string machine_text(const FoundMachine& machine) {
    std::string text = fmt::format("  best machine: point {}\n", machine.point);
    for (const auto& [name, value] : machine.knobs) text += fmt::format("  {:<28} {}\n", name, knob_text(value));
    for (const auto& [name, value] : machine.metrics)
        text += fmt::format("  {:<28} {}\n", name, exact_metric_text(name, value));
    return text;
}

}  // namespace

std::string best_machine_claim(const BestMachineReport& report) {
    const std::string machines = count_text(report.machines);
    if (!report.best)
        return report.proven ? fmt::format("proven: none of {} machines is valid", machines)
                             : "stopped before a valid machine was found";
    if (report.proven)
        return fmt::format("proven: of {} machines none has a smaller {} (to nine digits)", machines, report.metric);
    const std::string why = report.unproven == 0
                                ? ""
                                : fmt::format(", and {} mapped machines have layers whose mappings are not proven",
                                              count_text(report.unproven));
    const double bound = report.bound.value_or(0.0);
    return fmt::format("not proven: a machine may have a {} of {}, {:.3f} % less; {} boxes are left{}", report.metric,
                       metric_text(report.metric, bound), 100.0 * codesign::gap_of(report.value, bound),
                       count_text(report.boxes_left), why);
}

BestMachineReport best_machine_report(const codesign::Answer& answer, const explore::Specification& specification,
                                      std::size_t metric, const std::optional<explore::Row>& best) {
    BestMachineReport report;
    report.metric = specification.metrics[metric].name;
    report.machines = specification.space.size();
    if (best) report.best = found_machine(*best, specification);
    if (answer.best) report.value = answer.best->value;
    if (std::isfinite(answer.bound)) report.bound = answer.bound;
    report.proven = answer.proven;
    report.unproven = answer.unproven;
    report.boxes_left = static_cast<std::int64_t>(answer.left);
    report.counts = answer.counts;
    report.cuts_along = cuts_by_knob(answer.cut_along, specification.space);
    for (const codesign::Step& step : answer.steps)
        report.improvements.push_back({step.boxes, step.best.point, step.best.value});
    for (const codesign::Moment& moment : answer.course)
        if (std::isfinite(moment.bound)) report.course.push_back({moment.boxes, moment.best, moment.bound});
    return report;
}

std::string best_machine_text(const BestMachineReport& report) {
    std::string text = report.title + "\n" + std::string(report.title.size(), '=') + "\n";
    if (report.best) text += machine_text(*report.best);
    if (!report.worth.empty()) text += fmt::format("\n  {}\n", kWorthTitle) + worth_table(report).text();
    text += "\n" + best_machine_claim(report) + "\n" + proof_counts_text(report.counts, report.machines, report.proven);
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

std::string best_machine_json(const BestMachineReport& report) { return dumped(yaml::Writer::write(report)); }

}  // namespace tilewright::report
