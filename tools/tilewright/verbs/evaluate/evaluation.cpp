#include "verbs/evaluate/evaluation.hpp"

#include <algorithm>
#include <utility>

#include "arch/estimation/estimate.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/cost/table_energy.hpp"
#include "run/evaluate_layer.hpp"

namespace tilewright::cli {

void AccountOptions::declare_switches(Options& options) {
    options.group("Accounting");
    options.flag("no-link-transfers", 0, "timeloop: as with TIMELOOP_DISABLE_LINK_TRANSFERS=1", &no_link_transfers);
    options.flag(
        "no-extrapolation", 0,
        "timeloop: walk every iteration, as with TIMELOOP_DISABLE_TEMPORAL_EXTRAPOLATION=1 and ..._SPATIAL_...",
        &no_extrapolation);
    options.flag("no-first-read-elision", 0, "timeloop: as with TIMELOOP_ENABLE_FIRST_READ_ELISION=0",
                 &no_first_read_elision);
    options.flag("no-reuse-after-pause", 0,
                 "timeloop: halos as counted by the older versions behind its published examples",
                 &no_reuse_after_pause);
    options.flag("first-fills", 0,
                 "timeloop: the first partial sums of a result are charged where they arrive, as older versions do",
                 &first_fills);
    options.flag(
        "dearest-action", 0,
        "timeloop: a memory's dearest action is charged for reads, fills and updates, as the oldest versions do",
        &dearest_action);
}

account::TimeloopOptions AccountOptions::timeloop() const {
    account::TimeloopOptions options;
    options.link_transfers = !no_link_transfers;
    options.temporal_extrapolation = options.spatial_extrapolation = !no_extrapolation;
    options.first_read_elision = !no_first_read_elision;
    options.reuse_after_pause = !no_reuse_after_pause;
    options.first_fills = first_fills;
    options.dearest_action = dearest_action;
    return options;
}

std::vector<std::string> accountings() { return rules_names(); }

report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const AccountOptions& options, const MappingPlaces& places,
                                   const LayerDetails& details, const account::LoopOrders& orders) {
    const Rules rules = rules_named(options.account).value_or(Rules::exact);
    return tilewright::evaluate_layer(layer, architecture, mapping, {rules, options.timeloop(), details, orders},
                                      places);
}

void add_notes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
    for (const std::string& note : more)
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

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
