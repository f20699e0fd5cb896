#include "verbs/evaluate/zigzag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "options/search.hpp"
#include "report/csv.hpp"
#include "run/zigzag/map.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "zigzag/files/mapping.hpp"

namespace tilewright::cli {
namespace {

// The layers that were asked for. `missing`: what to say where there is no mapping file.
ZigzagProblem asked_for(const std::string& verb, Inputs& inputs, const char* missing) {
    ZigzagInputs& files = inputs.zigzag();
    const zigzag::Accelerator& accelerator = files.accelerator(verb);
    const std::vector<zigzag::WorkloadLayer> layers = files.layers(verb);
    if (!files.has_mapping()) fail_usage(verb, missing);
    std::vector<std::string> names;
    for (const zigzag::WorkloadLayer& one : layers) names.push_back(one.layer.name);
    const std::vector<bool> wanted = inputs.wanted(names, files.network());
    std::vector<zigzag::WorkloadLayer> kept;
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (wanted[i]) kept.push_back(layers[i]);
    return zigzag_problem(accelerator, files.network(), kept, files.entries(verb));
}

// With what is known here alone: the files' notes come first.
void complete(report::ZigzagReport& report, const std::string& verb, Inputs& inputs) {
    const std::vector<std::string>& notes = inputs.zigzag().notes();
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    if (inputs.zigzag().of_several_cores()) explain_shortages_of_a_core(report);
    report.provenance = provenance(verb, inputs.read());
    report.provenance.accounting = "zigzag";
}

void refuse(const char* option, bool given, const char* why = "has no meaning for ZigZag's files") {
    if (given) fail_usage("map", fmt::format("--{} {}", option, why));
}

void refuse_what_has_no_meaning(const SearchPlan& plan) {
    refuse("factors", !plan.factors.empty());
    refuse("evaluations", plan.evaluations.has_value());
    refuse("victory", plan.victory.has_value());
    refuse("streams", plan.streams.has_value());
    refuse("timeout", plan.timeout.has_value());
    refuse("uneven", plan.uneven && plan.orders.zigzag.even, "and --even exclude each other");
    refuse("cosa-...", plan.cosa.given());
    const OrderOptions& orders = plan.orders;
    const bool all_orders = plan.mapper == "loma" || plan.mapper == "exhaustive";
    refuse("lpf-limit", orders.lpf_limit && plan.mapper != "loma", "is for --mapper loma");
    refuse("iterations", orders.iterations && all_orders, "is for searches that anneal");
    refuse("chains", orders.chains && all_orders, "is for searches that anneal");
    refuse("cooling", orders.cooling && plan.mapper != "salsa", "is for --mapper salsa");
}

ZigzagOptions zigzag_options(const SearchPlan& plan) {
    refuse_what_has_no_meaning(plan);
    plan.orders.check_values();
    ZigzagOptions options;
    if (!plan.mapper.empty()) options.map.mapper = mapper_kind_named(plan.mapper).value();
    if (!plan.objective.empty()) options.map.objective = one_objective("map", plan.objective, " for ZigZag's files");
    options.map.seed = static_cast<std::uint64_t>(plan.seed.value_or(1));
    options.map.threads = threads_of(plan.threads);
    options.map.largest_space = plan.largest_space.value_or(options.map.largest_space);
    options.map.time_limit_seconds = plan.time_limit_seconds;
    options.orders = plan.orders.on_zigzag();
    options.accounting = plan.orders.zigzag.accounting();
    refuse_for("map", problem_with(options));
    return options;
}

// The mappings of all layers as one ZigZag mapping file; "" when there is none.
std::string mappings_yaml(const report::ZigzagReport& report) {
    std::string text;
    for (const report::ZigzagLayer& one : report.layers)
        if (one.mapping) text += zigzag::write_mapping(report.accelerator, one.layer, one.unrolling, *one.mapping);
    return text;
}

}  // namespace

void ZigzagAccountOptions::declare(Options& options) {
    options.group("ZigZag's files");
    options.flag("even", 0, "zigzag: operands in one memory keep the same loops there", &even);
    options
        .value("latency", 0, "MODEL",
               "zigzag: its latency (default), or our model of stalls on ports; of other machines physical: the time "
               "as built, or plain: the model's",
               &latency)
        .choices = {"zigzag", "stalls", "physical", "plain"};
}

ZigzagAccounting ZigzagAccountOptions::accounting() const {
    return {even ? zigzag::Evenness::even : zigzag::Evenness::uneven,
            latency == "stalls" ? orders::LatencyModel::stalls : orders::LatencyModel::zigzag};
}

report::ZigzagReport evaluate_zigzag_files(const std::string& verb, Inputs& inputs,
                                           const ZigzagAccountOptions& options) {
    if (options.is_for_other_files()) fail_usage(verb, "--latency " + options.latency + " is not for ZigZag's files");
    const ZigzagProblem problem = asked_for(verb, inputs, "no mapping: give a ZigZag mapping file");
    report::ZigzagReport report = evaluate_zigzag(problem, options.accounting());
    complete(report, verb, inputs);
    report.provenance.options.emplace_back("latency", options.latency.empty() ? "zigzag" : options.latency);
    if (options.even) report.provenance.options.emplace_back("even", "true");
    return report;
}

report::ZigzagReport map_zigzag_files(Inputs& inputs, const SearchPlan& plan, bool quiet) {
    const ZigzagOptions options = zigzag_options(plan);
    const ZigzagProblem problem = asked_for("map", inputs, "no spatial mapping: give a ZigZag mapping file");
    StopSource stop;
    const Interrupt interrupt(stop);
    StatusLine line(!quiet);
    const auto progress = [&](const NetworkProgress& now) {
        line.show(fmt::format("[{}/{}] {}  {} orders costed", now.done, now.shapes,
                              problem.layers[now.shape].layer.name, count_text(now.search->sampled)));
    };
    report::ZigzagReport report = map_zigzag(problem, options, {.stop = &stop, .progress = progress});
    complete(report, "map", inputs);
    report.provenance.seed = options.map.seed;
    report.provenance.options = provenance_options(options);
    for (auto& given : plan.orders.for_the_report(report.provenance.options.front().second))
        report.provenance.options.push_back(std::move(given));
    return report;
}

ZigzagComparison compare_zigzag(const std::string& verb, Inputs& inputs, const ZigzagAccountOptions& options) {
    const report::ZigzagReport report = evaluate_zigzag_files(verb, inputs, options);
    if (report.layers.size() != 1) fail_usage(verb, "takes one layer; choose one with --layers");
    const report::ZigzagLayer& one = report.layers.front();
    if (!one.result || !one.mapping)
        throw InputError(ErrorCode::bad_value, {},
                         "layer '" + one.layer.name + "': " + list_words(report::placed_failures(one)));
    auto translated = to_chain(report.accelerator, one.layer, one.unrolling, *one.mapping);
    if (const std::string* reason = std::get_if<std::string>(&translated))
        throw InputError(ErrorCode::unsupported, {}, "layer '" + one.layer.name + "' is ZigZag's only: " + *reason);
    ZigzagComparison comparison{std::get<zigzag::Chain>(std::move(translated)), {}};
    const zigzag::Chain& chain = comparison.chain;
    const zigzag::Translation same{report.accelerator, one.layer,       one.unrolling,
                                   *one.mapping,       chain.memory_of, chain.tensor_of};
    comparison.zigzag = to_evaluation(*one.result, same, chain.einsum, chain.architecture);
    return comparison;
}

std::string show_zigzag_files(const std::string& verb, Inputs& inputs) {
    ZigzagInputs& files = inputs.zigzag();
    std::string text = files.has_workload() && files.has_mapping()
                           ? report::zigzag_nests_text(evaluate_zigzag_files(verb, inputs, {}))
                           : report::zigzag_machine_text(files.accelerator(verb));
    for (const std::string& note : files.notes()) text += "  note: " + note + "\n";
    return text;
}

void write_report(const report::ZigzagReport& report, const OutputOptions& options) {
    std::vector<NamedBytes> files;
    if (!options.directory.empty())
        if (const std::string mappings = mappings_yaml(report); !mappings.empty())
            files.emplace_back(kMappingFile, mappings);
    write_forms({report::zigzag_json(report), options.directory.empty() ? "" : report::zigzag_text(report),
                 options.csv.empty() ? "" : report::costs_csv(report), report::zigzag_summary(report)},
                options, std::move(files));
    for (const report::ZigzagLayer& one : report.layers)
        for (const std::string& failure : report::placed_failures(one))
            print_error("error: " + one.layer.name + ": " + failure);
}

bool is_complete(const report::ZigzagReport& report) {
    return std::ranges::all_of(report.layers,
                               [](const report::ZigzagLayer& layer) { return layer.result.has_value(); });
}

}  // namespace tilewright::cli
