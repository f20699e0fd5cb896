#include "physical.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "evaluation.hpp"
#include "mapping/validity.hpp"
#include "run/physical/map_physically.hpp"
#include "run/physical/physical_latency.hpp"
#include "run/report_of.hpp"
#include "search_layers.hpp"
#include "silicon/gemmini/arguments.hpp"
#include "silicon/systolic/replay.hpp"
#include "verb.hpp"

namespace tilewright::cli {

silicon::Silicon silicon_of(const std::string& verb, const Inputs& inputs, const Architecture& architecture) {
    std::optional<silicon::Silicon> read = silicon::read_silicon(inputs.root(), architecture);
    if (!read)
        fail_usage(verb,
                   "--latency physical needs a machine with a section 'silicon' (docs/silicon.md), such as gemmini");
    return *std::move(read);
}

void add_cycles_as_built(const silicon::Silicon& silicon, report::Report& report) {
    bool any = false;
    for (report::LayerResult& layer : report.layers) {
        if (!layer.mapping || !layer.evaluation) continue;
        const auto latency = physical_latency(layer.einsum, report.architecture, *layer.mapping, silicon);
        if (const auto* refusal = std::get_if<std::string>(&latency)) {
            report.notes.push_back(layer.names.front() + ": no cycles as built: " + *refusal);
            continue;
        }
        any = true;
        const auto& found = std::get<PhysicalLatency>(latency);
        layer.as_built = report::AsBuilt{found.cycles, found.us * 1e-6, found.bound};
        report.notes.push_back(physical_sentence(layer.names.front(), found));
    }
    if (any) add_notes(physical_caveats(silicon), report.notes);
}

std::vector<std::string> replayed_note(const Inputs& inputs, const Architecture& architecture, const std::string& layer,
                                       const Einsum& einsum, const Mapping& mapping) {
    const auto read = silicon::read_silicon(inputs.root(), architecture);
    const auto* machine = read ? std::get_if<silicon::SystolicMachine>(&read->machine) : nullptr;
    if (machine == nullptr) return {};
    const auto tiled = silicon::tiled_layer(einsum, architecture, mapping);
    if (const auto* refusal = std::get_if<std::string>(&tiled)) return {layer + ": no cycles as built: " + *refusal};
    const silicon::Replayed walked = silicon::replay(std::get<silicon::TiledLayer>(tiled), *machine);
    return {layer + ": " + count_text(static_cast<std::int64_t>(std::llround(walked.cycles))) +
            " cycles as built, replayed tile by tile without the network"};
}

GemminiText gemmini_text(const Inputs& inputs, const Layer& layer, const Architecture& architecture,
                         const Mapping& mapping) {
    const auto read = silicon::read_silicon(inputs.root(), architecture);
    const auto* machine = read ? std::get_if<silicon::SystolicMachine>(&read->machine) : nullptr;
    if (machine == nullptr)
        fail_usage("convert", "--to gemmini needs a machine with a systolic array, such as gemmini");
    if (const std::vector<Violation> violations = check(layer.einsum, architecture, mapping); !violations.empty())
        return {"", violations.front().message};
    const auto tiled = silicon::tiled_layer(layer.einsum, architecture, mapping);
    if (const auto* refusal = std::get_if<std::string>(&tiled)) return {"", *refusal};
    const auto& found = std::get<silicon::TiledLayer>(tiled);
    if (std::string problem = silicon::gemmini::problem_with(found, machine->array.rows); !problem.empty())
        return {"", problem};
    return {silicon::gemmini::arguments_text(layer.name, found, machine->array.rows), ""};
}

ExitStatus map_physically(Inputs& inputs, const SearchPlan& plan, const OutputOptions& output) {
    const Architecture architecture = inputs.architecture();
    const silicon::Silicon silicon = silicon_of("map", inputs, architecture);
    const Network network = inputs.network();
    MapOptions options;
    options.threads = threads_of("map", plan.threads);
    const NetworkProblem problem = network_problem(
        network, architecture, [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
    prepare("map", output);
    AnswerCache unused({.memory = false});
    const NetworkAnswer answer =
        search_layers(problem, options, unused, output.quiet, physical_mapper(problem, silicon, false));
    report::Report report = report_of(network, architecture, problem, answer);
    report.notes = inputs.notes();
    report.provenance = provenance("map", inputs.read());
    report.provenance.options = {{"objective", "latency"}, {"latency", "physical"}};
    add_cycles_as_built(silicon, report);
    write_report(report, output);
    for (const report::LayerResult& layer : report.layers)
        if (!layer.evaluation) print_failures(layer);
    const bool all = std::ranges::all_of(report.layers, [](const auto& layer) { return layer.evaluation.has_value(); });
    if (report.interrupted) return ExitStatus::interrupted;
    return all ? ExitStatus::done : ExitStatus::no_answer;
}

}  // namespace tilewright::cli
