// llm(): what `tilewright llm` does with a language model and a machine.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/version.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "report/llm/serving.hpp"
#include "run/composition.hpp"
#include "run/llm/serve_model.hpp"
#include "run/report_of.hpp"
#include "values.hpp"
#include "wishes.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

ServingMachine machine_of(const Machine& machine) {
    machine.refuse_zeros();
    ServingMachine serving;
    serving.architecture = machine.architecture();
    if (machine.silicon() != nullptr) serving.silicon = *machine.silicon();
    serving.vector_unit = machine.vector_unit();
    serving.device = machine.device();
    serving.constraints = machine.constraints();
    return serving;
}

void check_choice(const char* what, const std::string& found, const std::vector<std::string>& known) {
    if (!found.empty() && std::ranges::find(known, found) == known.end()) refuse_choice(what, found, known);
}

void refuse_together(const ServingMachine& machine, const NetworkProblem& problem, const MapOptions& options,
                     bool chosen_search) {
    std::vector<Capability> together = capabilities_of(problem, options);
    std::string why = refusal(together);
    if (chosen_search) together.push_back(Capability::chosen_search);
    if (why.empty()) why = serving_refusal(machine, together, false);
    if (!why.empty()) throw InputError(ErrorCode::usage, {}, why);
}

/// (report, interrupted)
py::tuple llm(const std::string& name, const NamedMachine& machine, const ServingWishes& wishes, Wishes search,
              py::object progress) {
    check_choice("latency", wishes.latency, {"physical", "plain"});
    check_choice("attention", wishes.attention, {"flash", "masked", "unfused"});
    check_choice("collective", wishes.collective, {"best", "ring", "tree"});
    const NamedModel model = patiently_run([&] { return named_model(name); });
    const std::vector<tilewright::llm::Point> points = points_of(wishes);
    if (!search.objective) search.objective = "latency";
    const SearchSettings settings = settings_of(search, machine.machine);
    ServingMachine serving = machine_of(machine.machine);
    set_choices(wishes, serving);
    serving.fastest_as_built =
        !search.mapper && !search.factors && !search.uneven && settings.map.objective.kind == ObjectiveKind::latency;
    const std::vector<TensorWidth> widths = serving_widths(wishes, model.model);
    Network searched;
    Watch watch(std::move(progress), search.stop);
    auto report = std::make_shared<report::ServingReport>(watch.run([&](const StopSource& stop) {
        const ServingPlan plan = plan_serving(model.model, points, serving, widths);
        refuse_together(serving, plan.problem, settings.map, search.mapper || search.factors);
        for (const ShapeProblem& shape : plan.problem.shapes)
            searched.layers.push_back({shape.names.front(), shape.op, shape.layer.einsum, shape.repeats, {}});
        NetworkControl control{.cache = &search.cache->answers(), .stop = &stop};
        control.map_shape = serving_mapper(plan, serving);
        if (watch.has_callback())
            control.progress = [&](const NetworkProgress& now) {
                watch.tell([&] { return py::cast(progress_of(plan.problem, now)); });
            };
        MapOptions options = settings.map;
        if (serving.fuse && options.time_limit_seconds) *options.time_limit_seconds /= 2.0;  // of both searches
        const NetworkAnswer answer = map_network(plan.problem, options, control);
        if (!serving.fuse) return serving_report(model, wishes, serving, plan, answer);
        const FusedParts fused = fuse_parts(plan, serving, options, &stop);
        return serving_report(model, wishes, serving, plan, answer, &fused);
    }));
    for (const auto& told : {machine.machine.notes(), machine.machine.notes_about(searched, true)})
        report->notes.insert(report->notes.end(), told.begin(), told.end());
    report::Provenance& provenance = report->provenance;
    const std::vector<std::pair<std::string, std::string>> choices = provenance.options;
    provenance.tool_version = build_version();
    provenance.command = "llm";
    provenance.inputs = machine.machine.inputs();
    provenance.inputs.push_back(model.input);
    provenance.seed = settings.map.seed;
    provenance.options = provenance_options(settings.map, settings.objective, settings.factors);
    provenance.options.insert(provenance.options.end(), choices.begin(), choices.end());
    return py::make_tuple(report, watch.interrupted());
}

}  // namespace

void bind_llm(py::module_& module) {
    using report::ServingReport;
    py::class_<ServingWishes>(module, "ServingOptions")
        .def(py::init<>())
        .def_readwrite("batches", &ServingWishes::batches)
        .def_readwrite("prompts", &ServingWishes::prompts)
        .def_readwrite("contexts", &ServingWishes::contexts)
        .def_readwrite("devices", &ServingWishes::devices)
        .def_readwrite("latency", &ServingWishes::latency)
        .def_readwrite("attention", &ServingWishes::attention)
        .def_readwrite("collective", &ServingWishes::collective)
        .def_readwrite("bits", &ServingWishes::bits)
        .def_readwrite("fuse", &ServingWishes::fuse);
    py::class_<ServingReport, std::shared_ptr<ServingReport>>(module, "ServingReport")
        .def_readonly("model", &ServingReport::model)
        .def_readonly("machine", &ServingReport::machine)
        .def_readonly("interrupted", &ServingReport::interrupted)
        .def_readonly("notes", &ServingReport::notes)
        .def("json", patiently(&report::serving_json))
        .def("csv", patiently(&report::serving_csv))
        .def("text", patiently(&report::serving_text));
    module.def("llm", &llm, py::arg("model"), py::arg("architecture"), py::arg("options"), py::arg("search"),
               py::arg("progress"));
}

}  // namespace tilewright::python
