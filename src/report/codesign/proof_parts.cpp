#include "report/codesign/proof_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

KnobValue knob_value(const std::string& text) {
    const Json value = Json::parse(text, nullptr, false);
    return value.is_number() ? KnobValue(value.get<double>()) : KnobValue(text);
}

// Equal to nine digits, within rounding of sums.
bool as_good(double value, double best) { return value * codesign::kClose <= best; }

}  // namespace

FoundMachine found_machine(const explore::Row& row, const explore::Specification& specification) {
    FoundMachine machine{row.point, {}, {}};
    for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
        machine.knobs.emplace_back(specification.space.knobs()[i].name,
                                   knob_value(specification.space.value(row.point, i)));
    for (std::size_t i = 0; i < row.values.size(); ++i)
        machine.metrics.emplace_back(specification.metrics[i].name, row.values[i]);
    return machine;
}

std::string plain_value_text(double value) { return fmt::format("{:.10g}", value); }

std::string knob_text(const KnobValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : plain_value_text(std::get<double>(value));
}

std::string metric_text(const std::string& metric, double value) {
    if (metric.ends_with("energy_pj")) return energy_text(value);
    if (metric == "edp_pj_cycles") return figure_text(value * 1e-12) + " J*cycles";
    if (metric.ends_with("_cycles")) return count_text(std::round(value)) + " cycles";
    if (metric.ends_with("_um2")) return area_text(value);
    if (metric == "area_mm2") return figure_text(value) + " mm2";
    return plain_value_text(value);
}

namespace {

// Every machine has one fate; one mapped early may lie in a box ruled out later.
std::string fates_text(const codesign::Counts& counts, std::int64_t machines, const ProofWords& words) {
    const std::int64_t decided = machines - counts.worse - counts.impossible;
    const std::int64_t early = counts.mapped - decided;
    return fmt::format(
        "of {} {}s {} are ruled out with their boxes, {} are beyond a limit with theirs and {} are decided by their "
        "{}{}\n",
        count_text(machines), words.machine, count_text(counts.worse), count_text(counts.impossible),
        count_text(decided), words.mappings,
        early > 0 ? fmt::format("; {} more were {} before their boxes were ruled out", count_text(early), words.mapped)
                  : "");
}

}  // namespace

const ProofWords& proof_words(std::string_view subject) {
    static constexpr ProofWords kMachines{"machine", "mapped", "mappings", "the optimal mapper", "unproven layers"};
    static constexpr ProofWords kPackages{"package", "planned", "plans", "the search for plans", "unproven plans"};
    return subject == "packages" ? kPackages : kMachines;
}

std::string proof_counts_text(const codesign::Counts& counts, std::int64_t machines, bool proven,
                              const ProofWords& words) {
    return fmt::format(
        "{} boxes looked at: {} beyond a limit, {} ruled out by quick floors, {} by floors of {} ({} found)\n{} {}s "
        "{}, {} of them not valid; {}",
        count_text(counts.boxes), count_text(counts.empty_cuts), count_text(counts.quick_cuts),
        count_text(counts.floor_cuts), words.mapper, count_text(counts.floors), count_text(counts.mapped),
        words.machine, words.mapped, count_text(counts.invalid),
        proven ? fates_text(counts, machines, words)
               : fmt::format("{} so far ruled out with their boxes, {} beyond a limit with theirs\n",
                             count_text(counts.worse), count_text(counts.impossible)));
}

std::vector<views::Card> cards_of_counts(const codesign::Counts& counts) {
    return {{"Machines mapped", count_text(counts.mapped), count_text(counts.invalid) + " of them not valid"},
            {"Ruled out by floors", count_text(counts.worse), "machines, with their boxes"},
            {"Beyond a limit", count_text(counts.impossible), "machines, with their boxes"},
            {"Boxes", count_text(counts.boxes), count_text(counts.floors) + " floors of the optimal mapper"}};
}

