// replay(): schedules, replayed cycle by cycle.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/schedule/schedule.hpp"
#include "report/simulation/schedule_replay.hpp"
#include "run/simulate/simulate_schedules.hpp"
#include "simulated_machine.hpp"
#include "terms.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

sim::npu::Layout layout_named(const std::string& name) {
    for (std::size_t i = 0; i < sim::npu::kLayoutNames.size(); ++i)
        if (name == sim::npu::kLayoutNames[i]) return static_cast<sim::npu::Layout>(i);
    throw InputError(ErrorCode::unknown_name, {}, "layout takes 'rows' or 'tiles', found '" + name + "'");
}

sim::npu::ReplayOptions options_of(const std::optional<std::string>& dram, std::optional<int> channels,
                                   const std::optional<std::string>& row_policy, double clock_ghz,
                                   const std::string& layout) {
    sim::npu::ReplayOptions options;
    if (dram) options.dram = device_of(*dram);
    options.dram_options = memory_options(dram, channels, row_policy);
    options.clock_ghz = clock_ghz;
    options.layout = layout_named(layout);
    if (const std::string problem = sim::npu::problem_with(options); !problem.empty())
        throw InputError(ErrorCode::usage, {}, problem);
    return options;
}

std::vector<native::LayerSchedule> schedules_of(const report::ScheduleReport& report) {
    std::vector<native::LayerSchedule> schedules;
    for (const report::ScheduledLayer& layer : report.layers)
        if (layer.answer.best)
            schedules.push_back({layer.names, layer.repeats, layer.answer.best->problem, layer.answer.best->schedule});
    return schedules;
}

py::tuple replay(const report::ScheduleReport& report, const std::optional<std::string>& dram,
                 std::optional<int> dram_channels, const std::optional<std::string>& row_policy, double clock_ghz,
                 const std::string& layout, int threads, py::object progress) {
    report::ScheduleReplay replay;
    replay.options = options_of(dram, dram_channels, row_policy, clock_ghz, layout);
    replay.machine = report.machine;
    replay.notes = report.notes;
    replay.provenance = report.provenance;
    replay.provenance.command = "simulate";
    replay.provenance.options = {};
    const std::vector<native::LayerSchedule> schedules = schedules_of(report);
    Watch watch(std::move(progress));
    replay.layers = watch.run([&](const StopSource& stop) {
        SimulationControl control{.threads = threads, .stop = &stop};
        if (watch.has_callback())
            control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t all) {
                watch.tell(
                    [&] { return py::cast(Progress{.event = "steps", .layer = layer, .done = done, .total = all}); });
            };
        return simulate_schedules(schedules, replay.options, control);
    });
    replay.interrupted = report.interrupted || watch.interrupted();
    return py::make_tuple(replay, watch.interrupted());
}

// (names, repeats, replayed cycles, the schedule's cycles, why not, the term that was underestimated, its terms).
py::list layers_of_replay(const report::ScheduleReplay& replay) {
    py::list layers;
    for (const report::ReplayedLayer& layer : replay.layers) {
        std::vector<report::Term> terms;
        if (layer.failure.empty()) terms = report::terms_of(layer, replay.options);
        const auto most = layer.result.interrupted ? std::nullopt : report::underestimated(terms);
        layers.append(py::make_tuple(layer.names, layer.repeats, static_cast<std::int64_t>(layer.result.cycles),
                                     layer.scheduled_cycles, layer.failure, most ? most->name : "",
                                     terms_of_python(terms)));
    }
    return layers;
}

}  // namespace

void bind_replay(py::module_& module) {
    using report::ScheduleReplay;
    py::class_<ScheduleReplay>(module, "ScheduleReplay")
        .def_readonly("interrupted", &ScheduleReplay::interrupted)
        .def_readonly("notes", &ScheduleReplay::notes)
        .def_property_readonly("layers", &layers_of_replay)
        .def("json", patiently(&report::replay_json))
        .def("text", patiently(&report::replay_text));
    module.def("replay", &replay, py::arg("schedule"), py::arg("dram"), py::arg("dram_channels"), py::arg("row_policy"),
               py::arg("clock_ghz"), py::arg("layout"), py::arg("threads"), py::arg("progress"));
}

}  // namespace tilewright::python
