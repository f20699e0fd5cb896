#include "report/codesign/best_machine.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/codesign/fields.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

KnobValue knob_value(const std::string& text) {
    const Json value = Json::parse(text, nullptr, false);
    return value.is_number() ? KnobValue(value.get<double>()) : KnobValue(text);
}

FoundMachine machine_at(const explore::Row& row, const explore::Specification& specification) {
    FoundMachine machine{row.point, {}, {}};
    for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
        machine.knobs.emplace_back(specification.space.knobs()[i].name,
                                   knob_value(specification.space.value(row.point, i)));
    for (std::size_t i = 0; i < row.values.size(); ++i)
        machine.metrics.emplace_back(specification.metrics[i].name, row.values[i]);
    return machine;
}

std::string value_text(double value) { return fmt::format("{:.10g}", value); }
std::string value_text(const KnobValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : value_text(std::get<double>(value));
}

std::string machine_text(const FoundMachine& machine) {
    std::string text = fmt::format("  best machine: point {}\n", machine.point);
    for (const auto& [name, value] : machine.knobs) text += fmt::format("  {:<28} {}\n", name, value_text(value));
    for (const auto& [name, value] : machine.metrics) text += fmt::format("  {:<28} {}\n", name, value_text(value));
    return text;
}

std::string claim_text(const BestMachineReport& report) {
    const std::string machines = count_text(report.machines);
    if (!report.best)
        return report.proven ? fmt::format("proven: none of {} machines is valid\n", machines)
                             : "stopped before a valid machine was found\n";
    if (report.proven)
        return fmt::format("proven: of {} machines none has a smaller {} (to nine digits)\n", machines, report.metric);
    const std::string why = report.unproven == 0
                                ? ""
                                : fmt::format(", and {} mapped machines have layers whose mappings are not proven",
                                              count_text(report.unproven));
    return fmt::format("not proven: a machine may have a {} of {}, {:.3f} % less; {} boxes are left{}\n", report.metric,
                       value_text(report.bound), 100.0 * codesign::gap_of(report.value, report.bound),
                       count_text(report.boxes_left), why);
}

std::string counts_text(const codesign::Counts& counts) {
    return fmt::format(
        "{} boxes looked at: {} beyond a limit, {} ruled out by quick floors, {} by floors of the optimal mapper ({} "
        "found)\n{} machines mapped, {} of them not valid; {} ruled out with their boxes, {} beyond a limit with "
        "theirs\n",
        count_text(counts.boxes), count_text(counts.empty_cuts), count_text(counts.quick_cuts),
        count_text(counts.floor_cuts), count_text(counts.floors), count_text(counts.mapped), count_text(counts.invalid),
        count_text(counts.worse), count_text(counts.impossible));
}

}  // namespace

BestMachineReport best_machine_report(const codesign::Answer& answer, const explore::Specification& specification,
                                      std::size_t metric, const std::optional<explore::Row>& best) {
    BestMachineReport report;
    report.metric = specification.metrics[metric].name;
    report.machines = specification.space.size();
    if (best) report.best = machine_at(*best, specification);
    if (answer.best) report.value = answer.best->value;
    report.bound = answer.bound;
    report.proven = answer.proven;
    report.unproven = answer.unproven;
    report.boxes_left = static_cast<std::int64_t>(answer.left);
    report.counts = answer.counts;
    for (const codesign::Step& step : answer.steps)
        report.improvements.push_back({step.boxes, step.best.point, step.best.value});
    return report;
}

std::string best_machine_text(const BestMachineReport& report) {
    std::string text = report.title + "\n" + std::string(report.title.size(), '=') + "\n";
    if (report.best) text += machine_text(*report.best);
    text += "\n" + claim_text(report) + counts_text(report.counts);
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

std::string best_machine_json(const BestMachineReport& report) { return dumped(yaml::Writer::write(report)); }

}  // namespace tilewright::report
