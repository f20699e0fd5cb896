#include "scalesim.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "base/files/file.hpp"
#include "report/peers/scalesim_report.hpp"
#include "scalesim/config.hpp"

namespace tilewright::cli {
namespace {

report::ScaleSimLayer counted(const Layer& layer, const scalesim::Product& product, const scalesim::Config& config) {
    report::ScaleSimLayer row{layer.name, layer.repeats, product, {}, {}};
    row.run = run_on(config.array, config.stationary, product);
    for (std::size_t i = 0; i < row.cycles.size(); ++i)
        row.cycles.at(i) = run_on(config.array, static_cast<scalesim::Stationary>(i), product).cycles;
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
    if (config->words_per_cycle)
        report.notes.push_back(fmt::format(
            "InterfaceBandwidth is USER: SCALE-Sim's stalls for memories of {} words a cycle are not counted "
            "here, only the array's cycles; `tilewright map` counts a DRAM of that bandwidth",
            *config->words_per_cycle));
    report.unmapped = network.unmapped;
    for (const Layer& layer : network.layers) {
        const auto product = scalesim::product_of(layer.einsum);
        if (const auto* reason = std::get_if<std::string>(&product))
            report.unmapped.push_back({layer.name, layer.op, *reason});
        else
            report.layers.push_back(counted(layer, std::get<scalesim::Product>(product), *config));
    }
    prepare("evaluate", output);
    report.provenance = provenance("evaluate", inputs.read());
    write_text_and_json(scalesim_text(report), scalesim_json(report), output);
    return report.layers.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

}  // namespace tilewright::cli
