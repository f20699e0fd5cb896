#include "verbs/explore/explored.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/version.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/exploration/exploration.hpp"
#include "report/page/page.hpp"
#include "report/plot/chart.hpp"
#include "report/views/schedule_figures.hpp"

namespace tilewright::cli {
namespace {

using explore::Row;
using explore::Specification;
using explore::Status;

constexpr const char* kExplore = "explore";

std::string names_text(const std::vector<std::size_t>& objectives, const std::vector<explore::Metric>& metrics) {
    std::vector<std::string> names;
    names.reserve(objectives.size());
    for (const std::size_t objective : objectives) names.push_back(metrics[objective].name);
    return list_words(names);
}

// The rows that were asked for, in their order.
std::vector<Row> selected(const std::vector<Row>& all, const Specification& specification, const ShowOptions& show,
                          std::string& selection) {
    std::vector<Row> rows;
    std::vector<explore::Condition> conditions;
    for (const std::string& text : show.where)
        conditions.push_back(
            explore::parse_condition(text, specification.metrics, &specification.space, {"--where " + text}));
    for (const Row& row : all)
        if (std::all_of(conditions.begin(), conditions.end(), [&](const explore::Condition& condition) {
                return explore::satisfies(row, condition, specification.metrics, specification.space);
            }))
            rows.push_back(row);
    const std::vector<std::size_t> objectives = show.objectives(specification.metrics);
    if (!show.pareto.empty()) {
        rows = explore::pareto_front(rows, objectives, specification.metrics);
        selection = "the front of " + names_text(objectives, specification.metrics);
    } else if (!show.best.empty()) {
        std::erase_if(rows, [](const Row& row) { return row.status != Status::valid; });
        const std::size_t metric = objectives.front();
        const bool more = specification.metrics[metric].more_is_better;
        std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
            return more ? a.values[metric] > b.values[metric] : a.values[metric] < b.values[metric];
        });
        selection = "by " + names_text(objectives, specification.metrics) + ", the best first";
    }
    return rows;
}

std::optional<std::size_t> coloured_by(const Specification& specification, const ShowOptions& show) {
    if (show.color.empty()) return std::nullopt;
    const std::vector<explore::Knob>& knobs = specification.space.knobs();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < knobs.size(); ++i) {
        if (knobs[i].name == show.color) return i;
        names.push_back(knobs[i].name);
    }
    fail_usage(kExplore, "--color: there is no knob '" + show.color + "'; there are " + list_words(names));
}

// The front is that of --pareto, else of energy and latency.
std::vector<views::Figure> figures_of(const Specification& specification, const std::vector<Row>& rows,
                                      const std::string& title, const ShowOptions& show) {
    std::vector<std::size_t> objectives = show.objectives(specification.metrics);
    if (objectives.size() < 2)
        objectives = {explore::metric_named(specification.metrics, "energy", {}),
                      explore::metric_named(specification.metrics, "latency", {})};
    return views::exploration_figures(specification, rows, objectives, title, coloured_by(specification, show));
}

void write_pictures(const std::vector<views::Figure>& figures, const ShowOptions& show) {
    if (show.svg.empty()) return;
    make_directory(show.svg);
    std::vector<NamedBytes> files;
    for (const views::Figure& figure : figures)
        files.emplace_back((std::filesystem::path(show.svg) / (figure.kind + ".svg")).string(),
                           plot::svg(figure.chart));
    write_files("", files);
}

/// An exploration in the forms that were asked for; "" for the others.
struct Forms {
    std::string text;
    std::string json;
    std::string csv;
    std::string lines;
    std::string page;
};

void write_forms(const Forms& forms, const ShowOptions& show) {
    std::vector<NamedBytes> files = csv_file(show.csv, forms.csv);
    for (NamedBytes& file : csv_file(show.json_lines, forms.lines)) files.push_back(std::move(file));
    for (NamedBytes& file : csv_file(show.html, forms.page)) files.push_back(std::move(file));
    if (!show.directory.empty()) {
        files.emplace_back("report.txt", forms.text);
        files.emplace_back("report.json", forms.json);
        files.emplace_back("report.html", forms.page);
    }
    write_results(show.directory, files);
}

void print_form(const Forms& forms, const ShowOptions& show) {
    if (show.csv == kStandardOutput) print(forms.csv);
    if (show.json_lines == kStandardOutput) print(forms.lines);
    if (show.json) print(forms.json);
    if (show.quiet || show.json || show.csv == kStandardOutput || show.json_lines == kStandardOutput) return;
    print(forms.text);
}

