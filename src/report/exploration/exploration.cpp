#include "report/exploration/exploration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

using explore::Row;
using explore::Specification;
using explore::Status;

std::string_view status_text(Status status) {
    switch (status) {
        case Status::valid: return "valid";
        case Status::over_limit: return "over limit";
        case Status::failed: return "failed";
    }
    return "";
}

std::string metric_text(const explore::Metric& metric, double value) {
    if (metric.name == "energy_pj") return energy_text(value);
    if (metric.name.ends_with("_cycles") && !metric.name.starts_with("edp")) return count_text(value);
    if (metric.name == "utilization") return share_text(value);
    return figure_text(value);
}

// A cell of energies has its own unit.
std::string heading(const explore::Metric& metric) { return metric.name == "energy_pj" ? metric.alias : metric.name; }

// A table on a terminal has room for the usual metrics, and for requested ones.
std::vector<std::size_t> shown_metrics(const Exploration& exploration) {
    std::vector<std::size_t> shown;
    const std::vector<explore::Metric>& metrics = exploration.specification->metrics;
    const auto limits = [&](const std::string& name) {
        const auto& all = exploration.specification->limits;
        return std::any_of(all.begin(), all.end(), [&](const explore::Condition& one) { return one.name == name; });
    };
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const bool usual = !metrics[i].alias.empty() && i < 6;
        const bool wanted =
            std::find(exploration.objectives.begin(), exploration.objectives.end(), i) != exploration.objectives.end();
        if (usual || wanted || limits(metrics[i].name)) shown.push_back(i);
    }
    return shown;
}

// One column may be drawn: the longest bar is its largest value.
std::string drawn(const Exploration& exploration, const Row& row) {
    constexpr int kWidth = 16;
    const std::size_t metric = exploration.objectives.front();
    double largest = 0.0;
    for (const Row& other : exploration.rows)
        if (other.status != Status::failed) largest = std::max(largest, other.values[metric]);
    return largest > 0.0 ? bar(row.values[metric] / largest, kWidth) : "";
}

Table table_of(const Exploration& exploration) {
    const Specification& specification = *exploration.specification;
    const std::vector<std::size_t> metrics = shown_metrics(exploration);
    const bool draws = !exploration.objectives.empty();
    std::vector<std::string> names{"point"};
    for (const explore::Knob& knob : specification.space.knobs()) names.push_back(knob.name);
    for (const std::size_t metric : metrics) names.push_back(heading(specification.metrics[metric]));
    names.emplace_back("status");
    std::string alignment(names.size() - 1, 'r');
    alignment += 'l';
    if (draws) {
        names.push_back(specification.metrics[exploration.objectives.front()].alias + " drawn");
        alignment += 'l';
    }
    Table table(names, alignment);
    for (const Row& row : exploration.rows) {
        std::vector<std::string> cells{count_text(row.point)};
        for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
            cells.push_back(specification.space.value(row.point, i));
        for (const std::size_t metric : metrics)
            cells.push_back(
                row.status == Status::failed ? "" : metric_text(specification.metrics[metric], row.values[metric]));
        cells.emplace_back(status_text(row.status));
        if (draws && row.status != Status::failed) cells.push_back(drawn(exploration, row));
        table.add(std::move(cells));
    }
    return table;
}

std::string points_text(std::int64_t count) { return count_text(count) + (count == 1 ? " point" : " points"); }

std::string counts_text(const Exploration& exploration) {
    const explore::Counts& counts = exploration.counts;
    std::string text = fmt::format("  {} of {} explored: {} evaluated", count_text(counts.explored),
                                   points_text(exploration.specification->space.size()), count_text(counts.evaluated));
    if (counts.skipped > 0) text += fmt::format(", {} skipped", count_text(counts.skipped));
    text += fmt::format(" ({} valid", count_text(counts.valid));
    if (counts.over_limit > 0) text += fmt::format(", {} over a limit", count_text(counts.over_limit));
    if (counts.failed > 0) text += fmt::format(", {} failed", count_text(counts.failed));
    text += ")\n";
    if (!exploration.complete) text += "  not complete: the same command goes on where it was stopped\n";
    if (!exploration.hash.empty()) text += fmt::format("  rows {}\n", exploration.hash);
    return text;
}

std::string failures_text(const Exploration& exploration) {
    constexpr std::size_t kMost = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, exploration.failures.size()); ++i) {
        const Row& row = exploration.failures[i];
        text += fmt::format("  failed: {}: {}\n", explore::point_text(exploration.specification->space, row.point),
                            row.message);
    }
    if (exploration.failures.size() > kMost)
        text += fmt::format("  ... and {} more\n",
                            count_text(static_cast<std::int64_t>(exploration.failures.size() - kMost)));
    return text;
}

