#include "report/codesign/machine_front.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/codesign/proof_parts.hpp"
#include "report/fields.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

void fields(yaml::Archive& archive, MappedFor& mapped) {
    archive.name("MappedFor");
    archive("metric", mapped.metric, "that the mappings are made for");
    archive("metrics", mapped.metrics, "what they come to");
}

void fields(yaml::Archive& archive, MachineOfFront& machine) {
    archive.name("MachineOfFront");
    archive("point", machine.point, "its number in the space");
    archive("knobs", machine.knobs);
    archive("values", machine.values, "of the front's metrics, each of the mappings made for it");
    archive("mapped", machine.mapped, "what else the mappings for each metric come to");
}

void fields(yaml::Archive& archive, EnvelopePoint& point) {
    archive.name("EnvelopePoint");
    archive("floors", point.floors, "no machine of the box has less of any");
    archive("knobs", point.knobs, "of the box");
    archive("machines", point.machines, "in the box");
}

void fields(yaml::Archive& archive, KnownThen& known) {
    archive.name("KnownThen");
    archive("boxes", known.boxes, "looked at until then");
    archive("machines", known.machines, "of the front so far");
    archive("gap", known.gap);
}

void fields(yaml::Archive& archive, MachineFrontReport& report) {
    document::begin(archive, "tilewright-codesign-front/1", report.provenance);
    archive("title", report.title, "network and machine");
    archive("metrics", report.metrics, "two or three");
    archive("machines", report.machines, "of the space");
    archive("front", report.front, "machines that no other beats in all of them; of equal ones, one");
    archive("proven", report.proven, "no other machine belongs to them, to nine digits");
    archive("gap", report.gap,
            "what is missing is no more than this share better, in any metric, than some machine of the front");
    archive("envelope", report.envelope, "where a better machine may still be");
    archive("machines_with_unproven_mappings", report.unproven,
            "that were mapped and may be better, were their mappings proven");
    archive("boxes_left", report.boxes_left);
    archive("counts", report.counts);
    archive("cuts_along", report.cuts_along, "by knob, how many boxes were cut along it");
    archive("course", report.course, "moments of the search");
    archive("notes", report.notes);
}

}  // namespace tilewright::report

