// schedule(): layers on several cores around one scratchpad.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "native/multi_npu.hpp"
#include "native/schedule.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/documents/documents.hpp"
#include "report/page/page.hpp"
#include "report/schedule/schedule.hpp"
#include "report/views/schedule_figures.hpp"
#include "run/schedule/schedule_network.hpp"
#include "run/schedule/schedule_options.hpp"
#include "run/words.hpp"
#include "values.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

struct ReadMultiNpu {
    schedule::MultiNpu machine;
    report::Input input;
};

ReadMultiNpu read(const std::string& name, bool is_file) {
    if (is_file) {
        const yaml::Node root = yaml::parse_file(name);
        root.expect_keys({"multi_npu"});
        const schedule::MultiNpu machine = native::read_multi_npu(root);
        if (machine.mapped.given())
            root.at("multi_npu")
                .at("core")
                .at("architecture")
                .fail(ErrorCode::unsupported,
                      "cores that are described by an architecture are for `tilewright schedule` alone");
        return {machine, {name, content_hash(read_file(name))}};
    }
    const schedule::MultiNpu machine = native::zoo_multi_npu(name);
    const std::string text = native::write_schedules({native::LayerSchedule{{}, 1, {machine, {}, {}}, {}}});
    return {machine, {"zoo:" + name, content_hash(text)}};
}

schedule::SearchOptions options_of(const ScheduleWishes& wishes) {
    for (const auto& [option, word] :
         {std::pair{"rule", &wishes.rule}, std::pair{"spread", &wishes.spread},
          std::pair{"scheduler", &wishes.scheduler}, std::pair{"baseline", &wishes.baseline},
          std::pair{"priority", &wishes.priority}, std::pair{"memory", &wishes.memory}}) {
        const std::vector<std::string>& words = schedule_words(option);
        if (std::ranges::find(words, *word) == words.end()) refuse_choice(option, *word, words);
    }
    schedule::SearchOptions options = schedule_options(wishes);
    if (wishes.time_limit_seconds)
        options.deadline =
            deadline_after(std::chrono::steady_clock::now(), std::chrono::duration<double>(*wishes.time_limit_seconds));
    return options;
}

ScheduleControl control_of(int threads, const StopSource& stop, Watch& watch) {
    ScheduleControl control{.threads = threads, .stop = &stop};
    if (watch.has_callback())
        control.progress = [&watch](std::size_t done, std::size_t all, const std::string& name) {
            watch.tell([&] {
                return py::cast(Progress{.event = "ends",
                                         .layer = name,
                                         .done = static_cast<std::int64_t>(done),
                                         .total = static_cast<std::int64_t>(all)});
            });
        };
    return control;
}

py::tuple schedule(const ReadNetwork& network, const std::string& machine, bool is_file, const ScheduleWishes& wishes,
                   int threads, py::object progress) {
    const schedule::SearchOptions options = options_of(wishes);
    const ReadMultiNpu npu = read(machine, is_file);
    refuse_blocks(network, "schedules know");
    const std::vector<PartialBits> partial = partial_bits_of(network.words);
    Watch watch(std::move(progress));
    report::ScheduleReport report = watch.run([&](const StopSource& stop) {
        const ScheduleControl control = control_of(threads, stop, watch);
        report::ScheduleReport made =
            schedule_problem(network.network, npu.machine, options,
                             wishes.with_elementwise ? Elementwise::counted : Elementwise::left_out, partial);
        schedule_layers(made, options, control);
        if (wishes.every_tiling && !made.interrupted) try_every_tiling(made, options, control);
        if (wishes.keep_outputs) let_outputs_stay(made, network.network, options, control, partial);
        return made;
    });
    report.notes.insert(report.notes.begin(), network.notes.begin(), network.notes.end());
    report.provenance.tool_version = build_version();
    report.provenance.command = "schedule";
    report.provenance.inputs = {npu.input};
    report.provenance.inputs.insert(report.provenance.inputs.end(), network.inputs.begin(), network.inputs.end());
    report.provenance.options = schedule_provenance(wishes, options);
    if (!network.bits.empty()) report.provenance.options.emplace_back("bits", network.bits);
    return py::make_tuple(report, watch.interrupted());
}

std::string page_of(const report::ScheduleReport& report) {
    std::vector<views::ScheduledLayer> drawn;
    for (const report::ScheduledLayer& layer : report.layers)
        if (layer.answer.best)
            drawn.push_back({layer.names.front(), layer.answer.best->problem, layer.answer.best->schedule});
    views::Document document = documents::read_document(report::schedule_json(report), "report.json");
    for (views::Figure& figure : views::schedule_figures(drawn)) document.figures.push_back(std::move(figure));
    return page::html({document}, page::assets());
}

}  // namespace

void bind_schedule(py::module_& module) {
    using report::ScheduleReport;
    py::class_<ScheduleReport>(module, "Schedule")
        .def_readonly("network", &ScheduleReport::network)
        .def_readonly("interrupted", &ScheduleReport::interrupted)
        .def_readonly("notes", &ScheduleReport::notes)
        .def_property_readonly("cycles", [](const ScheduleReport& one) { return totals(one).latency_cycles; })
        .def_property_readonly("traffic_bytes", [](const ScheduleReport& one) { return totals(one).traffic_bytes; })
        .def("json", patiently(&report::schedule_json))
        .def("text", patiently(&report::schedule_text))
        .def("page", patiently(&page_of));
    py::class_<ScheduleWishes>(module, "ScheduleOptions")
        .def(py::init<>())
        .def_readwrite("objective", &ScheduleWishes::objective)
        .def_readwrite("rule", &ScheduleWishes::rule)
        .def_readwrite("spread", &ScheduleWishes::spread)
        .def_readwrite("scheduler", &ScheduleWishes::scheduler)
        .def_readwrite("baseline", &ScheduleWishes::baseline)
        .def_readwrite("priority", &ScheduleWishes::priority)
        .def_readwrite("memory", &ScheduleWishes::memory)
        .def_readwrite("as_published", &ScheduleWishes::as_published)
        .def_readwrite("tilings", &ScheduleWishes::tilings)
        .def_readwrite("beam", &ScheduleWishes::beam)
        .def_readwrite("keep_outputs", &ScheduleWishes::keep_outputs)
        .def_readwrite("every_tiling", &ScheduleWishes::every_tiling)
        .def_readwrite("with_elementwise", &ScheduleWishes::with_elementwise)
        .def_readwrite("time_limit", &ScheduleWishes::time_limit_seconds);
    module.def("schedule", &schedule, py::arg("network"), py::arg("machine"), py::arg("is_file"), py::arg("options"),
               py::arg("threads"), py::arg("progress"));
}

}  // namespace tilewright::python
