#include "report/page/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/plot/canvas.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/ruler.hpp"
#include "report/views/overview.hpp"
#include "report/views/parts.hpp"
#include "yaml/schema.hpp"
#include "yaml/writer.hpp"

namespace tilewright::plot {

void fields(yaml::Archive& archive, Axis& axis) {
    archive.name("Axis");
    archive("label", axis.label);
    archive("unit", axis.unit);
    archive("log", axis.logarithmic);
    archive("names", axis.names, "what stands at 1, 2, ... in place of the numbers");
}

void fields(yaml::Archive& archive, Ruler& ruler) {
    archive.name("Ruler", "An axis that fits its values.");
    archive("label", ruler.axis.label);
    archive("unit", ruler.axis.unit);
    archive("log", ruler.axis.logarithmic);
    archive("names", ruler.axis.names, "what stands at 1, 2, ... in place of the numbers");
    archive("low", ruler.low);
    archive("high", ruler.high);
    archive("ticks", ruler.ticks);
    archive("digits", ruler.digits, "significant ones that tell neighbouring ticks apart");
}

/// A part, a series or a kind in its colour.
template <typename T>
struct Coloured {
    T of;
    std::string colour;
};

void fields(yaml::Archive& archive, Coloured<Part>& part) {
    archive("name", part.of.name);
    archive("colour", part.colour);
    archive("values", part.of.values);
}

void fields(yaml::Archive& archive, StackedBars& chart) {
    archive.name("Bars");
    archive.constant("type", "bars");
    archive("title", chart.title);
    archive("bars", chart.bars);
    archive("axis", chart.axis);
    std::vector<Coloured<Part>> parts;
    for (std::size_t p = 0; p < chart.parts.size(); ++p) parts.push_back({chart.parts[p], part_colour(chart, p)});
    archive("parts", parts);
}

void fields(yaml::Archive& archive, Mark& mark) { archive.items(mark.x, mark.y, mark.label); }

void fields(yaml::Archive& archive, Coloured<Series>& series) {
    archive("name", series.of.name);
    archive("line", series.of.line);
    archive("labelled", series.of.labelled, "marks have their labels beside them");
    archive("colour", series.colour);
    archive("marks", series.of.marks);
}

void fields(yaml::Archive& archive, Plane& chart) {
    archive.name("Plane");
    archive.constant("type", "plane");
    archive("title", chart.title);
    std::vector<Coloured<Series>> series;
    for (std::size_t k = 0; k < chart.series.size(); ++k) series.push_back({chart.series[k], series_colour(chart, k)});
    archive("x", ruler_of(chart.x, chart.series, &Mark::x));
    archive("y", ruler_of(chart.y, chart.series, &Mark::y));
    archive("series", series);
    archive("scales", chart.scales, "texts at their places: the values of upright axes");
}

void fields(yaml::Archive& archive, HeatMap& chart) {
    archive.name("Heat");
    archive.constant("type", "heat");
    archive("title", chart.title);
    archive("rows", chart.rows);
    archive("columns", chart.columns);
    archive("value", chart.value);
    archive("cells", chart.cells);
}

void fields(yaml::Archive& archive, Block& block) {
    archive.items(block.begin, block.end, block.low, block.high, block.kind, block.label);
}

// Resolution of a screen.
inline Blocks distinct(const Blocks& chart) {
    constexpr double kPixels = 4000.0;
    double last = 0.0;
    for (const Block& block : chart.blocks) last = std::max(last, block.end);
    return merged(chart, last / kPixels);
}

void fields(yaml::Archive& archive, Blocks& all) {
    const Blocks chart = distinct(all);
    archive.name("Blocks", "Rectangles: rows of spans (a Gantt chart), or ranges of an axis over time.");
    archive.constant("type", "blocks");
    archive("title", chart.title);
    archive("x", chart.x);
    archive("rows", chart.rows);
    archive("y", chart.y);
    archive("kinds", chart.kinds);
    std::vector<std::string> colours;
    for (std::size_t k = 0; k < chart.kinds.size(); ++k) colours.push_back(kind_colour(chart.kinds, k));
    archive("colours", colours, "of the kinds");
    archive("blocks", chart.blocks, "begin, end, low, high, kind, label");
}

}  // namespace tilewright::plot

