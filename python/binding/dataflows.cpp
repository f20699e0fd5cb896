// Designs of data-centric dataflows: `tilewright explore` on MAESTRO's files.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <iterator>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "maestro/designs/dataflow_evaluator.hpp"
#include "maestro/files/document.hpp"
#include "native/cost_table.hpp"
#include "parts.hpp"
#include "progress.hpp"
#include "run/explore/mapping_evaluator.hpp"
#include "run/explore/package_evaluator.hpp"
#include "values.hpp"
#include "work.hpp"

namespace tilewright::python {
namespace {

// A layer without a dataflow has that of the layer before, as on the command line.
explore::DataflowSubject subject_of(const std::vector<std::string>& files, const dataflow::Parameters& parameters) {
    std::vector<maestro::Document> documents;
    for (const std::string& file : files) documents.push_back(maestro::read(read_file(file), file));
    maestro::Document document = maestro::merge(std::move(documents));
    if (document.layers.empty()) throw InputError(ErrorCode::usage, {}, "no layer: give a file with a Network");
    explore::DataflowSubject subject{{}, parameters, document.hardware.value_or(dataflow::Hardware{})};
    const dataflow::Dataflow* before = nullptr;
    for (dataflow::Layer& layer : document.layers) {
        if (!has_output(layer))
            throw InputError(ErrorCode::bad_value, layer.where,
                             "layer '" + layer.name + "' has no output: its filter is larger than its input");
        if (!layer.dataflow && before != nullptr) layer.dataflow = fitted(*before, layer, parameters);
        if (!layer.dataflow)
            throw InputError(ErrorCode::missing_key, layer.where, "layer '" + layer.name + "' has no Dataflow");
        before = &*layer.dataflow;
    }
    subject.layers = std::move(document.layers);
    return subject;
}

explore::Specification specification_of(const std::vector<std::string>& knobs, const std::vector<std::string>& limits) {
    std::vector<explore::Knob> all;
    all.reserve(knobs.size());
    for (const std::string& knob : knobs) all.push_back(explore::parse_knob(knob, {knob}));
    explore::Specification specification;
    specification.space = explore::Space(std::move(all));
    specification.metrics = explore::dataflow_metrics();
    for (const std::string& limit : limits)
        specification.limits.push_back(explore::parse_limit(limit, specification.metrics, {limit}));
    return specification;
}

/// Rows, how many points were explored of all, and whether Ctrl-C came: (rows, explored, size, interrupted). A row is
/// (point, values by knob, status, values by metric, message).
py::tuple explore_dataflows(const std::vector<std::string>& files, const std::vector<std::string>& knobs,
                            const dataflow::Parameters& sizes, const std::vector<std::string>& limits,
                            const std::optional<std::string>& cost, bool keep_all, py::object progress) {
    explore::DataflowSubject subject = subject_of(files, sizes);
    const explore::Specification specification = specification_of(knobs, limits);
    explore::check_dataflow_knobs(subject, specification.space);
    if (cost) subject.cost = native::read_cost_table(yaml::parse_file(*cost));
    explore::DataflowEvaluator evaluator(subject, specification, {.keep_all = keep_all});
    const explore::Point size = specification.space.size();
    explore::Point known = 0;
    Watch watch(std::move(progress));
    const std::vector<explore::Row> rows = watch.run([&](const StopSource& stop) {
        std::vector<explore::Row> found;
        while (known < size && !stop.requested()) {
            std::optional<explore::Batch> batch = evaluator.evaluate({0, known, size}, stop);
            if (!batch) break;
            known += batch->counts.explored;
            std::move(batch->rows.begin(), batch->rows.end(), std::back_inserter(found));
            if (watch.has_callback())
                watch.tell(
                    [&] { return py::cast(Progress{.event = "points", .layer = "", .done = known, .total = size}); });
        }
        return found;
    });
    py::list listed;
    for (const explore::Row& row : rows) {
        py::list values;
        for (std::size_t knob = 0; knob < specification.space.knobs().size(); ++knob)
            values.append(std::stoll(specification.space.value(row.point, knob)));
        const char* status = row.status == explore::Status::valid        ? "valid"
                             : row.status == explore::Status::over_limit ? "over limit"
                                                                         : "failed";
        listed.append(py::make_tuple(row.point, values, status, row.values, row.message));
    }
    return py::make_tuple(listed, known, size, watch.interrupted());
}

// (name, alias, whether more of it is better), in the order of a row's values.
py::list metrics_of(const std::vector<explore::Metric>& metrics) {
    py::list all;
    for (const explore::Metric& metric : metrics)
        all.append(py::make_tuple(metric.name, metric.alias, metric.more_is_better));
    return all;
}

}  // namespace

void bind_dataflows(py::module_& module) {
    module.def("explore_dataflows", &explore_dataflows);
    module.def("dataflow_metrics", [] { return metrics_of(explore::dataflow_metrics()); });
    module.def("mapping_metrics", [] { return metrics_of(mapping_metrics()); });
    module.def("package_metrics", [] { return metrics_of(package_metrics()); });
    module.def("mapping_values", [](const NamedMachine& machine, double operations, double energy_pj, double cycles,
                                    double proven_layers) {
        return mapping_values(machine.machine.architecture(), {operations, energy_pj, cycles, proven_layers});
    });
}

}  // namespace tilewright::python
