#include "verbs/evaluate/dataflow_answers.hpp"

#include <utility>

#include "arch/estimation/estimate.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/cost/table_energy.hpp"
#include "verbs/evaluate/evaluation.hpp"

namespace tilewright::cli {
namespace {

// Energies of a layer in pJ, from the machine's prices or those of one that is as large as it has to be.
void add_energy(report::DataflowLayer& layer, const DataflowInputs& given, std::vector<std::string>& notes) {
    if (!layer.cost.counts) return;
    dataflow::BytePrices prices;
    if (given.machine) {
        prices = dataflow::byte_prices(*given.machine);
    } else {
        const auto nm = given.hardware.technology_nm;
        Architecture machine = dataflow::described_machine(given.hardware, layer.cost.l1_bytes, layer.cost.l2_bytes,
                                                           nm ? std::to_string(*nm) + "nm" : "");
        add_notes(estimate(machine), notes);
        prices = dataflow::byte_prices(machine);
    }
    layer.energy = dataflow::table_energy(layer.cost.accesses, given.hardware, prices);
    layer.prices = std::move(prices);
}

}  // namespace

report::DataflowReport exact_report(const DataflowInputs& given) {
    report::DataflowReport report;
    report.network = given.document.network;
    report.hardware = given.hardware;
    report.machine = given.machine ? given.machine->name : "described";
    report.missing_layers = given.missing_layers;
    report.notes = given.notes;
    for (const dataflow::Layer& layer : given.layers) {
        report.layers.push_back(
            {layer.name, layer.repeats, cost_of(layer, *layer.dataflow, given.parameters, given.hardware), {}, {}});
        add_energy(report.layers.back(), given, report.notes);
    }
    return report;
}

}  // namespace tilewright::cli
