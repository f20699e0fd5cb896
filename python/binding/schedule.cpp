// schedule(): layers on several cores around one scratchpad.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "frontend/documents/documents.hpp"
#include "frontend/native/multi_npu.hpp"
#include "frontend/native/schedule.hpp"
#include "page/page.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/schedule.hpp"
#include "run/schedule_network.hpp"
#include "values.hpp"
#include "views/schedule_figures.hpp"
#include "work.hpp"
#include "workload/widths.hpp"

namespace tilewright::python {
namespace {

struct ReadMultiNpu {
    schedule::Machine machine;
    report::Input input;
};

ReadMultiNpu read(const std::string& name, bool is_file) {
    if (is_file) {
        const yaml::Node root = yaml::parse_file(name);
        root.expect_keys({"multi_npu"});
        const schedule::Machine machine = native::read_multi_npu(root);
        if (machine.mapped.given())
            root.at("multi_npu")
                .at("core")
                .at("architecture")
                .fail(ErrorCode::unsupported,
                      "cores that are described by an architecture are for `tilewright schedule` alone");
        return {machine, {name, content_hash(read_file(name))}};
    }
    const schedule::Machine machine = native::zoo_multi_npu(name);
    const std::string text = native::write_schedules({native::LayerSchedule{{}, 1, {machine, {}, {}}, {}}});
    return {machine, {"zoo:" + name, content_hash(text)}};
}

void refuse_own_widths(const Network& network) {
    if (const std::string own = own_width_in(network); !own.empty())
        throw InputError(ErrorCode::usage, {},
                         own +
                             ", and schedules know words that are as wide as the memories' only (bits TENSOR=0 takes "
                             "a tensor's as such)");
}

schedule::SearchOptions options_of(const std::string& objective, const std::string& rule,
                                   std::optional<double> time_limit) {
    schedule::SearchOptions options;
    const auto parsed = schedule::parse_objective(objective);
    if (!parsed)
        throw InputError(
            ErrorCode::bad_value, {},
            "objective takes latency, traffic or a product such as latency*traffic^2, found '" + objective + "'");
    options.objective = *parsed;
    if (rule != "overlap" && rule != "sum")
        throw InputError(ErrorCode::unknown_name, {}, "rule takes overlap or sum, found '" + rule + "'");
    options.rule = rule == "sum" ? schedule::LatencyRule::sum : schedule::LatencyRule::overlap;
    if (time_limit)
        options.deadline =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                   std::chrono::duration<double>(std::min(*time_limit, 1e8)));
    return options;
}

py::tuple schedule(const ReadNetwork& network, const std::string& machine, bool is_file, const std::string& objective,
                   const std::string& rule, int threads, std::optional<double> time_limit, bool keep_outputs,
                   py::object progress) {
    const schedule::SearchOptions options = options_of(objective, rule, time_limit);
    const ReadMultiNpu npu = read(machine, is_file);
    refuse_own_widths(network.network);
    Watch watch(std::move(progress));
    report::ScheduleReport report = watch.run([&](const StopSource& stop) {
        ScheduleControl control{.threads = threads, .stop = &stop};
        if (watch.has_callback())
            control.progress = [&](std::size_t done, std::size_t all, const std::string& name) {
                watch.tell([&] {
                    return py::cast(Progress{.event = "ends",
                                             .layer = name,
                                             .done = static_cast<std::int64_t>(done),
                                             .total = static_cast<std::int64_t>(all)});
                });
            };
        report::ScheduleReport made = schedule_network(network.network, npu.machine, options, control);
        if (keep_outputs) let_outputs_stay(made, network.network, options, control);
        return made;
    });
    report.notes.insert(report.notes.begin(), network.notes.begin(), network.notes.end());
    report.provenance.tool_version = TILEWRIGHT_VERSION;
    report.provenance.command = "schedule";
    report.provenance.inputs = {npu.input};
    report.provenance.inputs.insert(report.provenance.inputs.end(), network.inputs.begin(), network.inputs.end());
    report.provenance.options = {{"objective", to_text(options.objective)},
                                 {"rule", rule},
                                 {"spread", "any"},
                                 {"scheduler", "ours"},
                                 {"baseline", "exhaustive"},
                                 {"as-published", "no"},
                                 {"priority", "memory-benefit"},
                                 {"memory", "least-fragmentation"},
                                 {"tilings", std::to_string(options.tilings)},
                                 {"beam", std::to_string(options.beam)},
                                 {"keep-outputs", keep_outputs ? "yes" : "no"},
                                 {"with-elementwise", "no"}};
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
        .def("json", &report::schedule_json)
        .def("text", &report::schedule_text)
        .def("page", &page_of);
    module.def("schedule", &schedule, py::arg("network"), py::arg("machine"), py::arg("is_file"), py::arg("objective"),
               py::arg("rule"), py::arg("threads"), py::arg("time_limit"), py::arg("keep_outputs"),
               py::arg("progress"));
}

}  // namespace tilewright::python