namespace tilewright::report {
namespace {

constexpr std::size_t kMostTableRows = 40;  // of a table for people; report.json has all

std::string list_of(const std::vector<std::string>& metrics) {
    std::string text;
    for (std::size_t i = 0; i < metrics.size(); ++i)
        text += (i == 0 ? "" : i + 1 == metrics.size() ? " and " : ", ") + metrics[i];
    return text;
}

std::vector<std::pair<std::string, double>> named_values(const codesign::Values& values,
                                                         const std::vector<std::string>& metrics) {
    std::vector<std::pair<std::string, double>> named;
    for (std::size_t m = 0; m < values.size(); ++m) named.emplace_back(metrics[m], values[m]);
    return named;
}

EnvelopePoint envelope_point(const codesign::Remaining& remaining, const explore::Specification& specification,
                             const std::vector<std::string>& metrics) {
    EnvelopePoint point{named_values(remaining.floors, metrics), {}, codesign::count(remaining.box)};
    for (std::size_t knob = 0; knob < remaining.box.ranges.size(); ++knob) {
        const explore::Knob& given = specification.space.knobs()[knob];
        const codesign::Range& range = remaining.box.ranges[knob];
        const std::string& first = given.values[range.low];
        point.knobs.emplace_back(given.name, range.size() == 1 ? first : first + " to " + given.values[range.high - 1]);
    }
    return point;
}

template <class Knobs>
std::vector<std::string> knob_names(const Knobs& knobs) {
    std::vector<std::string> names;
    for (const auto& [name, value] : knobs) names.push_back(name);
    return names;
}

// Columns of the first part, then of the second.
Table empty_table(std::vector<std::string> first, const std::vector<std::string>& numbers,
                  const std::vector<std::string>& knobs) {
    first.insert(first.end(), numbers.begin(), numbers.end());
    first.insert(first.end(), knobs.begin(), knobs.end());
    return {first, std::string(first.size(), 'r')};
}

Table front_table(const MachineFrontReport& report) {
    Table table = empty_table({"point"}, report.metrics, knob_names(report.front.front().knobs));
    for (const MachineOfFront& machine : report.front) {
        std::vector<std::string> row{std::to_string(machine.point)};
        for (const auto& [name, value] : machine.values) row.push_back(metric_text(name, value));
        for (const auto& [name, value] : machine.knobs) row.push_back(knob_text(value));
        table.add(std::move(row));
    }
    return table;
}

// With mappings of a single metric there is no table.
Table mapped_table(const MachineFrontReport& report) {
    Table table({"point", "mapped for", "energy_pj", "latency_cycles", "edp_pj_cycles"}, "rlrrr");
    for (const MachineOfFront& machine : report.front)
        for (const MappedFor& mapped : machine.mapped) {
            std::vector<std::string> row{std::to_string(machine.point), mapped.metric};
            for (const auto& [name, value] : mapped.metrics)
                if (name == "energy_pj" || name == "latency_cycles" || name == "edp_pj_cycles")
                    row.push_back(plain_value_text(value));
            table.add(std::move(row));
        }
    return table;
}

Table envelope_table(const MachineFrontReport& report) {
    Table table = empty_table({"machines"}, report.metrics, knob_names(report.envelope.front().knobs));
    for (const EnvelopePoint& point : report.envelope) {
        if (table.rows().size() == kMostTableRows) break;
        std::vector<std::string> row{count_text(point.machines)};
        for (const auto& [name, floor] : point.floors) row.push_back(metric_text(name, floor));
        for (const auto& [name, range] : point.knobs) row.push_back(range);
        table.add(std::move(row));
    }
    return table;
}

bool has_several_mappings(const MachineFrontReport& report) {
    return !report.front.empty() && report.front.front().mapped.size() > 1;
}

std::string front_claim(const MachineFrontReport& report) {
    const std::string machines = count_text(report.machines);
    if (report.front.empty())
        return report.proven ? fmt::format("proven: none of {} machines is valid", machines)
                             : "stopped before a valid machine was found";
    const std::string these = report.front.size() == 1
                                  ? "this one"
                                  : "one of these " + count_text(static_cast<std::int64_t>(report.front.size()));
    if (report.proven) return fmt::format("proven: of {} machines none beats {} (to nine digits)", machines, these);
    const std::string why = report.unproven == 0 ? ""
                                                 : fmt::format(", and {} mapped machines have unproven layers",
                                                               count_text(report.unproven));
    return fmt::format(
        "not proven: a missing machine is at most {:.3f} % better, in any metric, than {}; {} boxes are left{}",
        100.0 * report.gap, these, count_text(report.boxes_left), why);
}

constexpr const char* kEnvelopeTitle = "Where a better machine may be: floors of the boxes left";

}  // namespace

MachineFrontReport machine_front_report(const codesign::FrontAnswer& answer,
                                        const explore::Specification& specification,
                                        const std::vector<std::size_t>& metrics,
                                        const std::vector<std::vector<explore::Row>>& rows) {
    MachineFrontReport report;
    for (const std::size_t metric : metrics) report.metrics.push_back(specification.metrics[metric].name);
    report.machines = specification.space.size();
    for (std::size_t i = 0; i < answer.front.size(); ++i) {
        const codesign::FrontMachine& found = answer.front[i];
        FoundMachine machine = found_machine(rows[i].front(), specification);
        MachineOfFront one{found.point, std::move(machine.knobs), named_values(found.values, report.metrics), {}};
        for (std::size_t m = 0; m < metrics.size(); ++m)
            if (report.metrics[m] != "area_mm2")
                one.mapped.push_back({report.metrics[m], found_machine(rows[i][m], specification).metrics});
        report.front.push_back(std::move(one));
    }
    report.proven = answer.proven;
    report.gap = answer.gap;
    for (const codesign::Remaining& remaining : answer.envelope)
        report.envelope.push_back(envelope_point(remaining, specification, report.metrics));
    report.unproven = answer.unproven;
    report.boxes_left = static_cast<std::int64_t>(answer.left);
    report.counts = answer.counts;
    report.cuts_along = cuts_by_knob(answer.cut_along, specification.space);
    for (const codesign::FrontMoment& moment : answer.course)
        report.course.push_back({moment.boxes, moment.machines, moment.gap});
    return report;
}

std::string machine_front_text(const MachineFrontReport& report) {
    std::string text = report.title + "\n" + std::string(report.title.size(), '=') + "\n";
    if (!report.front.empty()) {
        text += fmt::format("  machines that no other beats in {}\n", list_of(report.metrics));
        text += front_table(report).text();
    }
    if (has_several_mappings(report))
        text += "\n  each metric is of the mappings made for it; a machine runs one set of mappings at a time:\n" +
                mapped_table(report).text();
    if (!report.envelope.empty()) text += fmt::format("\n  {}\n", kEnvelopeTitle) + envelope_table(report).text();
    if (report.envelope.size() > kMostTableRows)
        text += fmt::format("  ... and {} more\n", report.envelope.size() - kMostTableRows);
    text += "\n" + front_claim(report) + "\n" +
            proof_counts_text(report.counts, report.machines, report.proven, proof_words({}));
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

std::string machine_front_json(const MachineFrontReport& report) { return dumped(yaml::place_of(report)); }

views::Headline machine_front_headline(const MachineFrontReport& report) {
    views::Headline headline{report.title, {}, {}, report.notes};
    const auto front = static_cast<std::int64_t>(report.front.size());
    headline.cards = {{"On the front", count_text(front), "machines, of " + count_text(report.machines)},
                      {"Metrics", list_of(report.metrics), "each of mappings made for it"},
                      {"Proof", report.proven ? "proven" : fmt::format("within {:.2f} %", 100.0 * report.gap),
                       report.proven ? "no other machine belongs to it" : "of whatever is missing"}};
    for (views::Card& card : cards_of_counts(report.counts)) headline.cards.push_back(std::move(card));
    if (!report.front.empty())
        headline.tables.push_back({"Machines that no other beats in " + list_of(report.metrics), front_table(report)});
    if (has_several_mappings(report))
        headline.tables.push_back(
            {"Metrics of each set of mappings: a machine runs one at a time", mapped_table(report)});
    if (!report.envelope.empty()) headline.tables.push_back({kEnvelopeTitle, envelope_table(report)});
    headline.notes.insert(headline.notes.begin(), front_claim(report));
    return headline;
}

}  // namespace tilewright::report
