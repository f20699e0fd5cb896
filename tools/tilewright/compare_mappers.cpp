#include "compare_mappers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "frontend/timeloop/mapspace/search_options.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "run/search.hpp"
#include "status_line.hpp"

namespace tilewright::cli {
namespace {

constexpr std::int64_t kDefaultEvaluations = 10'000;

report::MapperRun run_of(const SearchResult& found, std::uint64_t seed) {
    return {seed, found.statistics.evaluations, found.statistics.seconds, std::string(stop_reason_text(found.stopped)),
            found.improvements};
}

}  // namespace

void MapperComparer::declare(Options& options) {
    options.group("Mappers side by side");
    options.value("mappers", 'm', "LIST", "compare these mappers instead of accountings", &mappers_).choices =
        mapper_names();
    options.value("factors", 0, "LIST", "each with these factor rules (default perfect)", &factors_).choices =
        SearchPlan::factor_rules();
    options.value("runs", 0, "N", "searches with different seeds, for the mean (default 1)", &runs_);
    plan_.declare_effort(options);
}

ExitStatus MapperComparer::run(Inputs& inputs, bool json, const std::string& csv) {
    report::MapperComparison comparison;
    const Architecture architecture = inputs.architecture();
    const Network network = inputs.network();
    comparison.architecture = architecture.name;
    comparison.network = network.name;
    const MapOptions options = settle(inputs, comparison);
    const NetworkProblem problem = network_problem(
        network, architecture, [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
    for (const ShapeProblem& shape : problem.shapes)
        comparison.layers.push_back({shape.names.front(), shape.repeats, {}});
    const std::vector<std::string> notes = inputs.notes();
    comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
    search_all(problem, options, comparison);
    for (const auto& [file, bytes] : csv_file(csv, csv.empty() ? "" : report::mappers_csv(comparison)))
        write_file(file, bytes);
    if (csv == kStandardOutput)
        print(report::mappers_csv(comparison));
    else
        print(json ? report::mappers_json(comparison) : report::mappers_text(comparison));
    if (comparison.interrupted) return ExitStatus::interrupted;
    return comparison.layers.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

MapOptions MapperComparer::settle(const Inputs& inputs, report::MapperComparison& comparison) {
    if (factors_.empty()) factors_ = {timeloop::read_search_options(inputs.root()).factors.value_or("perfect")};
    if (runs_.value_or(1) < 1) fail_usage("compare", "--runs takes at least 1");
    if (!plan_.victory) plan_.victory = 0;
    if (*plan_.victory == 0 && !plan_.evaluations && !plan_.time_limit_seconds) plan_.evaluations = kDefaultEvaluations;
    plan_.mapper = mappers_.front();
    const SearchSettings settings = plan_.settle(inputs.root());
    comparison.notes.insert(comparison.notes.end(), settings.notes.begin(), settings.notes.end());
    if (settings.map.objective.kind == ObjectiveKind::pareto)
        fail_usage("compare", "mappers are compared by one number, not by a front");
    comparison.objective = settings.objective;
    for (const std::string& mapper : mappers_)
        for (const std::string& factors : factors_) comparison.contestants.push_back({mapper, factors});
    comparison.provenance = provenance("compare", inputs.read());
    comparison.provenance.seed = settings.map.seed;
    for (const auto& option : settings.for_the_report)
        if (option.first != "mapper") comparison.provenance.options.push_back(option);
    comparison.provenance.options.emplace_back("runs", std::to_string(runs_.value_or(1)));
    return settings.map;
}

void MapperComparer::search_all(const NetworkProblem& problem, const MapOptions& options,
                                report::MapperComparison& comparison) {
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(true);
    const std::size_t shapes = problem.shapes.size();
    MapOptions one = options;
    if (options.time_limit_seconds)
        *one.time_limit_seconds /=
            static_cast<double>(shapes * comparison.contestants.size()) * static_cast<double>(runs_.value_or(1));
    std::vector<report::ComparedLayer> searched;
    for (std::size_t i = 0; i < shapes && !stop.requested(); ++i) {
        report::ComparedLayer& layer = comparison.layers[i];
        line.show(fmt::format("[{}/{}] {}", i + 1, shapes, layer.name), true);
        if (!search_shape(problem.shapes[i].layer, one, stop, comparison, layer)) break;
        if (layer.best())
            searched.push_back(std::move(layer));
        else
            comparison.notes.push_back(note_about(layer, comparison));
    }
    comparison.layers = std::move(searched);
    comparison.interrupted = interrupt.happened();
}

// False when interrupted before every contestant had all its runs. `options`: of all but the contestant and the seed.
bool MapperComparer::search_shape(const LayerProblem& problem, const MapOptions& options, const StopSource& stop,
                                  const report::MapperComparison& comparison, report::ComparedLayer& layer) const {
    for (const report::Contestant& contestant : comparison.contestants) {
        MapOptions own = options;
        own.mapper = mapper_kind_named(contestant.mapper).value();
        own.factors = factor_rule_named(contestant.factors).value_or(FactorRule::perfect);
        std::vector<report::MapperRun>& runs = layer.runs.emplace_back();
        for (std::int64_t run = 0; run < runs_.value_or(1); ++run) {
            own.seed = options.seed + static_cast<std::uint64_t>(run);
            runs.push_back(run_of(search_layer(problem, own, &stop), own.seed));
            if (stop.requested()) return false;
        }
    }
    return true;
}

std::string MapperComparer::note_about(const report::ComparedLayer& layer,
                                       const report::MapperComparison& comparison) const {
    std::string note = "layer '" + layer.name + "' is left out, nobody found a mapping";
    for (std::size_t c = 0; c < layer.runs.size(); ++c)
        note += "; " + comparison.contestants[c].name() + ": " + layer.runs[c].front().stopped_by;
    return note;
}

}  // namespace tilewright::cli
