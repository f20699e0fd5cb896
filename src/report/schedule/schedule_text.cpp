#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/schedule/schedule.hpp"

namespace tilewright::report {
namespace {

using schedule::Found;

std::string ratio_text(std::int64_t baseline, std::int64_t found) {
    return found > 0 ? fmt::format("{:.3f}", static_cast<double>(baseline) / static_cast<double>(found)) : "";
}

std::string gap_text(std::int64_t found, std::int64_t bound) {
    return bound > 0 ? fmt::format("{:.1f} %", 100.0 * (static_cast<double>(found) / static_cast<double>(bound) - 1.0))
                     : "";
}

std::string below_text(std::int64_t found, std::int64_t bound) {
    return fmt::format("{:.1f} %",
                       found > 0 ? 100.0 * static_cast<double>(found - bound) / static_cast<double>(found) : 0.0);
}

std::string tiling_text(const schedule::PerDim& tiling) {
    return fmt::format("{}x{}x{}x{}", tiling.value[0], tiling.value[1], tiling.value[2], tiling.value[3]);
}

std::string names_text(const std::vector<std::string>& names) {
    return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

// Tensors kept beside a layer: "in", "out", "in out".
std::string kept_text(const schedule::Kept& kept) {
    if (kept.input && kept.output) return "in out";
    return kept.input ? "in" : kept.output ? "out" : "";
}

void add_layer(Table& table, const ScheduledLayer& one, bool staying) {
    if (!one.answer.best) {
        table.add({names_text(one.names), count_text(one.repeats), "no schedule"});
        return;
    }
    const Found& best = *one.answer.best;
    const Found& base = *one.answer.baseline;
    std::vector<std::string> row{names_text(one.names),
                                 count_text(one.repeats),
                                 tiling_text(best.problem.tiling),
                                 count_text(best.schedule.latency_cycles),
                                 ratio_text(base.schedule.latency_cycles, best.schedule.latency_cycles),
                                 gap_text(best.schedule.latency_cycles, one.answer.bounds.latency_cycles),
                                 count_text(best.schedule.traffic_bytes),
                                 ratio_text(base.schedule.traffic_bytes, best.schedule.traffic_bytes),
                                 gap_text(best.schedule.traffic_bytes, one.answer.bounds.traffic_bytes),
                                 best.how};
    if (staying) row.insert(row.end() - 1, kept_text(one.layer.kept));
    table.add(std::move(row));
}

struct StreamedSum {
    std::int64_t latency_cycles = 0;
    std::int64_t bytes = 0;
};

StreamedSum streamed_sum(const ScheduleReport& report) {
    StreamedSum sum;
    for (const StreamedLayer& one : report.streamed) {
        sum.latency_cycles += one.latency_cycles;
        sum.bytes += one.read_bytes + one.written_bytes;
    }
    return sum;
}

std::string layers_text(const ScheduleReport& report) {
    std::vector<std::string> head{"layer", "repeats",     "tile ow x oh x ic x oc", "cycles", "speed-up",
                                  "gap",   "bytes moved", "less traffic",           "gap",    "schedule"};
    const bool staying = report.staying.has_value();
    if (staying) head.insert(head.end() - 1, "stays");
    Table table(head, staying ? "lrlrrrrrrll" : "lrlrrrrrrl");
    for (const ScheduledLayer& layer : report.layers) add_layer(table, layer, staying);
    if (report.with_elementwise && !report.streamed.empty()) {
        const StreamedSum streamed = streamed_sum(report);
        table.add({fmt::format("{} pooling and element-wise", report.streamed.size()), "", "",
                   count_text(streamed.latency_cycles), "", "", count_text(streamed.bytes)});
    }
    const ScheduleTotals sum = totals(report);
    table.rule();
    table.add({"total (with repeats)", "", "", count_text(sum.latency_cycles),
               ratio_text(sum.baseline_latency_cycles, sum.latency_cycles),
               gap_text(sum.latency_cycles, sum.latency_bound_cycles), count_text(sum.traffic_bytes),
               ratio_text(sum.baseline_traffic_bytes, sum.traffic_bytes),
               gap_text(sum.traffic_bytes, sum.traffic_bound_bytes), ""});
    return table.text();
}

// Tilings by better schedule; each of them is in report.json.
std::string tilings_text(const ScheduledLayer& layer) {
    std::size_t tried = 0;
    std::size_t listed = 0;
    std::size_t fixed = 0;
    for (const schedule::TilingResult& one : layer.tilings) {
        if (!one.fixed || !one.listed) continue;
        ++tried;
        listed += one.listed->value < one.fixed->value ? 1 : 0;
        fixed += one.fixed->value < one.listed->value ? 1 : 0;
    }
    return fmt::format(
        "{}: {} of {} tilings tried by themselves; the static order is better on {}, the list scheduler on {}\n",
        names_text(layer.names), tried, layer.tilings.size(), fixed, listed);
}

// The search's rest, and its possible worth.
std::string left_text(const ScheduleReport& report) {
    std::int64_t tilings = 0;
    int layers = 0;
    const ScheduledLayer* most = nullptr;
    for (const ScheduledLayer& one : report.layers) {
        const std::int64_t left = one.answer.dynamic_effort.tilings_left;
        if (!one.answer.best || left == 0) continue;
        tilings += left;
        ++layers;
        if (most == nullptr || gain_left(one.answer) > gain_left(most->answer)) most = &one;
    }
    if (most == nullptr) return "";
    return fmt::format(
        "{} tilings of {} layers were left (--tilings): their lower bounds do not rule out an objective up to {:.3f}\n"
        "times better ({}).\n",
        count_text(tilings), layers, gain_left(most->answer), most->names.front());
}

std::string flexer_text(const ScheduleReport& report) {
    schedule::FlexerEffort sum;
    bool any = false;
    for (const ScheduledLayer& one : report.layers) {
        if (!one.answer.flexer_effort) continue;
        any = true;
        const schedule::FlexerEffort& effort = *one.answer.flexer_effort;
        sum.tilings += effort.tilings;
        sum.ruled_out += effort.ruled_out;
        sum.schedules += effort.schedules;
        sum.given_up += effort.given_up;
        sum.alike += effort.alike;
        sum.tilings_left += effort.tilings_left;
    }
    if (!any) return "";
    return fmt::format(
        "Flexer's Algorithm 1: {} tilings, {} of them ruled out by bounds; {} schedules made, {} given up, {} like "
        "one\n"
        "before{}.\n",
        count_text(sum.tilings), count_text(sum.ruled_out), count_text(sum.schedules), count_text(sum.given_up),
        count_text(sum.alike),
        sum.tilings_left > 0 ? fmt::format("; {} tilings were left", count_text(sum.tilings_left)) : "");
}

// Gain of kept outputs, and its upper bound.
std::string staying_text(const ScheduleReport& report) {
    if (!report.staying) return "";
    const StayingOutputs& staying = *report.staying;
    const ScheduleTotals sum = totals(report);
    return fmt::format(
        "\n{} of {} outputs that only later layers read stay in the scratchpad. If none did: {} cycles, {} bytes\n"
        "moved; now {} times as fast, {} times less moved. For all choices, schedules take at least {} cycles\n"
        "({} below) and move at least {} bytes ({} below).\n",
        staying.tensors.size(), staying.might_stay, count_text(staying.alone.latency_cycles),
        count_text(staying.alone.traffic_bytes), ratio_text(staying.alone.latency_cycles, sum.latency_cycles),
        ratio_text(staying.alone.traffic_bytes, sum.traffic_bytes), count_text(staying.bound.latency_cycles),
        below_text(sum.latency_cycles, staying.bound.latency_cycles), count_text(staying.bound.traffic_bytes),
        below_text(sum.traffic_bytes, staying.bound.traffic_bytes));
}

std::string operators_text(const std::map<std::string, int>& counts) {
    std::string text;
    for (const auto& [op, count] : counts) text += fmt::format(" {} {},", count, op);
    text.back() = '\n';
    return text;
}

std::string left_out_text(const ScheduleReport& report) {
    std::map<std::string, int> counts;
    for (const UnmappedOperator& one : report.left_out) ++counts[one.op];
    if (report.with_elementwise || report.streamed.empty())
        return counts.empty() ? "" : "\nLeft out of time and traffic:" + operators_text(counts);
    std::set<std::string> named;  // a model's operators are in both lists, the zoo's are not
    for (const UnmappedOperator& one : report.left_out) named.insert(one.name);
    for (const StreamedLayer& one : report.streamed)
        if (!named.contains(one.name)) ++counts[one.op];
    const StreamedSum sum = streamed_sum(report);
    return "\nLeft out of time and traffic:" + operators_text(counts) +
           fmt::format("--with-elementwise counts {} of them: {} bytes, {} cycles.\n", report.streamed.size(),
                       count_text(sum.bytes), count_text(sum.latency_cycles));
}

struct BoundKind {
    const char* name;
    const std::optional<schedule::Found>* found;
};

std::string row(const std::string& head, const char* kind, const std::string& how, std::int64_t cycles,
                std::int64_t bytes) {
    return head + fmt::format(",{},{},{},{}\n", kind, csv_cell(how), cycles, bytes);
}

}  // namespace

ScheduleTotals totals(const ScheduleReport& report) {
    ScheduleTotals sum;
    for (const ScheduledLayer& one : report.layers) {
        if (!one.answer.best) {
            ++sum.missing;
            continue;
        }
        sum.latency_cycles += one.repeats * one.answer.best->schedule.latency_cycles;
        sum.traffic_bytes += one.repeats * one.answer.best->schedule.traffic_bytes;
        sum.baseline_latency_cycles += one.repeats * one.answer.baseline->schedule.latency_cycles;
        sum.baseline_traffic_bytes += one.repeats * one.answer.baseline->schedule.traffic_bytes;
        sum.latency_bound_cycles += one.repeats * one.answer.bounds.latency_cycles;
        sum.traffic_bound_bytes += one.repeats * one.answer.bounds.traffic_bytes;
    }
    if (!report.with_elementwise) return sum;
    const StreamedSum streamed = streamed_sum(report);
    for (std::int64_t* cycles : {&sum.latency_cycles, &sum.baseline_latency_cycles, &sum.latency_bound_cycles})
        *cycles += streamed.latency_cycles;
    for (std::int64_t* bytes : {&sum.traffic_bytes, &sum.baseline_traffic_bytes, &sum.traffic_bound_bytes})
        *bytes += streamed.bytes;
    return sum;
}

double gain_left(const schedule::LayerAnswer& answer) {
    const double least = answer.dynamic_effort.least_left;
    return answer.best && least > 0.0 ? std::max(answer.best->score.value / least, 1.0) : 1.0;
}

std::string schedule_text(const ScheduleReport& report) {
    const std::string title = report.network + " on " + report.machine.name;
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n" + layers_text(report);
    text += fmt::format(
        "\nRule '{}', objective {}. Speed-up and less traffic: the best static loop order against this schedule.\n"
        "Gaps: above a lower bound on the schedules of all tile sizes.\n",
        schedule::kLatencyRuleNames[static_cast<std::size_t>(report.rule)], to_text(report.objective));
    if (report.machine.mapped.given())
        text += fmt::format("An operation takes the cycles of the best mapping of its tile on {}.\n",
                            report.machine.mapped.core().substr(0, report.machine.mapped.core().find(' ')));
    text += flexer_text(report) + left_text(report);
    text += staying_text(report);
    for (const ScheduledLayer& layer : report.layers)
        if (!layer.tilings.empty()) text += tilings_text(layer);
    text += left_out_text(report);
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

std::string schedule_csv(const ScheduleReport& report) {
    std::string text = "network,machine,layer,repeats,schedule,how,latency_cycles,traffic_bytes\n";
    for (const ScheduledLayer& layer : report.layers) {
        const schedule::LayerAnswer& answer = layer.answer;
        const std::string head = fmt::format("{},{},{},{}", csv_cell(report.network), csv_cell(report.machine.name),
                                             csv_cell(layer.names.front()), layer.repeats);
        for (const BoundKind& kind : {BoundKind{"best", &answer.best}, BoundKind{"baseline", &answer.baseline},
                                      BoundKind{"list_scheduler", &answer.published}})
            if (const std::optional<schedule::Found>& found = *kind.found)
                text += row(head, kind.name, found->how, found->score.latency_cycles, found->score.traffic_bytes);
        if (answer.best)
            text += row(head, "bound", "", answer.bounds.latency_cycles, answer.bounds.traffic_bytes);
        else
            text += head + ",no_schedule,,,\n";
    }
    return text;
}

}  // namespace tilewright::report