NamedNumbers cuts_by_knob(const std::vector<std::int64_t>& cuts, const explore::Space& space) {
    NamedNumbers named;
    for (std::size_t knob = 0; knob < cuts.size(); ++knob)
        named.emplace_back(space.knobs()[knob].name, static_cast<double>(cuts[knob]));
    return named;
}

std::vector<views::Figure> reason_figures(const codesign::Counts& counts, const NamedNumbers& cuts,
                                          const std::string& of) {
    const auto machines = [](std::int64_t count) { return static_cast<double>(count); };
    std::vector<views::Figure> figures;
    figures.push_back(
        {kProofKind,
         of + ": most machines are never mapped; bounds of whole boxes of them rule them out. A machine "
              "that was mapped early may lie in a box that was ruled out later.",
         plot::StackedBars{
             "Boxes ruled out, and why",
             {"beyond a limit", "quick floors", "mapper's floors", "mapped, not valid", "mapped, valid"},
             {"machines", "", false},
             {{"machines",
               {machines(counts.impossible), machines(counts.quick_worse), machines(counts.worse - counts.quick_worse),
                machines(counts.invalid), machines(counts.mapped - counts.invalid)}}}},
         ""});
    plot::StackedBars along{"Knobs that boxes were cut along", {}, {"boxes", "", false}, {{"boxes", {}}}};
    double all = 0.0;
    for (const auto& [knob, boxes] : cuts) {
        along.bars.push_back(knob);
        along.parts.front().values.push_back(boxes);
        all += boxes;
    }
    if (all > 0.0)
        figures.push_back({kProofKind,
                           of + ": a box is cut in two along the knob whose halves promise least; a knob that is cut "
                                "often decides most.",
                           std::move(along), ""});
    return figures;
}

MetricAxis metric_axis(const std::string& metric) {
    if (metric == "energy_pj") return {"energy", "J", 1e-12};
    if (metric == "edp_pj_cycles") return {"EDP", "J*cycles", 1e-12};
    if (metric == "latency_cycles") return {"latency", "cycles", 1.0};
    if (metric == "area_mm2") return {"area", "mm2", 1.0};
    return {metric, "", 1.0};
}

std::string worth_text(const KnobWorth& worth, double best) {
    const auto worse = [&](double value) { return fmt::format("{:.2f} %", 100.0 * (value / best - 1.0)); };
    if (worth.of_best) return "the best machine has it";
    if (worth.proven && !worth.found) return "no valid machine has it";
    if (worth.found && as_good(*worth.found, best)) return "as good";
    if (worth.proven) return worse(*worth.found) + " worse";
    const double least = worth.least.value_or(0.0);
    const std::string floor = as_good(least, best) ? "perhaps as good" : "at least " + worse(least) + " worse";
    return worth.found ? floor + ", at most " + worse(*worth.found) + " worse" : floor;
}

std::vector<KnobWorth> knob_worth(const std::vector<codesign::Held>& all, const explore::Space& space,
                                  const codesign::Best& best) {
    std::vector<KnobWorth> worth;
    for (const codesign::Held& held : all) {
        const explore::Knob& knob = space.knobs()[held.knob];
        KnobWorth one{knob.name, knob.values[held.position], held.machines, {}, {}, {}, held.proven};
        if (std::isfinite(held.bound)) one.least = held.bound;
        one.of_best = space.position(best.point, held.knob) == held.position;
        if (held.best) {
            one.found = held.best->value;
            one.point = held.best->point;
        }
        worth.push_back(std::move(one));
    }
    return worth;
}

Table worth_table(const BestMachineReport& report) {
    Table table({"knob", "value", "the best machine with it", "point", "machines"}, "lrlrr");
    std::string last;
    for (const KnobWorth& worth : report.worth) {
        if (!last.empty() && worth.knob != last) table.rule();
        last = worth.knob;
        table.add({worth.knob, worth.value, worth_text(worth, report.value.value()),
                   worth.point ? std::to_string(*worth.point) : "-", count_text(worth.machines)});
    }
    return table;
}

}  // namespace tilewright::report
