#include "verbs/evaluate/scalesim.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "base/files/file.hpp"
#include "report/peers/scalesim_report.hpp"
#include "scalesim/config.hpp"

namespace tilewright::cli {
namespace {

// Throws InputError for a layer whose stalls would be counted and are too many.
report::ScaleSimLayer counted(const Layer& layer, const scalesim::Product& product, const scalesim::Config& config) {
    const std::optional<scalesim::Memories> memories = memories_of(config);
    const auto run = [&](scalesim::Stationary stationary) {
        if (!memories) return run_on(config.array, stationary, product);
        const auto stalled = run_on(config.array, stationary, layer.einsum, *memories);
        if (!stalled)
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("SCALE-Sim's stalls are counted for operands of up to {} elements, and layer "
                                         "'{}' has more; with InterfaceBandwidth CALC there are none",
                                         scalesim::kMostElements, layer.name));
        return *stalled;
    };
    report::ScaleSimLayer row{layer.name, layer.repeats, product, run(config.stationary), {}};
    for (const scalesim::Stationary one : scalesim::kStationaries)
        row.cycles.at(static_cast<std::size_t>(one)) = one == config.stationary ? row.run.cycles : run(one).cycles;
    return row;
}

}  // namespace

bool is_topology(const std::string& name) { return name.ends_with(".csv"); }

bool is_scalesim_config(const std::string& name) {
    return name.ends_with(".cfg") && std::filesystem::is_regular_file(name) &&
           scalesim::is_config(read_file(name, kAnySize));
}

ExitStatus evaluate_scalesim(Inputs& inputs, const OutputOptions& output) {
    const scalesim::Config* config = inputs.scalesim();
    if (config == nullptr)
        fail_usage("evaluate", "--account scalesim needs a machine of SCALE-Sim's (*.cfg with [architecture_presets])");
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for --account scalesim; --json is");
    const Network network = inputs.network();
    report::ScaleSimReport report;
    report.machine = config->run_name.empty() ? "systolic" : config->run_name;
    report.network = network.name;
    report.array = config->array;
    report.stationary = config->stationary;
    report.notes = inputs.notes();
    report.words_per_cycle = config->words_per_cycle;
    report.unmapped = network.unmapped;
    for (const Layer& layer : network.layers) {
        const auto product = scalesim::product_of(layer.einsum);
        if (const auto* reason = std::get_if<std::string>(&product))
            report.unmapped.push_back({layer.name, layer.op, *reason});
        else
            report.layers.push_back(counted(layer, std::get<scalesim::Product>(product), *config));
    }
    prepare(output);
    report.provenance = provenance("evaluate", inputs.read());
    write_text_and_json(scalesim_text(report), scalesim_json(report), output);
    return report.layers.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

}  // namespace tilewright::cli
