#include "physical.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "evaluation.hpp"
#include "interrupt.hpp"
#include "mapping/validity.hpp"
#include "run/evaluate_layer.hpp"
#include "run/physical/map_physically.hpp"
#include "run/physical/physical_latency.hpp"
#include "silicon/gemmini/arguments.hpp"
#include "silicon/systolic/replay.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

// What constraints demand; the outermost memory keeps everything.
std::vector<TensorSet> kept_by(Inputs& inputs, const Architecture& architecture, const Einsum& einsum) {
    const Constraints constraints = inputs.constraints(architecture, einsum);
    std::vector<TensorSet> keep(architecture.memories.size());
    for (std::size_t level = 0; level < constraints.levels.size(); ++level)
        keep[level] = constraints.levels[level].must_keep;
    keep.front() = TensorSet::all(einsum.tensor_count());
    return keep;
}

SearchSummary statistics_of(const PhysicalAnswer& answer) {
    SearchSummary statistics;
    statistics.evaluations = statistics.valid = statistics.sampled = answer.compared;
    statistics.space = static_cast<double>(answer.mappings);
    statistics.stopped_by = answer.proven ? "proven" : "interrupted";
    statistics.proven = answer.proven;
    statistics.claim = answer.claim;
    return statistics;
}

report::LayerResult mapped(Inputs& inputs, const Architecture& architecture, const silicon::Silicon& silicon,
                           const Network& network, const DistinctLayer& shape, const StopSource& stop) {
    const Layer& first = network.layers[shape.layers.front()];
    const PhysicalAnswer answer = tilewright::map_physically(
        shape.einsum, architecture, kept_by(inputs, architecture, shape.einsum), silicon, &stop);
    report::LayerResult result = report::unmapped(first);
    if (answer.mapping)
        result = tilewright::evaluate_layer(first, architecture, *answer.mapping);
    else
        result.failures = {answer.failure};
    result.repeats = shape.repeats;
    result.names.clear();
    for (const int layer : shape.layers) result.names.push_back(network.layers[layer].name);
    if (answer.mapping) result.search = statistics_of(answer);
    return result;
}

}  // namespace

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

ExitStatus map_physically(Inputs& inputs, const OutputOptions& output) {
    report::Report report;
    report.architecture = inputs.architecture();
    const silicon::Silicon silicon = silicon_of("map", inputs, report.architecture);
    const Network network = inputs.network();
    report.network = network.name;
    report.notes = inputs.notes();
    prepare("map", output);
    StopSource stop;
    const Interrupt interrupt(stop);
    for (const DistinctLayer& shape : distinct_layers(network))
        report.layers.push_back(mapped(inputs, report.architecture, silicon, network, shape, stop));
    report.unmapped = network.unmapped;
    report.interrupted = interrupt.happened();
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
