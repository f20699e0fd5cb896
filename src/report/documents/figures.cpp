// "tilewright-figures": pictures computed elsewhere, such as a study's beside a paper's numbers: stacked bars, or marks
// and lines on a plane.

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

using yaml::list_of;

std::string written(const yaml::Node& node) { return read_as<std::string>(node); }

std::string written_or_none(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    return node == nullptr ? "" : written(*node);
}

bool is_set(const yaml::Node& map, const char* key) {
    const yaml::Node* node = map.find(key);
    return node != nullptr && read_as<bool>(*node);
}

plot::Axis axis_of(const yaml::Node& node) {
    node.expect_keys({"label", "unit", "logarithmic"});
    return {written(node.at("label")), written_or_none(node, "unit"), is_set(node, "logarithmic")};
}

plot::StackedBars bars_of(const yaml::Node& node, const std::string& title) {
    node.expect_keys({"bars", "axis", "parts"});
    plot::StackedBars chart{title, read_as<std::vector<std::string>>(node.at("bars")), axis_of(node.at("axis")), {}};
    for (const yaml::Node& part : list_of(node.at("parts"))) {
        part.expect_keys({"name", "values"});
        chart.parts.push_back({written(part.at("name")), read_as<std::vector<double>>(part.at("values"))});
        if (chart.parts.back().values.size() != chart.bars.size())
            part.at("values").fail(ErrorCode::bad_value,
                                   "expected a value for each of the " + std::to_string(chart.bars.size()) + " bars");
    }
    if (chart.bars.empty() || chart.parts.empty())
        node.fail(ErrorCode::bad_value, "expected at least one bar and one part");
    return chart;
}

plot::Mark mark_of(const yaml::Node& node) {
    const std::vector<yaml::Node>& items = list_of(node);
    if (items.size() != 2 && items.size() != 3) node.fail(ErrorCode::bad_value, "expected [x, y] or [x, y, label]");
    return {read_as<double>(items[0]), read_as<double>(items[1]), items.size() == 3 ? written(items[2]) : ""};
}

plot::Plane plane_of(const yaml::Node& node, const std::string& title) {
    node.expect_keys({"x", "y", "series"});
    plot::Plane chart{title, axis_of(node.at("x")), axis_of(node.at("y")), {}};
    for (const yaml::Node& series : list_of(node.at("series"))) {
        series.expect_keys({"name", "line", "marks"});
        chart.series.push_back({written(series.at("name")), is_set(series, "line"), {}, -1});
        for (const yaml::Node& mark : list_of(series.at("marks"))) chart.series.back().marks.push_back(mark_of(mark));
    }
    if (chart.series.empty()) node.fail(ErrorCode::bad_value, "expected at least one series");
    return chart;
}

}  // namespace

views::Document read_figures(const yaml::Node& root, const std::string& file) {
    root.expect_keys({"schema", "figures"});
    views::Document document{file, {}, {}};
    for (const yaml::Node& node : list_of(root.at("figures"))) {
        node.expect_keys({"title", "about", "bars", "plane"});
        const std::string title = written(node.at("title"));
        if (node.has("bars") == node.has("plane"))
            node.fail(ErrorCode::missing_key, "expected either 'bars' or 'plane'");
        views::Figure figure{"figure", written_or_none(node, "about"), plot::StackedBars{}, ""};
        if (node.has("bars"))
            figure.chart = bars_of(node.at("bars"), title);
        else
            figure.chart = plane_of(node.at("plane"), title);
        document.figures.push_back(std::move(figure));
    }
    return document;
}

}  // namespace tilewright::documents
