#include "report/page/data.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/plot/canvas.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::page {
namespace {

constexpr std::size_t kMostRows = 2000;
constexpr std::size_t kMostNests = 200;
constexpr double kJoules = 1e-12;

using Rows = std::vector<std::vector<std::string>>;

std::string totals_section(const std::vector<views::Run>& runs) {
    Rows rows;
    for (const views::Run& run : runs) {
        const views::Totals sum = totals(run);
        const double slots = run.units * sum.cycles;
        rows.push_back({run.title, run.accounting, count_text(sum.layers), count_text(sum.missing),
                        count_text(sum.computes), count_text(sum.cycles),
                        run.cycle_seconds ? si_text(sum.cycles * *run.cycle_seconds, "s") : "",
                        si_text(sum.energy_pj * kJoules, "J"),
                        slots > 0.0 ? fmt::format("{:.1f} %", 100.0 * sum.computes / slots) : ""});
    }
    return "<h2>Totals</h2>\n" + table("All layers, each as often as it runs, one after another.",
                                       {{"run"},
                                        {"accounting"},
                                        {"layers", true},
                                        {"without mapping", true},
                                        {"MACs", true},
                                        {"cycles", true},
                                        {"time", true},
                                        {"energy", true},
                                        {"utilization", true}},
                                       rows, kMostRows);
}

std::string notes_section(const std::vector<views::Run>& runs) {
    std::string text;
    for (const views::Run& run : runs) {
        if (run.interrupted)
            text += element("p", run.title + ": interrupted; every result is the best so far", "note warn");
        for (const std::string& note : run.slow_accesses) text += element("p", run.title + ": " + note, "note");
        for (const std::string& note : run.notes) text += element("p", run.title + ": " + note, "note");
    }
    return text;
}

std::string figures_section(const std::vector<views::Figure>& figures) {
    if (figures.empty()) return "";
    std::string text = "<h2>Pictures</h2>\n";
    for (const views::Figure& figure : figures)
        text +=
            "<figure>\n" + plot::svg(figure.chart) + element("figcaption", figure.caption, "caption") + "</figure>\n";
    return text;
}

std::string headline_section(const views::Headline& headline) {
    std::string text = element("h2", headline.title) + "<dl class=\"cards\">\n";
    for (const views::Card& card : headline.cards)
        text += "<div class=\"card\">" + element("dt", card.name) + element("dd", card.value, "value") +
                element("dd", card.about, "about") + "</div>\n";
    text += "</dl>\n";
    for (const views::TitledTable& titled : headline.tables) {
        std::vector<Column> columns;
        for (std::size_t c = 0; c < titled.table.names().size(); ++c)
            columns.push_back({titled.table.names()[c], titled.table.alignment()[c] == 'r'});
        text += table(titled.title, columns, titled.table.rows(), kMostRows);
    }
    for (const std::string& note : headline.notes) text += element("p", note, "note");
    return text;
}

std::string layers_table(const views::Run& run) {
    Rows rows;
    for (const views::Layer& layer : run.layers) {
        if (!layer.costs) {
            rows.push_back({layer.name, layer.op, count_text(layer.repeats), "", "", "", "", "no mapping"});
            continue;
        }
        rows.push_back({layer.name, layer.op, count_text(layer.repeats), count_text(layer.costs->computes),
                        count_text(layer.costs->cycles), si_text(layer.costs->energy_pj * kJoules, "J"),
                        fmt::format("{:.1f} %", 100.0 * layer.costs->utilization), layer.costs->bound});
    }
    return table("Layer shapes: one run of each.",
                 {{"layer"},
                  {"operator"},
                  {"repeats", true},
                  {"MACs", true},
                  {"cycles", true},
                  {"energy", true},
                  {"utilization", true},
                  {"bound"}},
                 rows, kMostRows);
}

std::string bounds_table(const views::Run& run) {
    Rows rows;
    for (const views::Layer& layer : run.layers)
        if (layer.search)
            rows.push_back({layer.name, layer.search->proven ? "yes" : "no", layer.search->claim,
                            count_text(static_cast<double>(layer.search->evaluations)), layer.search->stopped_by});
    if (rows.empty()) return "";
    return table("What is proven.", {{"layer"}, {"proven"}, {"claim"}, {"evaluations", true}, {"stopped by"}}, rows,
                 kMostRows);
}

std::string words_of(const document::StoreLine& line) {
    std::string text = line.store + " keeps";
    for (const std::string& tensor : line.tensors) text += " " + tensor;
    return line.tensors.empty() ? line.store + " keeps nothing" : text;
}

std::string words_of(const document::LoopLine& line) {
    const std::string rest = line.remainder == line.extent ? "" : fmt::format(" (the last: {})", line.remainder);
    const std::string kind = line.kind == LoopKind::temporal    ? "for "
                             : line.kind == LoopKind::spatial_x ? "across x, "
                                                                : "across y, ";
    return fmt::format("{}{} in {}{}", kind, line.loop, line.extent, rest);
}

const char* class_of(const document::StoreLine& /*line*/) { return "store"; }

const char* class_of(const document::LoopLine& line) {
    if (line.kind == LoopKind::temporal) return "temporal";
    return line.kind == LoopKind::spatial_x ? "x" : "y";
}

std::string nest_boxes(const document::Nest& nest) {
    std::string text;
    for (const auto& line : nest)
        text += std::visit(
            [](const auto& one) {
                return fmt::format("<div class=\"nest {}\">{}\n", class_of(one), plot::escaped(words_of(one)));
            },
            line);
    for (std::size_t i = 0; i < nest.size(); ++i) text += "</div>";
    return text + "\n";
}

std::string nests(const views::Run& run) {
    std::string text;
    std::size_t shown = 0;
    for (const views::Layer& layer : run.layers) {
        if (layer.nest.empty() && layer.failures.empty()) continue;
        if (++shown > kMostNests) return text + element("p", "and more: see report.json", "note");
        text += "<details>" + element("summary", layer.name + "  " + layer.einsum) + nest_boxes(layer.nest);
        for (const std::string& failure : layer.failures) text += element("p", failure, "note warn");
        text += "</details>\n";
    }
    return text.empty() ? "" : "<h3>Loop nests</h3>\n" + text;
}

std::string unmapped_table(const views::Run& run) {
    if (run.unmapped.empty()) return "";
    Rows rows;
    for (const UnmappedOperator& op : run.unmapped) rows.push_back({op.name, op.op, op.reason});
    return element("h3", fmt::format("Not mapped: {} operators", rows.size())) +
           table("They count in no sum.", {{"name"}, {"operator"}, {"why"}}, rows, kMostRows);
}

std::string provenance(const views::Run& run) {
    Rows rows{{"document", run.file},
              {"tilewright", run.tool_version},
              {"verb", run.command},
              {"accounting", run.accounting}};
    for (const report::Input& input : run.inputs) rows.push_back({"input " + input.name, input.xxh3});
    for (const auto& [name, value] : run.options) rows.push_back({name, value});
    return "<h3>Provenance</h3>\n" + table("All that decides these numbers.", {{"what"}, {"value"}}, rows, kMostRows);
}

}  // namespace

