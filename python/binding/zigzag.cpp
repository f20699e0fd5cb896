// ZigzagMachine and map_zigzag(): ZigZag's machines and Stream's cores, layers on them, as ZigZag counts.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/csv.hpp"
#include "report/zigzag.hpp"
#include "run/zigzag/map.hpp"
#include "run/zigzag/problem.hpp"
#include "values.hpp"
#include "work.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/files/stream.hpp"

namespace tilewright::python {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

report::Input input_of(const std::filesystem::path& file) { return {file.string(), content_hash(read_file(file))}; }

struct ZigzagMachine {
    zigzag::Document document;
    zigzag::Accelerator accelerator = {};
    std::vector<report::Input> inputs = {};
};

ZigzagMachine read(const std::filesystem::path& file, const std::optional<std::string>& core) {
    ZigzagMachine machine{.document = zigzag::load(file)};
    zigzag::refuse_other_kinds_of_core(machine.document.root);
    machine.inputs = {input_of(file)};
    if (zigzag::is_machine_of_cores(machine.document.root)) {
        const std::filesystem::path own = zigzag::file_of_core(machine.document.root, core.value_or(""), "core");
        machine.document = zigzag::load_core(own, core.value_or(""), file.string());
        machine.inputs.push_back(input_of(own));
    } else if (core) {
        refuse("core chooses among several cores: no file here has a list of 'cores' (Stream)");
    }
    if (!zigzag::is_accelerator(machine.document.root))
        machine.document.root.fail(ErrorCode::wrong_type,
                                   "this is no machine of ZigZag's: it has no operational_array");
    machine.accelerator = zigzag::read_accelerator(machine.document.root);
    return machine;
}

struct ZigzagLayers {
    std::string network;
    std::vector<zigzag::WorkloadLayer> layers = {};
    std::vector<report::Input> inputs = {};
    std::vector<std::string> notes = {};
};

ZigzagLayers layers_of_file(const std::filesystem::path& file) {
    const zigzag::Document document = zigzag::load(file);
    return {file.stem().string(), zigzag::read_workload(document.root), {input_of(file)}, document.notes};
}

ZigzagLayers layers_of(const ReadNetwork& read) {
    refuse_words(read, "searches of loop orders know");
    ZigzagWorkload workload = zigzag_workload(read.network);
    if (workload.layers.empty()) refuse(report::no_layer_text(read.network.name, workload.left_out));
    ZigzagLayers made{read.network.name, std::move(workload.layers), read.inputs, read.notes};
    made.notes.insert(made.notes.end(), workload.notes.begin(), workload.notes.end());
    if (!read.network.unmapped.empty())
        made.notes.push_back(std::to_string(read.network.unmapped.size()) + " operators of " + read.network.name +
                             " are no layers (tilewright show --net lists them)");
    return made;
}

struct ZigzagWishes {
    std::optional<std::string> objective;
    std::optional<std::string> mapper;
    std::uint64_t seed = 1;
    int threads = 0;
    std::optional<double> time_limit;
};

ZigzagOptions options_of(const ZigzagWishes& wishes) {
    ZigzagOptions options;
    if (wishes.mapper) {
        const std::optional<MapperKind> mapper = mapper_kind_named(*wishes.mapper);
        if (!mapper) refuse_choice("mapper", *wishes.mapper, {"optimal", "loma", "salsa", "anneal", "exhaustive"});
        options.map.mapper = *mapper;
    }
    if (wishes.objective) {
        const std::optional<Objective> objective = parse_objective(*wishes.objective);
        if (!objective || objective->kind == ObjectiveKind::pareto)
            refuse(
                "objective takes energy, latency, edp, ed2p or a product such as energy^2*latency for ZigZag's "
                "files, found '" +
                *wishes.objective + "'");
        options.map.objective = *objective;
    }
    options.map.seed = wishes.seed;
    options.map.threads = wishes.threads;
    options.map.time_limit_seconds = wishes.time_limit;
    if (const std::string wrong = problem_with(options); !wrong.empty()) refuse(wrong);
    return options;
}

Progress progress_of(const ZigzagProblem& problem, const NetworkProgress& now) {
    Progress progress{.event = now.event == NetworkProgress::Event::begins ? "begins"
                               : now.event == NetworkProgress::Event::ends ? "ends"
                                                                           : "searches",
                      .layer = problem.layers[now.shape].layer.name,
                      .done = static_cast<std::int64_t>(now.done),
                      .total = static_cast<std::int64_t>(now.shapes)};
    if (now.search != nullptr) progress.sampled = now.search->sampled;
    return progress;
}

void complete(report::ZigzagReport& report, const ZigzagMachine& machine, const ZigzagLayers& layers,
              const zigzag::Document& mapping) {
    std::vector<std::string> notes = machine.document.notes;
    notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
    notes.insert(notes.end(), mapping.notes.begin(), mapping.notes.end());
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    if (machine.document.of_several_cores || mapping.of_several_cores) explain_shortages_of_a_core(report);
    report.provenance.tool_version = build_version();
    report.provenance.command = "map";
    report.provenance.accounting = "zigzag";
    report.provenance.inputs = machine.inputs;
    report.provenance.inputs.insert(report.provenance.inputs.end(), layers.inputs.begin(), layers.inputs.end());
}

py::tuple map(const ZigzagLayers& layers, const ZigzagMachine& machine, const std::filesystem::path& mapping_file,
              const ZigzagWishes& wishes, py::object progress) {
    const ZigzagOptions options = options_of(wishes);
    const zigzag::Document mapping = zigzag::load(mapping_file);
    const std::vector<zigzag::MappingEntry> entries =
        zigzag::read_mappings(zigzag::with_dataflows(mapping.root, machine.document.root), machine.accelerator);
    const ZigzagProblem problem = zigzag_problem(machine.accelerator, layers.network, layers.layers, entries);
    Watch watch(std::move(progress));
    report::ZigzagReport report = watch.run([&](const StopSource& stop) {
        NetworkControl control{.stop = &stop};
        if (watch.has_callback())
            control.progress = [&](const NetworkProgress& now) {
                watch.tell([&] { return py::cast(progress_of(problem, now)); });
            };
        return map_zigzag(problem, options, control);
    });
    complete(report, machine, layers, mapping);
    report.provenance.inputs.push_back(input_of(mapping_file));
    report.provenance.seed = options.map.seed;
    report.provenance.options = provenance_options(options);
    return py::make_tuple(report, watch.interrupted());
}

// (name, energy_pj, cycles, failures), None where there is no result.
py::list rows_of(const report::ZigzagReport& report) {
    py::list rows;
    for (const report::ZigzagLayer& one : report.layers) {
        py::object energy = one.result ? py::object(py::float_(one.result->energy_pj())) : py::object(py::none());
        py::object cycles = one.result ? py::object(py::float_(one.result->latency.total())) : py::object(py::none());
        rows.append(py::make_tuple(one.layer.name, energy, cycles, placed_failures(one)));
    }
    return rows;
}

std::vector<std::string> memory_names(const ZigzagMachine& machine) {
    std::vector<std::string> names;
    for (const zigzag::SharedMemory& memory : machine.accelerator.memories) names.push_back(memory.name);
    return names;
}

}  // namespace

