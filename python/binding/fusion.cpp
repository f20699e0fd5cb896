// map_fused(): what `tilewright map --fuse` does with a machine and a cascade.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
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
#include "report/cascade/cascade.hpp"
#include "report/fused/search.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_fused.hpp"
#include "run/fused/outermost.hpp"
#include "values.hpp"
#include "work.hpp"
#include "workload/cascade/text.hpp"
#include "workload/cascade/widths.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::python {
namespace {

using Extents = std::map<std::string, std::int64_t>;

struct ReadCascade {
    Cascade cascade;
    std::vector<report::Input> inputs = {};
    std::vector<std::string> notes = {};
};

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

ReadCascade from_text(const std::string& text, const Extents& dims) {
    return {.cascade = parse_cascade(text, {dims.begin(), dims.end()}, "einsum")};
}

ReadCascade with_bits(ReadCascade read, const std::map<std::string, std::array<std::int64_t, 3>>& bits) {
    std::vector<TensorWidth> widths;
    bool has_blocks = false;
    for (const auto& [tensor, width] : bits) {
        has_blocks = has_blocks || width[1] > 0;
        widths.push_back({"*", tensor, width[0]});
    }
    try {
        require_fused_words(false, has_blocks);
        for (std::string& note : set_widths(read.cascade, widths)) read.notes.push_back(std::move(note));
    } catch (const InputError& error) {
        refuse("bits: " + error.message());
    }
    return read;
}

report::FusionReport searched(const ReadCascade& read, const Machine& machine, const std::string& objective_text,
                              const std::vector<std::int64_t>& buffers, const StopSource& stop) {
    const std::optional<Objective> objective = parse_objective(objective_text);
    if (!objective) refuse("unknown objective '" + objective_text + "'");
    machine.refuse_zeros();
    const Architecture architecture = with_room_for(read.cascade, machine.architecture());
    const Fusing fusing = fusing_of(read.cascade, architecture, *objective, machine.constraints());
    if (!fusing.problem.empty()) refuse(fusing.problem);
    if (fusing.inside && !buffers.empty())
        refuse("buffers is for machines of a DRAM, a buffer and units with a register of one word");
    const fusion::Answer answer = fuse(read.cascade, architecture, fusing, *objective, &stop);
    report::FusionReport report;
    report.interrupted = answer.stopped;
    if (!answer.fused) return report;
    report = fusion_report(read.cascade, architecture, *objective, answer, fusing);
    if (!fusing.roles.empty()) report.notes.push_back(fusing.roles);
    report.buffers = dram_words_by_buffer(read.cascade, architecture, buffers, [&](std::size_t) { return &stop; });
    return report;
}

/// (report, interrupted); the report has no groups where no mapping was found.
py::tuple map_fused(const ReadCascade& read, const NamedMachine& machine, const std::string& objective,
                    const std::vector<std::int64_t>& buffers) {
    Watch watch(py::none{});
    auto report = std::make_shared<report::FusionReport>(
        watch.run([&](const StopSource& stop) { return searched(read, machine.machine, objective, buffers, stop); }));
    std::vector<std::string> notes = machine.machine.notes();
    notes.insert(notes.end(), read.notes.begin(), read.notes.end());
    report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
    report->provenance.tool_version = build_version();
    report->provenance.command = "map";
    report->provenance.inputs = machine.machine.inputs();
    report->provenance.inputs.insert(report->provenance.inputs.end(), read.inputs.begin(), read.inputs.end());
    report->provenance.options = {{"fuse", "true"}, {"objective", objective}};
    return py::make_tuple(report, watch.interrupted());
}

}  // namespace

void bind_fusion(py::module_& module) {
    using report::FusionReport;
    py::class_<ReadCascade>(module, "Cascade")
        .def_property_readonly("name", [](const ReadCascade& one) { return one.cascade.name; })
        .def_property_readonly("einsums", [](const ReadCascade& one) { return one.cascade.einsum_count(); })
        .def("with_bits", patiently(&with_bits), py::arg("bits"));
    py::class_<FusionReport, std::shared_ptr<FusionReport>>(module, "FusionReport")
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
    module.def("map_fused", &map_fused, py::arg("cascade"), py::arg("architecture"), py::arg("objective"),
               py::arg("buffers"));
}

}  // namespace tilewright::python
