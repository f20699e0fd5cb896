#include "report/page/data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/views/thinning.hpp"

namespace tilewright::page {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

template <typename Values, typename Write>
Json list_of(const Values& values, Write write) {
    Json list = Json::array();
    for (const auto& value : values) list.push_back(write(value));
    return list;
}

Json json_of(const views::Memory& memory) {
    return {{"name", memory.name},
            {"instances", memory.instances},
            {"read", or_null(memory.read_words_per_cycle)},
            {"write", or_null(memory.write_words_per_cycle)},
            {"shared", or_null(memory.shared_words_per_cycle)},
            {"capacity", or_null(memory.capacity_words)}};
}

Json json_of(const views::TensorCosts& tensor) {
    return {{"tensor", tensor.tensor},        {"tile", tensor.tile_words},          {"read", tensor.read_words},
            {"fill", tensor.fill_words},      {"update", tensor.update_words},      {"energy", tensor.energy_pj},
            {"linkWords", tensor.link_words}, {"linkEnergy", tensor.link_energy_pj}};
}

Json json_of(const views::Costs& costs) {
    Json json{{"computes", costs.computes},       {"cycles", costs.cycles},
              {"energy", costs.energy_pj},        {"computeEnergy", costs.compute_energy_pj},
              {"utilization", costs.utilization}, {"bound", costs.bound}};
    json["memories"] = list_of(costs.memories, [](const views::MemoryCosts& memory) {
        return Json{{"memory", memory.memory},
                    {"used", memory.used_words},
                    {"leakage", memory.leakage_pj},
                    {"tensors", list_of(memory.tensors, [](const auto& tensor) { return json_of(tensor); })}};
    });
    json["cycleParts"] =
        list_of(costs.cycle_parts, [](const views::Amount& part) { return Json::array({part.name, part.value}); });
    return json;
}

Json nest_of(const std::vector<views::NestLine>& nest) {
    return list_of(nest, [](const views::NestLine& line) {
        if (line.kind == views::NestLine::Kind::store) return Json::array({kind_of(line), line.name, line.tensors});
        return Json::array({kind_of(line), line.name, line.extent, line.remainder});
    });
}

// Those of a long front that lie apart: a nest for each of 100,000 mappings would be the larger part of the page.
std::vector<std::size_t> shown_front(const std::vector<views::FrontPoint>& front) {
    constexpr std::size_t kMostShown = 1000;
    std::vector<views::PlacedPoint> points;
    points.reserve(front.size());
    for (const views::FrontPoint& point : front) points.push_back({point.cycles, point.energy_pj});
    return drawn_points(points, {"", "", true}, {"", "", true}, kMostShown);
}

Json json_of(const views::Search& search) {
    return {{"evaluations", search.evaluations}, {"valid", search.valid},
            {"stoppedBy", search.stopped_by},    {"lowerBound", or_null(search.lower_bound)},
            {"proven", or_null(search.proven)},  {"claim", search.claim},
            {"fromCache", search.from_cache}};
}

Json json_of(const views::Layer& layer) {
    Json json{{"name", layer.name}, {"operator", layer.op}, {"repeats", layer.repeats}, {"einsum", layer.einsum}};
    json["sameShape"] = layer.same_shape;
    json["extents"] = list_of(
        layer.extents, [](const views::Extent& extent) { return Json::array({extent.dimension, extent.extent}); });
    json["tensors"] = list_of(layer.tensors, [](const views::Tensor& tensor) {
        return Json::array({tensor.name, tensor.words, tensor.written});
    });
    json["failures"] = layer.failures;
    json["costs"] = layer.costs ? json_of(*layer.costs) : Json(nullptr);
    json["nest"] = nest_of(layer.nest);
    json["front"] = list_of(shown_front(layer.front), [&](std::size_t i) {
        const views::FrontPoint& point = layer.front[i];
        return Json::array({point.energy_pj, point.cycles, nest_of(point.nest), i + 1});
    });
    json["frontOf"] = layer.front.size();
    json["search"] = layer.search ? json_of(*layer.search) : Json(nullptr);
    return json;
}

Json json_of(const views::Run& run) {
    Json json{{"title", run.title},           {"file", run.file},
              {"network", run.network},       {"architecture", run.architecture},
              {"technology", run.technology}, {"version", run.tool_version},
              {"command", run.command},       {"accounting", run.accounting}};
    json["interrupted"] = run.interrupted;
    json["inputs"] = run.inputs;
    json["options"] = run.options;
    json["notes"] = run.notes;
    json["units"] = run.units;
    json["cycleSeconds"] = or_null(run.cycle_seconds);
    json["area"] = or_null(run.area_um2);
    json["memories"] = list_of(run.memories, [](const auto& memory) { return json_of(memory); });
    json["layers"] = list_of(run.layers, [](const auto& layer) { return json_of(layer); });
    json["unmapped"] = list_of(
        run.unmapped, [](const views::UnmappedOperator& op) { return Json::array({op.name, op.op, op.reason}); });
    return json;
}

Json json_of(const plot::Axis& axis) {
    return {{"label", axis.label}, {"unit", axis.unit}, {"log", axis.logarithmic}, {"names", axis.names}};
}

Json json_of(const plot::StackedBars& chart) {
    return {{"type", "bars"},
            {"title", chart.title},
            {"bars", chart.bars},
            {"axis", json_of(chart.axis)},
            {"parts", list_of(chart.parts, [](const plot::Part& part) {
                 return Json{{"name", part.name}, {"values", part.values}};
             })}};
}

Json json_of(const plot::Plane& chart) {
    return {{"type", "plane"},
            {"title", chart.title},
            {"x", json_of(chart.x)},
            {"y", json_of(chart.y)},
            {"series", list_of(chart.series, [](const plot::Series& series) {
                 return Json{{"name", series.name},
                             {"line", series.line},
                             {"colour", series.colour},
                             {"marks", list_of(series.marks, [](const plot::Mark& mark) {
                                  return Json::array({mark.x, mark.y, mark.label});
                              })}};
             })}};
}

Json json_of(const plot::HeatMap& chart) {
    return {{"type", "heat"},           {"title", chart.title},          {"rows", chart.rows},
            {"columns", chart.columns}, {"value", json_of(chart.value)}, {"cells", chart.cells}};
}

// What a screen can tell apart.
Json json_of(const plot::Blocks& all) {
    constexpr double kPixels = 4000.0;
    double last = 0.0;
    for (const plot::Block& block : all.blocks) last = std::max(last, block.end);
    const plot::Blocks chart = merged(all, last / kPixels);
    return {{"type", "blocks"},
            {"title", chart.title},
            {"x", json_of(chart.x)},
            {"rows", chart.rows},
            {"y", json_of(chart.y)},
            {"kinds", chart.kinds},
            {"blocks", list_of(chart.blocks, [](const plot::Block& b) {
                 return Json::array({b.begin, b.end, b.low, b.high, b.kind, b.label});
             })}};
}

}  // namespace

const char* kind_of(const views::NestLine& line) {
    using Kind = views::NestLine::Kind;
    switch (line.kind) {
        case Kind::store: return "store";
        case Kind::temporal: return "temporal";
        case Kind::spatial_x: return "x";
        case Kind::spatial_y: return "y";
    }
    return "temporal";
}

std::string data_json(const std::vector<views::Run>& runs, const std::vector<views::Figure>& figures) {
    Json json;
    json["runs"] = list_of(runs, [](const auto& run) { return json_of(run); });
    json["figures"] = list_of(figures, [](const views::Figure& figure) {
        return Json{{"kind", figure.kind},
                    {"caption", figure.caption},
                    {"of", figure.of},
                    {"chart", std::visit([](const auto& chart) { return json_of(chart); }, figure.chart)}};
    });
    const std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<')
            safe += "\\u003c";
        else if (c == '>')
            safe += "\\u003e";
        else if (c == '&')
            safe += "\\u0026";
        else
            safe += c;
    }
    return safe;
}

}  // namespace tilewright::page