void bind_zigzag(py::module_& module) {
    py::class_<ZigzagMachine>(module, "ZigzagMachine")
        .def_property_readonly("name", [](const ZigzagMachine& machine) { return machine.accelerator.name; })
        .def_property_readonly("memories", &memory_names)
        .def_property_readonly("units", [](const ZigzagMachine& machine) { return machine.accelerator.units; })
        .def_property_readonly("notes", [](const ZigzagMachine& machine) { return machine.document.notes; })
        .def("text", [](const ZigzagMachine& machine) { return report::zigzag_machine_text(machine.accelerator); });
    py::class_<ZigzagLayers>(module, "ZigzagLayers").def_readonly("network", &ZigzagLayers::network);
    py::class_<ZigzagWishes>(module, "ZigzagOptions")
        .def(py::init<>())
        .def_readwrite("objective", &ZigzagWishes::objective)
        .def_readwrite("mapper", &ZigzagWishes::mapper)
        .def_readwrite("seed", &ZigzagWishes::seed)
        .def_readwrite("threads", &ZigzagWishes::threads)
        .def_readwrite("time_limit", &ZigzagWishes::time_limit);
    py::class_<report::ZigzagReport>(module, "ZigzagReport")
        .def_readonly("notes", &report::ZigzagReport::notes)
        .def_readonly("interrupted", &report::ZigzagReport::interrupted)
        .def("rows", &rows_of)
        .def("json", patiently(&report::zigzag_json))
        .def("csv", [](const report::ZigzagReport& report) { return report::costs_csv(report); })
        .def("text", patiently(&report::zigzag_summary));
    module.def("read_zigzag", &read, py::arg("file"), py::arg("core"));
    module.def("zigzag_layers_of_file", &layers_of_file, py::arg("file"));
    module.def("zigzag_layers", &layers_of, py::arg("network"));
    module.def("map_zigzag", &map, py::arg("layers"), py::arg("machine"), py::arg("mapping"), py::arg("options"),
               py::arg("progress"));
}

}  // namespace tilewright::python