std::string static_content(const Content& content) {
    const auto& [runs, headlines, figures] = content;
    std::string text = notes_section(runs);
    for (const views::Headline& headline : headlines) text += headline_section(headline);
    if (!runs.empty()) text += totals_section(runs);
    text += figures_section(figures);
    for (const views::Run& run : runs)
        text += element("h2", run.title) + layers_table(run) + unmapped_table(run) + nests(run) + bounds_table(run) +
                provenance(run);
    return text;
}

std::string element(const std::string& tag, const std::string& text, const std::string& kind) {
    return fmt::format("<{0}{1}>{2}</{0}>\n", tag, kind.empty() ? "" : " class=\"" + kind + "\"", plot::escaped(text));
}

std::string table(const std::string& caption, const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows, std::size_t most) {
    std::string text = "<div class=\"scroll\"><table>\n" + element("caption", caption) + "<thead><tr>";
    for (const Column& column : columns)
        text += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "",
                            plot::escaped(column.name));
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 0; r < rows.size() && r < most; ++r) {
        text += "<tr>";
        for (std::size_t c = 0; c < columns.size(); ++c)
            text += fmt::format("<td{}>{}</td>", columns[c].number ? " class=\"number\"" : "",
                                c < rows[r].size() ? plot::escaped(rows[r][c]) : "");
        text += "</tr>\n";
    }
    text += "</tbody></table></div>\n";
    if (rows.size() > most) text += element("p", fmt::format("and {} more", rows.size() - most), "note");
    return text;
}

std::string count_text(double value) {
    if (value >= 1e15) return fmt::format("{:.4g}", value);
    const bool whole = value == std::floor(value);
    std::string text = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
    const std::size_t end = whole ? text.size() : text.find('.');
    for (std::size_t i = end; i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string si_text(double value, const std::string& unit) {
    const plot::Prefix prefix = plot::prefix_for(value);
    return plot::tick_text(value / prefix.factor) + " " + prefix.symbol + unit;
}

}  // namespace tilewright::page
