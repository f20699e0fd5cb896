#include "report/comparison/mapper_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/json_parts.hpp"
#include "report/parts/csv_cell.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

double spent_at(const Improvement& improvement, Effort effort) {
    return effort == Effort::evaluations ? static_cast<double>(improvement.evaluations) : improvement.seconds;
}

double spent_by(const MapperRun& run, Effort effort) {
    return effort == Effort::evaluations ? static_cast<double>(run.evaluations) : run.seconds;
}

// What everybody had in the end.
std::optional<double> final_score(const std::vector<MapperRun>& runs) {
    double most = 0.0;
    for (const MapperRun& run : runs) most = std::max(most, spent_by(run, Effort::evaluations));
    return mean_score(runs, Effort::evaluations, most);
}

std::optional<double> relative(const std::optional<double>& score, const std::optional<double>& best) {
    if (!score || !best || *best <= 0.0) return std::nullopt;
    return *score / *best;
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

std::string spent_text(Effort effort, double spent) {
    return effort == Effort::evaluations ? count_text(static_cast<std::int64_t>(spent)) : si_text(spent, "s");
}

std::string curve_text(const MapperComparison& comparison, Effort effort) {
    std::vector<std::string> names{effort == Effort::evaluations ? "evaluations" : "time"};
    for (const Contestant& contestant : comparison.contestants) names.push_back(contestant.name());
    Table table(names, std::string(names.size(), 'r'));
    for (const double spent : checkpoints(comparison, effort)) {
        std::vector<std::string> row{spent_text(effort, spent)};
        for (std::size_t c = 0; c < comparison.contestants.size(); ++c)
            row.push_back(cell(relative_score(comparison, c, effort, spent)));
        table.add(std::move(row));
    }
    return table.text();
}

std::string layers_text(const MapperComparison& comparison) {
    std::vector<std::string> names{"layer", "best"};
    for (const Contestant& contestant : comparison.contestants) names.push_back(contestant.name());
    Table table(names, "l" + std::string(names.size() - 1, 'r'));
    for (const ComparedLayer& layer : comparison.layers) {
        const std::optional<double> best = layer.best();
        std::vector<std::string> row{layer.name, best ? figure_text(*best) : "-"};
        for (const std::vector<MapperRun>& runs : layer.runs) row.push_back(cell(relative(final_score(runs), best)));
        table.add(std::move(row));
    }
    return table.text();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const MapperRun& run) {
    Json json{
        {"seed", run.seed}, {"evaluations", run.evaluations}, {"seconds", run.seconds}, {"stopped_by", run.stopped_by}};
    json["improvements"] = Json::array();
    for (const Improvement& improvement : run.improvements)
        json["improvements"].push_back({{"evaluations", improvement.evaluations},
                                        {"seconds", improvement.seconds},
                                        {"energy_pj", improvement.cost.energy_pj},
                                        {"cycles", improvement.cost.cycles},
                                        {"score", improvement.score.value}});
    return json;
}

Json json_of(const ComparedLayer& layer) {
    Json json{{"name", layer.name}, {"repeats", layer.repeats}, {"best", or_null(layer.best())}};
    json["contestants"] = Json::array();
    for (const std::vector<MapperRun>& runs : layer.runs) {
        Json contestant{{"final", or_null(final_score(runs))}, {"runs", Json::array()}};
        for (const MapperRun& run : runs) contestant["runs"].push_back(json_of(run));
        json["contestants"].push_back(contestant);
    }
    return json;
}

Json curve_json(const MapperComparison& comparison, Effort effort) {
    Json curve = Json::array();
    for (const double spent : checkpoints(comparison, effort)) {
        Json relative = Json::array();
        for (std::size_t c = 0; c < comparison.contestants.size(); ++c)
            relative.push_back(or_null(relative_score(comparison, c, effort, spent)));
        curve.push_back({{"spent", spent}, {"relative", relative}});
    }
    return curve;
}

}  // namespace

std::optional<double> ComparedLayer::best() const {
    std::optional<double> best;
    for (const std::vector<MapperRun>& contestant : runs)
        for (const MapperRun& run : contestant)
            if (!run.improvements.empty() && (!best || run.improvements.back().score.value < *best))
                best = run.improvements.back().score.value;
    return best;
}

