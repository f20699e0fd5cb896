// What runs give back: reports, with all that they can be written as. The package makes objects for users of them.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/number_text.hpp"
#include "mapping/text.hpp"
#include "parts.hpp"
#include "report/csv.hpp"
#include "report/documents/documents.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/plot/chart.hpp"
#include "report/report.hpp"
#include "report/text.hpp"
#include "report/views/figures.hpp"
#include "run/machine.hpp"
#include "run/mapping/mapping_file.hpp"
#include "values.hpp"
#include "work.hpp"
#include "yaml/node.hpp"

namespace tilewright::python {
namespace {

using Shared = std::shared_ptr<report::Report>;

// One layer shape of a report.
struct ShapeResult {
    Shared report;
    std::size_t index = 0;

    const report::LayerResult& layer() const { return report->layers[index]; }
};

std::vector<ShapeResult> shapes_of(const Shared& report) {
    std::vector<ShapeResult> shapes;
    for (std::size_t i = 0; i < report->layers.size(); ++i) shapes.push_back({report, i});
    return shapes;
}

py::object optional_text(bool given, const std::string& text) {
    return given ? py::object(py::str(text)) : py::object(py::none());
}

// Fields of a layer that has costs; of another one NoMapping says why it has none.
[[noreturn]] void raise_no_mapping(const report::LayerResult& layer) {
    const py::object type = py::module_::import("tilewright.errors").attr("NoMapping");
    PyErr_SetObject(type.ptr(), type(report::failure_text(layer)).ptr());
    throw py::error_already_set();
}

std::string loop_nest(const ShapeResult& shape) {
    const report::LayerResult& layer = shape.layer();
    if (!layer.mapping) raise_no_mapping(layer);
    return loop_nest_text(layer.einsum, shape.report->architecture, *layer.mapping);
}

std::string mapping_of(const ShapeResult& shape) {
    const report::LayerResult& layer = shape.layer();
    if (!layer.mapping) raise_no_mapping(layer);
    return mapping_yaml(*layer.mapping, layer.einsum, shape.report->architecture);
}

std::string shape_text(const ShapeResult& shape) {
    const report::LayerResult& layer = shape.layer();
    const std::string name = layer.names.front() + (layer.repeats > 1 ? " x " + std::to_string(layer.repeats) : "");
    if (!layer.evaluation) return "<Layer " + name + ": no mapping>";
    return "<Layer " + name + ": " + energy_text(layer.evaluation->energy_pj) + ", " +
           count_text(layer.evaluation->cycles) + " cycles>";
}

// Its line and its loop nest, as they are printed.
py::str shape_html(const ShapeResult& shape) {
    const std::string text = shape_text(shape) + (shape.layer().mapping ? "\n" + loop_nest(shape) : "");
    const py::object escaped = py::module_::import("html").attr("escape")(text);
    return py::str("<pre>{}</pre>").format(escaped);
}

// (memory, tensor, action, words, operations, energy_pj, cycles), None where a row has none.
py::list rows_of(const ShapeResult& shape) {
    py::list rows;
    for (const report::CostRow& row : report::cost_rows(shape.layer(), shape.report->architecture))
        rows.append(
            py::make_tuple(row.memory, row.tensor, row.action, row.words, row.operations, row.energy_pj, row.cycles));
    return rows;
}

py::list front_of(const ShapeResult& shape) {
    py::list front;
    for (const FrontAnswer& one : shape.layer().front) front.append(py::make_tuple(one.energy_pj, one.cycles));
    return front;
}

template <class Of>
auto of_evaluation(Of of) {
    return [of](const ShapeResult& shape) {
        const std::optional<Evaluation>& evaluation = shape.layer().evaluation;
        if (!evaluation) raise_no_mapping(shape.layer());
        return of(*evaluation);
    };
}

// The report of this layer alone, which pickles carry.
std::string shape_json(const ShapeResult& shape) {
    report::Report alone = *shape.report;
    alone.layers = {shape.layer()};
    return report::report_json(alone);
}

Shared read_report(const std::string& text, const std::string& file) {
    return std::make_shared<report::Report>(documents::read_report(text, file));
}

ShapeResult read_shape(const std::string& text) { return {read_report(text, "report.json"), 0}; }

void bind_shapes(py::module_& module) {
    py::class_<ShapeResult>(module, "Shape")
        .def_property_readonly("names", [](const ShapeResult& shape) { return shape.layer().names; })
        .def_property_readonly("op", [](const ShapeResult& shape) { return shape.layer().op; })
        .def_property_readonly("repeats", [](const ShapeResult& shape) { return shape.layer().repeats; })
        .def_property_readonly("mapped", [](const ShapeResult& shape) { return shape.layer().evaluation.has_value(); })
        .def_property_readonly("failures", [](const ShapeResult& shape) { return shape.layer().failures; })
        .def_property_readonly("energy_pj", of_evaluation([](const Evaluation& one) { return one.energy_pj; }))
        .def_property_readonly("cycles", of_evaluation([](const Evaluation& one) { return one.cycles; }))
        .def_property_readonly("operations", of_evaluation([](const Evaluation& one) { return one.computes; }))
        .def_property_readonly("utilization", of_evaluation([](const Evaluation& one) { return one.utilization; }))
        .def_property_readonly("bound",
                               of_evaluation([](const Evaluation& one) { return report::bound_sentence(one); }))
        .def_property_readonly(
            "proven", [](const ShapeResult& shape) { return shape.layer().search && shape.layer().search->proven; })
        .def_property_readonly("claim",
                               [](const ShapeResult& shape) {
                                   const auto& search = shape.layer().search;
                                   return optional_text(search.has_value(), search ? search->claim : "");
                               })
        .def_property_readonly("loop_nest", &loop_nest)
        .def_property_readonly("mapping", &mapping_of)
        .def_property_readonly("front", &front_of)
        .def("rows", &rows_of)
        .def(py::pickle(&shape_json, &read_shape))
        .def("__repr__", &shape_text)
        .def("_repr_html_", &shape_html);
}

// What the command line prints where it ends with status 1; "" where every layer has a mapping.
std::string failure_of(const report::Report& report) {
    std::vector<std::string> lines;
    bool all_mapped = true;
    const bool searched = report.provenance.command == "map";
    for (const report::LayerResult& layer : report.layers) {
        all_mapped = all_mapped && layer.mapping.has_value();
        if (!layer.evaluation && (searched || layer.mapping)) lines.push_back(report::failure_text(layer));
    }
    if (searched && report.layers.empty()) lines.push_back(report::no_layer_text(report.network, report.unmapped));
    if (!searched && !all_mapped) lines.push_back(report::missing_text(report));
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "\nerror: ") + line;
    return text;
}

std::vector<views::Document> documents_in(const std::vector<std::string>& texts) {
    std::vector<views::Document> read;
    for (const std::string& json : texts) read.push_back(documents::read_document(json, "report.json"));
    return read;
}

// The pictures of `tilewright plot KIND`: titles and SVG.
std::vector<std::pair<std::string, std::string>> pictures_of(const std::vector<std::string>& texts,
                                                             const std::string& kind) {
    std::vector<std::pair<std::string, std::string>> pictures;
    for (const views::Figure& figure : views::all_figures(documents_in(texts)))
        if (figure.kind == kind) pictures.emplace_back(plot::title_of(figure.chart), plot::svg(figure.chart));
    return pictures;
}

std::vector<std::string> picture_kinds() {
    std::vector<std::string> names;
    for (const views::FigureKind& kind : views::figure_kinds()) names.push_back(kind.name);
    for (const views::FigureKind& kind : views::document_figure_kinds()) names.push_back(kind.name);
    return names;
}

// A YAML text as Python's own values: maps, lists and texts.
py::object object_of(const yaml::Node& node) {
    if (node.is_null()) return py::none();
    if (node.is_scalar()) return py::str(node.text());
    if (node.is_sequence()) {
        py::list items;
        for (const yaml::Node& item : node.items()) items.append(object_of(item));
        return items;
    }
    py::dict map;
    for (const yaml::Node::Entry& entry : node.entries()) map[py::str(entry.key)] = object_of(entry.value);
    return map;
}

// One page of one document or several, side by side.
std::string page_of(const std::vector<std::string>& documents) {
    return page::html(documents_in(documents), page::assets());
}

}  // namespace