namespace tilewright::views {

void fields(yaml::Archive& archive, RunMemory& memory) {
    archive.name("Memory");
    archive("name", memory.name);
    archive("instances", memory.instances);
    archive("read_words_per_cycle", memory.read_words_per_cycle);
    archive("write_words_per_cycle", memory.write_words_per_cycle);
    archive("shared_words_per_cycle", memory.shared_words_per_cycle);
    archive("capacity_words", memory.capacity_words);
    archive("spreads_only", memory.spreads_only, "a fan-out without storage");
    archive("mesh_x", memory.mesh_x, "0: not known");
    archive("mesh_y", memory.mesh_y);
    archive("word_bits", memory.word_bits);
}

void fields(yaml::Archive& archive, ComputeUnits& units) {
    archive.name("ComputeUnits");
    archive("name", units.name);
    archive("mesh_x", units.mesh_x, "0: not known");
    archive("mesh_y", units.mesh_y);
    archive("word_bits", units.word_bits);
}

void fields(yaml::Archive& archive, Limit& limit) {
    archive.name("Limit");
    archive("what", limit.what, "\"compute units\", \"vector unit\", or a memory");
    archive("shapes", limit.shapes, "whose latency it bounds");
    archive("cycles_share", limit.cycles_share, "of all cycles, those of these layers");
}

void fields(yaml::Archive& archive, Overview& overview) {
    archive.name("Overview");
    archive("shapes", overview.shapes, "with costs");
    archive("chosen", overview.chosen, "of these: mapped, not run on a vector unit, which leaves no choice");
    archive("proven", overview.proven, "of those: no mapping of their spaces is better");
    archive("proof", overview.proof, "\"\": nothing was searched");
    archive("limits", overview.limits, "the most cycles first");
    archive("findings", overview.findings, "sentences");
}

void fields(yaml::Archive& archive, TensorCosts& tensor) {
    archive.name("TensorCosts");
    archive("tensor", tensor.tensor);
    archive("tile_words", tensor.tile_words);
    archive("read_words", tensor.read_words);
    archive("fill_words", tensor.fill_words);
    archive("update_words", tensor.update_words);
    archive("energy_pj", tensor.energy_pj);
    archive("link_words", tensor.link_words);
    archive("link_energy_pj", tensor.link_energy_pj);
}

void fields(yaml::Archive& archive, MemoryCosts& memory) {
    archive.name("MemoryCosts");
    archive("memory", memory.memory);
    archive("used_words", memory.used_words);
    archive("leakage_pj", memory.leakage_pj);
    archive("tensors", memory.tensors);
}

void fields(yaml::Archive& archive, Amount& amount) { archive.items(amount.name, amount.value); }

void fields(yaml::Archive& archive, Costs& costs) {
    archive.name("Costs");
    archive("computes", costs.computes);
    archive("cycles", costs.cycles);
    archive("energy_pj", costs.energy_pj);
    archive("compute_energy_pj", costs.compute_energy_pj);
    archive("utilization", costs.utilization);
    archive("bound", costs.bound);
    archive("bound_memory", costs.bound_memory, "\"\": what computes, or not known");
    archive("computed_by", costs.computed_by(), "\"compute units\", or \"vector unit\"");
    archive("memories", costs.memories);
    archive("cycle_parts", costs.cycle_parts);
}

// A sparse selection of a long front: nests of 100,000 mappings would dominate the page.
inline std::vector<std::size_t> shown_front(const std::vector<document::FrontPoint>& front) {
    constexpr std::size_t kMostShown = 1000;
    std::vector<plot::PlacedPoint> points;
    points.reserve(front.size());
    for (const document::FrontPoint& point : front)
        points.push_back({static_cast<double>(point.cycles), point.energy_pj});
    return plot::drawn_points(points, {"", "", true}, {"", "", true}, kMostShown);
}

void fields(yaml::Archive& archive, Layer& layer) {
    std::vector<document::FrontPoint> front;
    std::vector<std::size_t> numbers;
    for (const std::size_t i : shown_front(layer.front)) {
        front.push_back(layer.front[i]);
        numbers.push_back(i + 1);
    }
    archive.name("Layer");
    archive("name", layer.name);
    archive("operator", layer.op);
    archive("repeats", layer.repeats);
    archive("einsum", layer.einsum);
    archive("same_shape", layer.same_shape);
    archive("dimensions", layer.extents);
    archive("tensors", layer.tensors);
    archive("failures", layer.failures);
    archive("costs", layer.costs);
    archive("mapping", layer.nest);
    archive("front", front);
    archive("front_numbers", numbers, "which of the front's mappings they are, from 1");
    archive("front_of", layer.front.size(), "how many there are; those that lie close to others are left out");
    archive("search", layer.search);
}

void fields(yaml::Archive& archive, Run& run) {
    archive.name("Run");
    archive("title", run.title);
    archive("file", run.file);
    archive("network", run.network);
    archive("architecture", run.architecture);
    archive("technology", run.technology);
    archive("tool_version", run.tool_version);
    archive("command", run.command);
    archive("accounting", run.accounting);
    archive("interrupted", run.interrupted);
    archive("inputs", run.inputs);
    archive("options", run.options);
    archive("notes", run.notes);
    archive("slow_accesses", run.slow_accesses, "notes that no latency is right without");
    archive("overview", overview_of(run));
    archive("units", run.units);
    archive("compute", run.compute);
    archive("cycle_seconds", run.cycle_seconds);
    archive("area_um2", run.area_um2);
    archive("memories", run.memories);
    archive("layers", run.layers);
    archive("unmapped_operators", run.unmapped);
}

void fields(yaml::Archive& archive, Card& card) {
    archive.name("Card");
    archive("name", card.name);
    archive("value", card.value);
    archive("about", card.about);
}

void fields(yaml::Archive& archive, TitledTable& titled) {
    archive.name("TextTable", "A table of texts.");
    archive("title", titled.title);
    archive("columns", titled.table.names());
    archive("alignment", titled.table.alignment(), "a letter for each column: l or r");
    archive("rows", titled.table.rows());
}

void fields(yaml::Archive& archive, Headline& headline) {
    archive.name("Headline", "What a document says before its pictures.");
    archive("title", headline.title);
    archive("cards", headline.cards);
    archive("tables", headline.tables);
    archive("notes", headline.notes);
}

void fields(yaml::Archive& archive, Figure& figure) {
    archive.name("Figure");
    archive("kind", figure.kind);
    archive("caption", figure.caption);
    archive("of", figure.of);
    archive("chart", figure.chart);
}

}  // namespace tilewright::views

namespace tilewright::page {
namespace {

// 13053.0 -> 13053: a page has tens of thousands of counts.
void shorten(yaml::Json& json) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (json.is_structured()) {
        for (yaml::Json& value : json) shorten(value);
    } else if (json.is_number_float()) {
        const double value = json.get<double>();
        if (value == std::floor(value) && std::abs(value) < kExact) json = static_cast<std::int64_t>(value);
    }
}

void list_page(yaml::Archive& archive, const Content& content) {
    archive.name("Page", "Counts are those of one run of a layer; energies are pJ.");
    archive("runs", content.runs);
    archive("headlines", content.headlines, "of documents that are no runs");
    archive("colours", views::Palette(content.runs).entries(), "of memories and tensors, in every view");
    archive("figures", content.figures);
}

}  // namespace

std::string data_json(const Content& content) {
    yaml::Json json = yaml::Writer::listed([&](yaml::Archive& archive) { list_page(archive, content); });
    shorten(json);
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

std::string data_types() {
    const auto list = [](yaml::Archive& archive) { list_page(archive, {}); };
    return yaml::typescript_text(yaml::listing_of(list));
}

}  // namespace tilewright::page