std::vector<double> checkpoints(const MapperComparison& comparison, Effort effort) {
    double most = 0.0;
    for (const ComparedLayer& layer : comparison.layers)
        for (const std::vector<MapperRun>& runs : layer.runs)
            for (const MapperRun& run : runs) most = std::max(most, spent_by(run, effort));
    std::vector<double> points;
    const double unit = effort == Effort::evaluations ? 1.0 : 1e-3;
    for (double ten = 1.0; ten * unit < most; ten *= 10.0)
        for (const double step : {1.0, 2.0, 5.0})
            if (step * ten * unit < most) points.push_back(step * ten * unit);
    if (most > 0.0) points.push_back(most);
    return points;
}

std::optional<double> mean_score(const std::vector<MapperRun>& runs, Effort effort, double spent) {
    if (runs.empty()) return std::nullopt;
    double sum = 0.0;
    for (const MapperRun& run : runs) {
        const auto end = std::partition_point(run.improvements.begin(), run.improvements.end(),
                                              [&](const Improvement& i) { return spent_at(i, effort) <= spent; });
        if (end == run.improvements.begin()) return std::nullopt;
        sum += (end - 1)->score.value;
    }
    return sum / static_cast<double>(runs.size());
}

std::optional<double> relative_score(const MapperComparison& comparison, std::size_t contestant, Effort effort,
                                     double spent) {
    double logarithms = 0.0;
    for (const ComparedLayer& layer : comparison.layers) {
        const auto score = relative(mean_score(layer.runs[contestant], effort, spent), layer.best());
        if (!score) return std::nullopt;
        logarithms += std::log(*score);
    }
    return std::exp(logarithms / static_cast<double>(comparison.layers.size()));
}

std::string mappers_text(const MapperComparison& comparison) {
    std::string text = fmt::format(
        "Mappers on {} and {}: {}\n  best so far over the best that anyone found (1 is best): mean of {} runs, "
        "geometric "
        "mean of {} layers\n\n",
        comparison.network.empty() ? "one layer" : comparison.network, comparison.architecture, comparison.objective,
        comparison.layers.empty() ? 0 : comparison.layers.front().runs.front().size(), comparison.layers.size());
    text += curve_text(comparison, Effort::evaluations) + "\n" + curve_text(comparison, Effort::seconds) +
            "\n  in the end, by layer\n\n" + layers_text(comparison);
    if (!comparison.notes.empty() || comparison.interrupted) text += "\n";
    for (const std::string& note : comparison.notes) text += "  note: " + note + "\n";
    if (comparison.interrupted) text += "  note: interrupted; layers that were not searched to the end are left out\n";
    return text;
}

std::string mappers_json(const MapperComparison& comparison) {
    Json json = document("tilewright-mappers/1", comparison.provenance);
    json["interrupted"] = comparison.interrupted;
    json["notes"] = comparison.notes;
    json["architecture"] = comparison.architecture;
    json["network"] = comparison.network;
    json["objective"] = comparison.objective;
    json["contestants"] = Json::array();
    for (const Contestant& contestant : comparison.contestants)
        json["contestants"].push_back({{"mapper", contestant.mapper}, {"factors", contestant.factors}});
    json["by_evaluations"] = curve_json(comparison, Effort::evaluations);
    json["by_seconds"] = curve_json(comparison, Effort::seconds);
    json["layers"] = Json::array();
    for (const ComparedLayer& layer : comparison.layers) json["layers"].push_back(json_of(layer));
    return dumped(json);
}

std::string mappers_csv(const MapperComparison& comparison) {
    std::string csv = "layer,mapper,factors,effort,spent,score,relative\n";
    for (const Effort effort : {Effort::evaluations, Effort::seconds})
        for (const double spent : checkpoints(comparison, effort))
            for (std::size_t c = 0; c < comparison.contestants.size(); ++c) {
                const Contestant& contestant = comparison.contestants[c];
                const std::string key = fmt::format("{},{},{},{}", contestant.mapper, contestant.factors,
                                                    effort == Effort::evaluations ? "evaluations" : "seconds", spent);
                for (const ComparedLayer& layer : comparison.layers) {
                    const auto score = mean_score(layer.runs[c], effort, spent);
                    csv += fmt::format("{},{},{},{}\n", csv_cell(layer.name), key, csv_number(score),
                                       csv_number(relative(score, layer.best())));
                }
                csv += fmt::format("*,{},,{}\n", key, csv_number(relative_score(comparison, c, effort, spent)));
            }
    return csv;
}

}  // namespace tilewright::report