void bind_reports(py::module_& module) {
    bind_shapes(module);
    py::class_<report::Report, Shared>(module, "Report")
        .def_readonly("network", &report::Report::network)
        .def_readonly("interrupted", &report::Report::interrupted)
        .def_property_readonly("proven", &is_proven)
        .def_readonly("notes", &report::Report::notes)
        .def_property_readonly("architecture", [](const report::Report& one) { return one.architecture.name; })
        .def_property_readonly("cycle_seconds",
                               [](const report::Report& one) { return one.architecture.cycle_seconds; })
        .def_property_readonly("area_um2", [](const report::Report& one) { return total_area_um2(one.architecture); })
        .def_property_readonly("energy_pj", [](const report::Report& one) { return totals(one).energy_pj; })
        .def_property_readonly("cycles", [](const report::Report& one) { return totals(one).cycles; })
        .def_property_readonly("operations", [](const report::Report& one) { return totals(one).computes; })
        .def_property_readonly("utilization", [](const report::Report& one) { return totals(one).utilization; })
        .def_property_readonly("missing", &report::missing_text)
        .def_property_readonly("failure", &failure_of)
        .def("shapes", &shapes_of)
        .def("json", patiently(&report::report_json))
        .def("csv", patiently(py::overload_cast<const report::Report&>(&report::costs_csv)))
        .def("text", patiently(&report::report_text))
        .def("summary", patiently(&report::summary_text))
        .def("mapping_file", patiently(&mapping_file));
    module.def("read_report", patiently(&read_report), py::arg("text"), py::arg("file"));
    module.def("page", patiently(&page_of), py::arg("documents"));
    module.def("pictures", patiently(&pictures_of), py::arg("documents"), py::arg("kind"));
    module.def("picture_kinds", &picture_kinds);
    module.def(
        "values_in_yaml",
        [](const std::string& text, const std::string& name) { return object_of(yaml::parse_text(text, name)); },
        py::arg("text"), py::arg("name"));
}

bool is_proven(const report::Report& report) {
    return !report.layers.empty() && std::ranges::all_of(report.layers, [](const report::LayerResult& layer) {
        return layer.evaluation && layer.search && layer.search->proven;
    });
}

}  // namespace tilewright::python
