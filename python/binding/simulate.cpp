// simulate(): mappings of a report, replayed cycle by cycle.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/simulation/simulation.hpp"
#include "run/simulate/simulate_network.hpp"
#include "run/words.hpp"
#include "sim/dram/load.hpp"
#include "simulated_machine.hpp"
#include "terms.hpp"
#include "values.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

std::vector<Replayed> layers_of(const report::Report& report) {
    std::vector<Replayed> layers;
    for (const report::LayerResult& layer : report.layers)
        layers.push_back(
            {layer.names, layer.repeats, layer.einsum, layer.mapping, layer.mapping ? "" : "no mapping was found"});
    return layers;
}

py::tuple simulate(const std::shared_ptr<report::Report>& report, const SimulatedMachine& wishes, int threads,
                   py::object progress) {
    for (const auto& [option, value] : report->provenance.options)
        if (option == kBlocksOption)
            throw InputError(ErrorCode::usage, {},
                             value + ": simulations know words of a width of their own each (bits)");
    for (const report::LayerResult& layer : report->layers) {
        if (const std::string wide = unusual_words_in(layer.einsum, {layer.partial_bits, {}}); !wide.empty())
            throw InputError(ErrorCode::usage, {},
                             "layer '" + layer.names.front() + "' has " + wide +
                                 ", and simulations know words of a width of their own each (bits)");
        if (layer.sparse)
            throw InputError(ErrorCode::usage, {},
                             "the machine does something about zeros (sparse_optimizations): dense layers only are "
                             "simulated");
    }
    const sim::MachineOptions machine = machine_options(wishes);
    report::Simulation simulation;
    simulation.architecture = report->architecture;
    simulation.network = report->network;
    simulation.memory = memory_name(machine);
    simulation.provenance = report->provenance;
    simulation.provenance.command = "simulate";
    simulation.provenance.seed = {};
    simulation.provenance.options = {};
    simulation.notes = report->notes;
    const std::vector<Replayed> layers = layers_of(*report);
    const sim::Floor floor = floor_of(wishes, report->architecture);
    Watch watch(std::move(progress));
    simulation.layers = watch.run([&](const StopSource& stop) {
        SimulationControl control{.threads = threads, .stop = &stop};
        if (watch.has_callback())
            control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t steps) {
                watch.tell(
                    [&] { return py::cast(Progress{.event = "steps", .layer = layer, .done = done, .total = steps}); });
            };
        return simulate_layers(layers, simulation.architecture, floor, machine, control);
    });
    simulation.interrupted = report->interrupted || watch.interrupted();
    return py::make_tuple(simulation, watch.interrupted());
}

// (names, repeats, simulated cycles, the model's cycles, why not, the term that was underestimated, its terms).
py::list layers_of_simulation(const report::Simulation& simulation) {
    py::list layers;
    for (const report::SimulatedLayer& layer : simulation.layers) {
        std::vector<report::Term> terms;
        if (layer.failure.empty()) terms = report::terms_of(layer);
        const auto most = layer.result.interrupted ? std::nullopt : report::underestimated(terms);
        layers.append(py::make_tuple(layer.names, layer.repeats, static_cast<std::int64_t>(layer.result.cycles),
                                     layer.evaluation.cycles, layer.failure, most ? most->name : "",
                                     terms_of_python(terms)));
    }
    return layers;
}

}  // namespace

void bind_simulate(py::module_& module) {
    using report::Simulation;
    py::class_<Simulation>(module, "Simulation")
        .def_readonly("network", &Simulation::network)
        .def_readonly("interrupted", &Simulation::interrupted)
        .def_readonly("notes", &Simulation::notes)
        .def_property_readonly("layers", &layers_of_simulation)
        .def("json", patiently(&report::simulation_json))
        .def("text", patiently(&report::simulation_text));
    module.def("simulate", &simulate, py::arg("report"), py::arg("machine"), py::arg("threads"), py::arg("progress"));
    module.def("drams", &sim::dram::device_names);
}

}  // namespace tilewright::python
