#include "report/comparison/mapper_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright {

void fields(yaml::Archive& archive, Improvement& improvement) {
    archive.name("Improvement");
    archive("evaluations", improvement.evaluations, "so far, this one counted");
    archive("seconds", improvement.seconds, "of wall clock; differs from run to run");
    archive("energy_pj", improvement.cost.energy_pj);
    archive("cycles", improvement.cost.cycles);
    archive("score", improvement.score.value, "what the objective makes of them");
}

}  // namespace tilewright

namespace tilewright::report {

void fields(yaml::Archive& archive, Contestant& contestant) {
    archive.name("Contestant");
    archive("mapper", contestant.mapper);
    archive("factors", contestant.factors);
}

void fields(yaml::Archive& archive, MapperRun& run) {
    archive.name("Run");
    archive("seed", run.seed);
    archive("evaluations", run.evaluations);
    archive("seconds", run.seconds);
    archive("stopped_by", run.stopped_by);
    archive("improvements", run.improvements, "every mapping that was better than all before it");
}

}  // namespace tilewright::report

namespace tilewright::document {

void fields(yaml::Archive& archive, CurvePoint& point) {
    archive.name("CurvePoint", "geometric mean over the layers of score / best");
    archive("spent", point.spent);
    archive("relative", point.relative, "by contestant; null while a layer has no mapping");
}

void fields(yaml::Archive& archive, ContestantRuns& contestant) {
    archive("final", contestant.in_the_end, "mean over the runs");
    archive("runs", contestant.runs);
}

void fields(yaml::Archive& archive, ComparedLayer& layer) {
    archive.name("Layer");
    archive("name", layer.name);
    archive("repeats", yaml::Positive{layer.repeats});
    archive("best", layer.best, "the least score that anyone found");
    archive("contestants", layer.contestants, "in the order of the document's");
}

void fields(yaml::Archive& archive, Mappers& mappers) {
    begin(archive, "tilewright-mappers/1", mappers.provenance);
    archive("interrupted", mappers.interrupted, "layers that were not searched to the end are left out");
    archive("notes", mappers.notes);
    archive("architecture", mappers.architecture);
    archive("network", mappers.network);
    archive("objective", mappers.objective);
    archive("contestants", mappers.contestants);
    archive("by_evaluations", mappers.by_evaluations);
    archive("by_seconds", mappers.by_seconds);
    archive("layers", mappers.layers);
}

}  // namespace tilewright::document

namespace tilewright::report {
namespace {

double spent_at(const Improvement& improvement, Effort effort) {
    return effort == Effort::evaluations ? static_cast<double>(improvement.evaluations) : improvement.seconds;
}

double spent_by(const MapperRun& run, Effort effort) {
    return effort == Effort::evaluations ? static_cast<double>(run.evaluations) : run.seconds;
}

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

document::ComparedLayer document_of(const ComparedLayer& layer) {
    document::ComparedLayer out{layer.name, layer.repeats, layer.best(), {}};
    for (const std::vector<MapperRun>& runs : layer.runs) out.contestants.push_back({final_score(runs), runs});
    return out;
}

std::vector<document::CurvePoint> curve_of(const MapperComparison& comparison, Effort effort) {
    std::vector<document::CurvePoint> curve;
    for (const double spent : checkpoints(comparison, effort)) {
        curve.push_back({spent, {}});
        for (std::size_t c = 0; c < comparison.contestants.size(); ++c)
            curve.back().relative.push_back(relative_score(comparison, c, effort, spent));
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
    if (comparison.interrupted) text += "  note: interrupted\n";
    return text;
}

std::string mappers_json(const MapperComparison& comparison) {
    document::Mappers out{comparison.provenance,
                          comparison.interrupted,
                          comparison.notes,
                          comparison.architecture,
                          comparison.network,
                          comparison.objective,
                          comparison.contestants,
                          curve_of(comparison, Effort::evaluations),
                          curve_of(comparison, Effort::seconds),
                          {}};
    for (const ComparedLayer& layer : comparison.layers) out.layers.push_back(document_of(layer));
    return dumped(yaml::place_of(out));
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
