// map_fused(): what `tilewright map --fuse` does with a machine and a cascade.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "fusion/optimize.hpp"
#include "onnx/onnx.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/cascade/cascade.hpp"
#include "report/documents/documents.hpp"
#include "report/fused/fusion_report.hpp"
#include "run/composition.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_cascade.hpp"
#include "values.hpp"
#include "work.hpp"
#include "workload/cascade/text.hpp"
#include "workload/cascade/widths.hpp"
#include "workload/zoo/cascades.hpp"
#include "zeros.hpp"

namespace tilewright::python {
namespace {

using Extents = std::map<std::string, std::int64_t>;

[[noreturn]] void refuse(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

ReadCascade named(const std::string& name, const Extents& dims, const std::string& phase) {
    if (!phase.empty() && phase != "prefill" && phase != "decode")
        refuse("phase is prefill or decode, not '" + phase + "'");
    std::optional<Phase> asked;
    if (!phase.empty()) asked = phase == "decode" ? Phase::decode : Phase::prefill;
    ReadCascade read{.cascade = zoo_cascade(name, dims, asked)};
    read.inputs = {{"zoo:" + name, content_hash(report::cascade_json(read.cascade))}};
    return read;
}

ReadCascade from_file(const std::filesystem::path& file, const Extents& dims) {
    ReadCascade read;
    if (file.extension() == ".onnx") {
        Notes notes;
        read.cascade = onnx::read_onnx_cascade(file, {.dimensions = dims, .notes = &notes});
        read.notes = notes.texts();
    } else if (dims.empty()) {
        read.cascade = parse_cascade(read_file(file), {}, file.stem().string(), file.string());
    } else {
        refuse("dims is for ONNX files and language models; a cascade file says its own sizes");
    }
    read.inputs = {{file.string(), content_hash(read_file(file, kAnySize))}};
    return read;
}

// A model in memory; `name` stands for its file.
ReadCascade from_onnx_bytes(const py::bytes& model, const std::string& name, const Extents& dims) {
    const std::string bytes = model;
    return patiently_run([&] {
        Notes notes;
        ReadCascade read{.cascade = onnx::read_onnx_cascade_bytes(bytes, name, {.dimensions = dims, .notes = &notes})};
        read.inputs = {{name, content_hash(bytes)}};
        read.notes = notes.texts();
        return read;
    });
}

ReadCascade from_text(const std::string& text, const Extents& dims) {
    return {.cascade = parse_cascade(text, {dims.begin(), dims.end()}, "einsum")};
}

ReadCascade with_bits(ReadCascade read, const BitTexts& bits) {
    const std::vector<TensorWidth> widths = widths_of(bits, "*");
    read.bits = bits_text(read.bits, bits, "*");
    read.widths.insert(read.widths.end(), widths.begin(), widths.end());
    try {
        require_fused_words(false, have_blocks(widths));
        for (std::string& note : set_widths(read.cascade, widths)) read.notes.push_back(std::move(note));
        read.partial = partial_bits(read.cascade, read.widths);
    } catch (const InputError& error) {
        refuse("bits: " + error.message());
    }
    return read;
}

struct FusedWishes {
    std::string objective = "edp";
    std::vector<std::int64_t> buffers;
    std::int64_t threads = 0;
    std::optional<double> time_limit;
    std::shared_ptr<StopSource> stop = {};  ///< the user's; may be null
};

Progress progress_of(const ReadCascade& read, const FusedProgress& now) {
    Progress progress{.event = "searches", .layer = read.cascade.name};
    progress.total = read.cascade.einsum_count();
    if (now.bound > 0.0) progress.lower_bound = now.bound;
    if (!now.found) return progress;
    progress.done = now.groups;
    progress.energy_pj = now.energy_pj;
    progress.cycles = now.cycles;
    return progress;
}

FusedOptions options_of(const FusedWishes& wishes, const PartialBits& partial) {
    const std::optional<Objective> objective = parse_objective(wishes.objective);
    if (!objective) refuse("unknown objective '" + wishes.objective + "'");
    return {*objective, static_cast<int>(wishes.threads), wishes.time_limit, wishes.buffers, partial};
}

/// (report, interrupted); the report has no groups where no mapping was found.
py::tuple map_fused(const ReadCascade& read, const NamedMachine& machine, const FusedWishes& wishes,
                    const std::vector<DensityWord>& density, py::object progress) {
    if (!density.empty()) refuse(refusal(Capability::zeros, Capability::fusion));
    const FusedOptions options = options_of(wishes, read.partial);
    Watch watch(std::move(progress), wishes.stop);
    FusedControl control;
    if (watch.has_callback())
        control.progress = [&](const FusedProgress& now) {
            watch.tell([&] { return py::cast(progress_of(read, now)); });
        };
    auto report = std::make_shared<report::FusionReport>(watch.run([&](const StopSource& stop) {
        control.stop = &stop;
        return tilewright::map_fused(read.cascade, machine.machine, options, control);
    }));
    report->provenance.tool_version = build_version();
    report->notes.insert(report->notes.begin() + static_cast<std::ptrdiff_t>(machine.machine.notes().size()),
                         read.notes.begin(), read.notes.end());
    report->provenance.inputs.insert(report->provenance.inputs.end(), read.inputs.begin(), read.inputs.end());
    auto& said = report->provenance.options;  // bits before buffers, as the command line has it
    if (!read.bits.empty()) said.emplace(said.end() - (options.buffers.empty() ? 0 : 1), "bits", read.bits);
    return py::make_tuple(report, watch.interrupted());
}

std::shared_ptr<report::FusionReport> read_fused(const std::string& text, const std::string& file) {
    return std::make_shared<report::FusionReport>(documents::read_fusion_report(text, file));
}

}  // namespace

void bind_fusion(py::module_& module) {
    using report::FusionReport;
    py::class_<ReadCascade>(module, "Cascade")
        .def_property_readonly("name", [](const ReadCascade& one) { return one.cascade.name; })
        .def_property_readonly("einsums", [](const ReadCascade& one) { return one.cascade.einsum_count(); })
        .def("with_bits", patiently(&with_bits), py::arg("bits"));
    py::class_<FusionReport, std::shared_ptr<FusionReport>>(module, "FusionReport")
        .def_readonly("network", &FusionReport::cascade)
        .def_readonly("architecture", &FusionReport::architecture)
        .def_readonly("interrupted", &FusionReport::interrupted)
        .def_readonly("proven", &FusionReport::proven)
        .def_readonly("bound", &FusionReport::bound)
        .def_readonly("mapping", &FusionReport::mapping)
        .def_readonly("notes", &FusionReport::notes)
        .def("json", patiently(&report::fusion_json))
        .def("csv", patiently(&report::fusion_csv))
        .def("text", patiently(&report::fusion_text));
    module.def("named_cascade", patiently(&named), py::arg("name"), py::arg("dims"), py::arg("phase"));
    module.def("cascade_from_file", patiently(&from_file), py::arg("file"), py::arg("dims"));
    module.def("cascade_from_text", patiently(&from_text), py::arg("text"), py::arg("dims"));
    py::class_<FusedWishes>(module, "FusedOptions")
        .def(py::init<>())
        .def_readwrite("objective", &FusedWishes::objective)
        .def_readwrite("buffers", &FusedWishes::buffers)
        .def_readwrite("threads", &FusedWishes::threads)
        .def_readwrite("time_limit", &FusedWishes::time_limit)
        .def_readwrite("stop", &FusedWishes::stop);
    module.def("cascade_from_onnx_bytes", &from_onnx_bytes, py::arg("model"), py::arg("name"), py::arg("dims"));
    module.def("map_fused", &map_fused, py::arg("cascade"), py::arg("architecture"), py::arg("options"),
               py::arg("density"), py::arg("progress"));
    module.def("read_fusion_report", patiently(&read_fused), py::arg("text"), py::arg("file"));
}

}  // namespace tilewright::python