// A table shows the first rows only.
std::string text_of(report::Exploration exploration, const ShowOptions& show) {
    const auto most = static_cast<std::size_t>(show.top.value_or(40));
    if (most > 0 && exploration.rows.size() > most) {
        exploration.left_out = static_cast<std::int64_t>(exploration.rows.size() - most);
        exploration.rows.resize(most);
    }
    return report::exploration_text(exploration);
}

}  // namespace

void ShowOptions::declare(Options& options) {
    options.group("Output");
    options.value("pareto", 0, "LIST", "show the points unbeaten in all of these: energy,area", &pareto);
    options.value("best", 0, "METRIC", "show the best points by this metric", &best);
    options.value("top", 0, "N", "points to show at most (default 40); 0: all", &top);
    options.value("where", 0, "LIST", "show points with this property: 'area_mm2<16,buffer.depth>=4k'", &where);
    options.flag("json", 'j', "print one JSON document instead of text", &json);
    options.value("csv", 0, "FILE", "write a row per point; '-': print them in place of the table", &csv).completes =
        "file";
    options
        .value("jsonl", 0, "FILE", "write a JSON object per point; '-': print them in place of the table", &json_lines)
        .completes = "file";
    options.value("html", 0, "FILE", "write the page for a browser there (-o DIR writes it, too)", &html).completes =
        "file";
    options.value("svg", 0, "DIR", "write the same pictures: DIR/explored.svg and DIR/parallel.svg", &svg).completes =
        "directory";
    options.value("color", 0, "KNOB", "in these pictures, the values of a knob have colors of their own", &color);
    options.flag("quiet", 'q', "print nothing but errors (and CSV or JSON)", &quiet);
    csv_or_json(options);
    options.not_with({"best"}, {"pareto"}, "--best and --pareto contradict each other");
    options.not_with({"csv=-"}, {"jsonl=-"}, "--csv - and --jsonl - both want standard output");
    options.not_with({"jsonl=-"}, {"json"}, "--json and --jsonl - both want standard output");
}

void ShowOptions::declare_directory(Options& options) {
    options.value("output", 'o', "DIR", "write the report and explore.sqlite, the store, there", &directory).completes =
        "directory";
}

std::vector<std::size_t> ShowOptions::objectives(const std::vector<explore::Metric>& metrics) const {
    std::vector<std::size_t> all;
    if (!best.empty()) all.push_back(explore::metric_named(metrics, best, {"--best " + best}));
    for (const std::string& name : pareto) all.push_back(explore::metric_named(metrics, name, {"--pareto " + name}));
    return all;
}

void ShowOptions::check() const {
    if (!pareto.empty() && (pareto.size() < 2 || pareto.size() > 3))
        fail_usage(kExplore, "--pareto takes two or three metrics, such as energy,area");
    for (const std::string& file : {csv, json_lines, html})
        if (!file.empty() && file != kStandardOutput) check_target(file);
}

void present(explore::Store& store, const Specification& specification, const std::string& title,
             const ShowOptions& show, std::vector<std::string> notes) {
    const std::vector<Row> every = explore::all_rows(store);
    const std::vector<Row> all = explore::rows_that_count(every, specification);
    report::Exploration exploration;
    exploration.title = title;
    exploration.specification = &specification;
    exploration.rows = selected(all, specification, show, exploration.selection);
    exploration.objectives = show.objectives(specification.metrics);
    if (exploration.objectives.empty())
        exploration.objectives = {explore::metric_named(specification.metrics, specification.metrics.front().name, {})};
    for (const Row& row : every)
        if (row.status == Status::failed) exploration.failures.push_back(row);
    exploration.counts = store.counts();
    exploration.complete = store.is_complete();
    exploration.hash = explore::hash_of_rows(all);
    exploration.notes = std::move(notes);

    Forms forms;
    forms.text = text_of(exploration, show);
    const bool has_folder = !show.directory.empty();
    if (has_folder || show.json) forms.json = report::exploration_json(exploration, build_version());
    if (!show.csv.empty()) forms.csv = report::exploration_csv(specification, exploration.rows);
    if (!show.json_lines.empty()) forms.lines = report::exploration_json_lines(specification, exploration.rows);
    if (has_folder || !show.html.empty() || !show.svg.empty()) {
        const std::vector<views::Figure> figures = figures_of(specification, all, title, show);
        if (has_folder || !show.html.empty()) forms.page = page::html({{title, {}, figures}}, page::assets());
        write_pictures(figures, show);
    }
    write_forms(forms, show);
    print_form(forms, show);
}

}  // namespace tilewright::cli
