#include "verbs/compare/compare_mappers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "mapper/by_name/by_name.hpp"
#include "output/output.hpp"
#include "run/composition.hpp"
#include "run/explore/design_knobs.hpp"
#include "run/search.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "timeloop/files/search_options.hpp"
#include "verbs/evaluate/evaluation.hpp"

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
        factor_rule_names();
    options.value("runs", 0, "N", "searches with different seeds, for the mean (default 1)", &runs_).at_least(1);
    plan_.declare_effort(options);
    plan_.declare_timeloops(options);
    std::vector<std::string> timeloops;
    for (const std::string& name : mapper_names())
        if (is_timeloops(mapper_kind_named(name).value())) timeloops.push_back("mappers=" + name);
    options.only_with({"streams", "timeout"}, std::move(timeloops), "{} is for the mappers timeloop-...");
    options.only_with({"factors", "runs"}, {"mappers"});
    options.not_with({"objective=pareto"}, {"mappers"}, "mappers are compared by one number, not by a front");
}

ExitStatus MapperComparer::run(Inputs& inputs, bool json, const std::string& csv) {
    report::MapperComparison comparison;
    const Architecture architecture = inputs.architecture();
    inputs.take_words();
    const Network network = inputs.network();
    comparison.architecture = architecture.name;
    comparison.network = network.name;
    std::vector<MapOptions> contestants = settle(inputs, comparison);
    const NetworkProblem problem = inputs.problem(network, architecture);
    for (const MapOptions& contestant : contestants)
        refuse_for("compare", refusal(capabilities_of(problem, contestant)));
    for (const ShapeProblem& shape : problem.shapes)
        comparison.layers.push_back({shape.names.front(), shape.repeats, {}});
    const std::vector<std::string> notes = inputs.notes();
    comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
    search_all(problem, std::move(contestants), comparison);
    for (const auto& [file, bytes] : csv_file(csv, csv.empty() ? "" : report::mappers_csv(comparison)))
        write_file(file, bytes);
    if (csv == kStandardOutput)
        print(report::mappers_csv(comparison));
    else
        print(json ? report::mappers_json(comparison) : report::mappers_text(comparison));
    if (comparison.interrupted) return ExitStatus::interrupted;
    return comparison.layers.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

// By contestant.
std::vector<MapOptions> MapperComparer::settle(const Inputs& inputs, report::MapperComparison& comparison) {
    if (factors_.empty()) factors_ = {timeloop::read_search_options(inputs.root()).factors.value_or("perfect")};
    if (!plan_.victory) plan_.victory = 0;
    if (*plan_.victory == 0 && !plan_.evaluations && !plan_.time_limit_seconds) plan_.evaluations = kDefaultEvaluations;
    comparison.provenance = provenance("compare", inputs.read());
    std::vector<MapOptions> contestants;
    for (const std::string& mapper : mappers_) {
        const PlannedSearch search = settle_one(inputs, mapper);
        add_notes(search.notes, comparison.notes);
        comparison.objective = search.objective;
        comparison.provenance.seed = search.map.seed;
        for (const auto& option : search.for_the_report)
            if (option.first != "mapper" &&
                std::ranges::find(comparison.provenance.options, option) == comparison.provenance.options.end())
                comparison.provenance.options.push_back(option);
        for (const std::string& factors : factors_) {
            comparison.contestants.push_back({mapper, factors});
            contestants.push_back(search.map);
            contestants.back().factors = factor_rule_named(factors).value_or(FactorRule::perfect);
        }
    }
    comparison.provenance.options.emplace_back("runs", std::to_string(runs_.value_or(1)));
    return contestants;
}

// Of one mapper, with the options that are for it.
PlannedSearch MapperComparer::settle_one(const Inputs& inputs, const std::string& mapper) const {
    SearchPlan own = plan_;
    own.mapper = mapper;
    if (!is_timeloops(mapper_kind_named(mapper).value())) {
        own.streams.reset();
        own.timeout.reset();
    }
    return own.settle(inputs.root());
}

void MapperComparer::search_all(const NetworkProblem& problem, std::vector<MapOptions> contestants,
                                report::MapperComparison& comparison) {
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(true);
    const std::size_t shapes = problem.shapes.size();
    for (MapOptions& one : contestants)
        if (one.time_limit_seconds)
            *one.time_limit_seconds /=
                static_cast<double>(shapes * contestants.size()) * static_cast<double>(runs_.value_or(1));
    std::vector<report::ComparedLayer> searched;
    for (std::size_t i = 0; i < shapes && !stop.requested(); ++i) {
        report::ComparedLayer& layer = comparison.layers[i];
        line.show(fmt::format("[{}/{}] {}", i + 1, shapes, layer.name), true);
        const bool is_whole = search_shape(problem.shapes[i].layer, contestants, stop, layer);
        if (!is_whole && !searched.empty()) {
            comparison.notes.push_back("layers that were not searched to the end are left out");
            break;
        }
        layer.runs.resize(contestants.size());  // those that it did not come to have none
        if (!is_whole)
            comparison.notes.push_back("interrupted in '" + layer.name +
                                       "': its row has what was found by then, not with the same effort of all");
        if (layer.best())
            searched.push_back(std::move(layer));
        else if (is_whole)
            comparison.notes.push_back(note_about(layer, comparison));
    }
    comparison.layers = std::move(searched);
    comparison.interrupted = interrupt.happened();
}

// False when interrupted before every contestant had all its runs.
bool MapperComparer::search_shape(const LayerProblem& problem, const std::vector<MapOptions>& contestants,
                                  const StopSource& stop, report::ComparedLayer& layer) const {
    for (MapOptions own : contestants) {
        const std::uint64_t first_seed = own.seed;
        std::vector<report::MapperRun>& runs = layer.runs.emplace_back();
        for (std::int64_t run = 0; run < runs_.value_or(1); ++run) {
            own.seed = first_seed + static_cast<std::uint64_t>(run);
            runs.push_back(run_of(search_layer(problem, own, &stop), own.seed));
            if (stop.requested()) return false;
        }
    }
    return true;
}

std::string MapperComparer::note_about(const report::ComparedLayer& layer,
                                       const report::MapperComparison& comparison) const {
    std::string note = "layer '" + layer.name + "' is left out, no mapper found a mapping";
    for (std::size_t c = 0; c < layer.runs.size(); ++c)
        note += "; " + comparison.contestants[c].name() + ": " + layer.runs[c].front().stopped_by;
    return note;
}

}  // namespace tilewright::cli
