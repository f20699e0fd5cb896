#include "compare_mappers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "frontend/timeloop/search_options.hpp"
#include "interrupt.hpp"
#include "output.hpp"
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
    settle(inputs, comparison);
    const std::vector<DistinctLayer> shapes = distinct_layers(network);
    std::vector<Task> tasks;
    tasks.reserve(shapes.size());
    for (const DistinctLayer& shape : shapes) {
        comparison.layers.push_back({network.layers[shape.layers.front()].name, shape.repeats, {}});
        tasks.push_back({shape.einsum, architecture, inputs.constraints(architecture, shape.einsum)});
    }
    const std::vector<std::string> notes = inputs.notes();
    comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
    search_all(tasks, comparison);
    for (const auto& [file, bytes] : csv_file(csv, csv.empty() ? "" : report::mappers_csv(comparison)))
        write_file(file, bytes);
    if (csv == kStandardOutput)
        print(report::mappers_csv(comparison));
    else
        print(json ? report::mappers_json(comparison) : report::mappers_text(comparison));
    if (comparison.interrupted) return ExitStatus::interrupted;
    return comparison.layers.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

void MapperComparer::settle(const Inputs& inputs, report::MapperComparison& comparison) {
    if (factors_.empty()) factors_ = {timeloop::read_search_options(inputs.root()).factors.value_or("perfect")};
    if (runs_.value_or(1) < 1) fail_usage("compare", "--runs takes at least 1");
    if (!plan_.victory) plan_.victory = 0;
    if (*plan_.victory == 0 && !plan_.evaluations && !plan_.time_limit_seconds) plan_.evaluations = kDefaultEvaluations;
    plan_.mapper = mappers_.front();
    for (std::string& note : plan_.resolve(inputs.root())) comparison.notes.push_back(std::move(note));
    if (plan_.objective == "pareto") fail_usage("compare", "mappers are compared by one number, not by a front");
    comparison.objective = plan_.objective;
    for (const std::string& mapper : mappers_)
        for (const std::string& factors : factors_) comparison.contestants.push_back({mapper, factors});
    comparison.provenance = provenance("compare", inputs.read());
    comparison.provenance.seed = static_cast<std::uint64_t>(plan_.seed.value_or(1));
    for (auto& option : plan_.for_the_report())
        if (option.first != "mapper") comparison.provenance.options.push_back(std::move(option));
    comparison.provenance.options.emplace_back("runs", std::to_string(runs_.value_or(1)));
}

void MapperComparer::search_all(const std::vector<Task>& tasks, report::MapperComparison& comparison) {
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(true);
    const double searches =
        static_cast<double>(tasks.size() * comparison.contestants.size()) * static_cast<double>(runs_.value_or(1));
    std::vector<report::ComparedLayer> searched;
    for (std::size_t i = 0; i < tasks.size() && !stop.requested(); ++i) {
        report::ComparedLayer& layer = comparison.layers[i];
        line.show(fmt::format("[{}/{}] {}", i + 1, tasks.size(), layer.name), true);
        if (!search_layer(tasks[i], stop, comparison, searches, layer)) break;
        if (layer.best())
            searched.push_back(std::move(layer));
        else
            comparison.notes.push_back(note_about(layer, comparison));
    }
    comparison.layers = std::move(searched);
    comparison.interrupted = interrupt.happened();
}

// False when interrupted before every contestant had all its runs.
bool MapperComparer::search_layer(const Task& task, const StopSource& stop, const report::MapperComparison& comparison,
                                  double searches, report::ComparedLayer& layer) {
    std::optional<double> seconds;
    if (plan_.time_limit_seconds) seconds = *plan_.time_limit_seconds / searches;
    for (const report::Contestant& contestant : comparison.contestants) {
        SearchPlan plan = plan_;
        plan.mapper = contestant.mapper;
        plan.factors = contestant.factors;
        std::vector<report::MapperRun>& runs = layer.runs.emplace_back();
        for (std::int64_t run = 0; run < runs_.value_or(1); ++run) {
            plan.seed = plan_.seed.value_or(1) + run;
            runs.push_back(run_of(search_task(task, plan, stop, seconds), static_cast<std::uint64_t>(*plan.seed)));
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
