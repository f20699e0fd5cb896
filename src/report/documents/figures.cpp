// "tilewright-figures": pictures that others computed, such as a study's beside a paper's numbers: stacked bars,
// or marks and lines on a plane.

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

plot::Axis axis_of(const yaml::Node& node) {
    node.expect_keys({"label", "unit", "logarithmic"});
    plot::Axis axis{node.at("label").text(), optional_text(node, "unit"), false};
    if (const yaml::Node* logarithmic = node.find("logarithmic")) axis.logarithmic = logarithmic->boolean();
    return axis;
}

plot::StackedBars bars_of(const yaml::Node& node, const std::string& title) {
    node.expect_keys({"bars", "axis", "parts"});
    plot::StackedBars chart{title, texts(node.at("bars")), axis_of(node.at("axis")), {}};
    for (const yaml::Node& part : node.at("parts").items()) {
        part.expect_keys({"name", "values"});
        chart.parts.push_back({part.at("name").text(), {}});
        for (const yaml::Node& value : part.at("values").items()) chart.parts.back().values.push_back(amount(value));
        if (chart.parts.back().values.size() != chart.bars.size())
            part.at("values").fail(ErrorCode::bad_value,
                                   "expected a value for each of the " + std::to_string(chart.bars.size()) + " bars");
    }
    if (chart.bars.empty() || chart.parts.empty())
        node.fail(ErrorCode::bad_value, "expected at least one bar and one part");
    return chart;
}

plot::Mark mark_of(const yaml::Node& node) {
    const std::vector<yaml::Node>& items = node.items();
    if (items.size() != 2 && items.size() != 3) node.fail(ErrorCode::bad_value, "expected [x, y] or [x, y, label]");
    return {amount(items[0]), amount(items[1]), items.size() == 3 ? items[2].text() : ""};
}

plot::Plane plane_of(const yaml::Node& node, const std::string& title) {
    node.expect_keys({"x", "y", "series"});
    plot::Plane chart{title, axis_of(node.at("x")), axis_of(node.at("y")), {}};
    for (const yaml::Node& series : node.at("series").items()) {
        series.expect_keys({"name", "line", "marks"});
        chart.series.push_back({series.at("name").text(), false, {}, -1});
        if (const yaml::Node* line = series.find("line")) chart.series.back().line = line->boolean();
        for (const yaml::Node& mark : series.at("marks").items()) chart.series.back().marks.push_back(mark_of(mark));
    }
    if (chart.series.empty()) node.fail(ErrorCode::bad_value, "expected at least one series");
    return chart;
}

}  // namespace

views::Document read_figures(const yaml::Node& root, const std::string& file) {
    root.expect_keys({"schema", "figures"});
    views::Document document{file, {}, {}};
    for (const yaml::Node& node : root.at("figures").items()) {
        node.expect_keys({"title", "about", "bars", "plane"});
        const std::string& title = node.at("title").text();
        if (node.has("bars") == node.has("plane"))
            node.fail(ErrorCode::missing_key, "expected either 'bars' or 'plane'");
        views::Figure figure{"figure", optional_text(node, "about"), plot::StackedBars{}, ""};
        if (node.has("bars"))
            figure.chart = bars_of(node.at("bars"), title);
        else
            figure.chart = plane_of(node.at("plane"), title);
        document.figures.push_back(std::move(figure));
    }
    return document;
}

}  // namespace tilewright::documents
