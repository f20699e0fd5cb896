#include "report/codesign/best_machine.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/codesign/proof_parts.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"

namespace tilewright::codesign {

void fields(yaml::Archive& archive, Counts& counts) {
    archive.name("Counts");
    archive("boxes", counts.boxes, "looked at");
    archive("beyond_limits", counts.empty_cuts, "boxes without a valid machine");
    archive("ruled_out_by_quick_floors", counts.quick_cuts, "boxes");
    archive("ruled_out_by_floors", counts.floor_cuts, "boxes, by floors of the optimal mapper");
    archive("floors", counts.floors, "of the optimal mapper that were found");
    archive("machines_mapped", counts.mapped);
    archive("machines_not_valid", counts.invalid, "of those mapped");
    archive("machines_ruled_out", counts.worse, "with their boxes, by floors");
    archive("machines_ruled_out_by_quick_floors", counts.quick_worse, "of those");
    archive("machines_beyond_limits", counts.impossible, "with their boxes");
}

}  // namespace tilewright::codesign

namespace tilewright::report {

void fields(yaml::Archive& archive, FoundMachine& machine) {
    archive.name("FoundMachine");
    archive("point", machine.point, "its number in the space");
    archive("knobs", machine.knobs);
    archive("metrics", machine.metrics, "with units in their names");
}

void fields(yaml::Archive& archive, ImprovedMachine& improved) {
    archive.name("ImprovedMachine");
    archive("boxes", improved.boxes, "looked at until then");
    archive("point", improved.point);
    archive("value", improved.value);
}

void fields(yaml::Archive& archive, BoundThen& known) {
    archive.name("BoundThen");
    archive("boxes", known.boxes, "looked at until then");
    archive("value", known.value, "of the best machine so far");
    archive("bound", known.bound);
}

void fields(yaml::Archive& archive, KnobWorth& worth) {
    archive.name("KnobWorth");
    archive("knob", worth.knob);
    archive("value", worth.value, "at which the knob is held");
    archive("machines", worth.machines, "that have it");
    archive("least", worth.least, "no valid machine with it has less; null: none is valid");
    archive("found", worth.found, "the least of those that were mapped; null: none");
    archive("point", worth.point, "of that machine");
    archive("proven", worth.proven, "no machine with it is better than the one found; null: none is valid");
    archive("of_best", worth.of_best, "the best machine of all has it");
}

void fields(yaml::Archive& archive, BestMachineReport& report) {
    document::begin(archive, "tilewright-codesign/1", report.provenance);
    archive("title", report.title, "network and machine");
    archive("metric", report.metric, "that is to be least");
    archive("machines", report.machines, "of the space");
    archive.where_any("subject", report.subject,
                      "packages, where they are packages of cores with plans; else left out");
    archive("best", report.best, "null: none was found");
    archive.where_any("plan", report.plan, "of the best package (docs/packages-of-cores.md)");
    archive("value", report.value, "of the best machine");
    archive("bound", report.bound, "no valid machine has less; null: none is valid");
    archive("proven", report.proven, "none is better, to nine digits; without a best machine: none is valid");
    archive("machines_with_unproven_mappings", report.unproven,
            "that were mapped and may be better, were their mappings proven");
    archive("boxes_left", report.boxes_left);
    archive("counts", report.counts);
    archive("cuts_along", report.cuts_along, "by knob, how many boxes were cut along it");
    archive("improvements", report.improvements, "each better machine when it was found");
    archive("course", report.course, "moments of the search");
    archive("worth", report.worth, "of each knob's values, the best machine with it (--worth); else empty");
    archive("notes", report.notes);
}

}  // namespace tilewright::report

namespace tilewright::report {
namespace {

// With all its digits, and in units: "711918000 (711.9 uJ)".
std::string exact_metric_text(const std::string& metric, double value) {
    std::string exact = plain_value_text(value);
    const std::string read = metric_text(metric, value);
    return exact == read ? exact : exact + " (" + read + ")";
}

std::string machine_text(const FoundMachine& machine, const ProofWords& words) {
    std::string text = fmt::format("  best {}: point {}\n", words.machine, machine.point);
    for (const auto& [name, value] : machine.knobs) text += fmt::format("  {:<28} {}\n", name, knob_text(value));
    for (const auto& [name, value] : machine.metrics)
        text += fmt::format("  {:<28} {}\n", name, exact_metric_text(name, value));
    return text;
}

}  // namespace

std::string best_machine_claim(const BestMachineReport& report) {
    const ProofWords& words = proof_words(report.subject);
    const std::string machines = fmt::format("{} {}s", count_text(report.machines), words.machine);
    if (!report.best)
        return report.proven ? fmt::format("proven: none of {} is valid", machines)
                             : fmt::format("stopped before a valid {} was found", words.machine);
    if (report.proven)
        return fmt::format("proven: of {} none has a smaller {} (to nine digits)", machines, report.metric);
    const std::string why = report.unproven == 0 ? ""
                                                 : fmt::format(", and {} {} {}s have {}", count_text(report.unproven),
                                                               words.mapped, words.machine, words.unproven);
    const double bound = report.bound.value_or(0.0);
    return fmt::format("not proven: {} is at least {} on every {}, {:.3f} % below; {} boxes are left{}", report.metric,
                       metric_text(report.metric, bound), words.machine, 100.0 * codesign::gap_of(report.value, bound),
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
    const ProofWords& words = proof_words(report.subject);
    if (report.best) text += machine_text(*report.best, words);
    if (!report.plan.empty()) text += "\n" + report.plan;
    if (!report.worth.empty()) text += fmt::format("\n  {}\n", kWorthTitle) + worth_table(report).text();
    text += "\n" + best_machine_claim(report) + "\n" +
            proof_counts_text(report.counts, report.machines, report.proven, words);
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

std::string best_machine_json(const BestMachineReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report