// A knob's value as JSON: a number if it is one.
nlohmann::ordered_json json_value(const std::string& text) {
    const nlohmann::ordered_json value = nlohmann::ordered_json::parse(text, nullptr, false);
    return value.is_number() ? value : nlohmann::ordered_json(text);
}

nlohmann::ordered_json json_point(const Specification& specification, const Row& row) {
    nlohmann::ordered_json point;
    point["point"] = row.point;
    for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
        point[specification.space.knobs()[i].name] = json_value(specification.space.value(row.point, i));
    point["status"] = status_text(row.status);
    if (row.status == Status::failed)
        point["message"] = row.message;
    else
        for (std::size_t i = 0; i < specification.metrics.size(); ++i)
            point[specification.metrics[i].name] = row.values[i];
    return point;
}

nlohmann::ordered_json json_counts(const explore::Counts& counts, std::int64_t points) {
    return {{"points", points},          {"explored", counts.explored}, {"evaluated", counts.evaluated},
            {"skipped", counts.skipped}, {"valid", counts.valid},       {"over_limit", counts.over_limit},
            {"failed", counts.failed}};
}

nlohmann::ordered_json json_knobs(const explore::Space& space) {
    nlohmann::ordered_json knobs = nlohmann::ordered_json::array();
    for (const explore::Knob& knob : space.knobs()) {
        nlohmann::ordered_json values = nlohmann::ordered_json::array();
        for (const std::string& value : knob.values) values.push_back(json_value(value));
        knobs.push_back({{"name", knob.name}, {"values", std::move(values)}});
    }
    return knobs;
}

std::string dumped(const nlohmann::ordered_json& document, int indent) {
    return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string exploration_text(const Exploration& exploration) {
    std::string text = exploration.title + "\n" + std::string(exploration.title.size(), '=') + "\n";
    const Table table = table_of(exploration);
    if (!exploration.selection.empty()) text += "  " + exploration.selection + "\n";
    text += exploration.rows.empty() ? "  no points\n" : table.text();
    if (exploration.left_out > 0)
        text += fmt::format("  ... and {} more; --top {} shows them\n", count_text(exploration.left_out),
                            exploration.left_out + static_cast<std::int64_t>(exploration.rows.size()));
    text += "\n" + counts_text(exploration) + failures_text(exploration);
    for (const std::string& note : exploration.notes) text += "  note: " + note + "\n";
    return text;
}

std::string exploration_csv(const Specification& specification, const std::vector<Row>& rows) {
    std::string text = "point";
    for (const explore::Knob& knob : specification.space.knobs()) text += "," + csv_cell(knob.name);
    text += ",status";
    for (const explore::Metric& metric : specification.metrics) text += "," + csv_cell(metric.name);
    text += "\n";
    for (const Row& row : rows) {
        text += std::to_string(row.point);
        for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
            text += "," + csv_cell(specification.space.value(row.point, i));
        text += fmt::format(",{}", status_text(row.status));
        for (std::size_t i = 0; i < specification.metrics.size(); ++i)
            text += "," + (row.status == Status::failed ? "" : csv_number(row.values[i]));
        text += "\n";
    }
    return text;
}

std::string exploration_json_lines(const Specification& specification, const std::vector<Row>& rows) {
    std::string text;
    for (const Row& row : rows) text += dumped(json_point(specification, row), -1);
    return text;
}

std::string exploration_json(const Exploration& exploration, const std::string& tool_version) {
    const Specification& specification = *exploration.specification;
    nlohmann::ordered_json document;
    document["schema"] = "tilewright-exploration/1";
    document["provenance"] = {{"tool", {{"name", "tilewright"}, {"version", tool_version}}}, {"command", "explore"}};
    document["title"] = exploration.title;
    document["knobs"] = json_knobs(specification.space);
    document["metrics"] = nlohmann::ordered_json::array();
    for (const explore::Metric& metric : specification.metrics) document["metrics"].push_back(metric.name);
    document["counts"] = json_counts(exploration.counts, specification.space.size());
    document["complete"] = exploration.complete;
    document["rows_xxh3"] = exploration.hash;
    document["selection"] = exploration.selection;
    document["points"] = nlohmann::ordered_json::array();
    for (const Row& row : exploration.rows) document["points"].push_back(json_point(specification, row));
    document["notes"] = exploration.notes;
    return dumped(document, 1);
}

}  // namespace tilewright::report
