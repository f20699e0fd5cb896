// "tilewright-mappers": how good each mapper's best mapping was after so many evaluations, and after so much time.

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

views::Figure curves(const yaml::Node& root, const char* key, const std::string& title, const plot::Axis& spent) {
    plot::Plane chart{title, spent, {"score over the best anyone found", "", false}, {}};
    for (const yaml::Node& contestant : root.at("contestants").items()) {
        const std::string& factors = contestant.at("factors").text();
        const std::string& mapper = contestant.at("mapper").text();
        chart.series.push_back({factors == "perfect" ? mapper : mapper + "/" + factors, true, {}, -1});
    }
    for (const yaml::Node& point : root.at(key).items()) {
        const std::vector<yaml::Node>& relative = point.at("relative").items();
        if (relative.size() != chart.series.size())
            point.fail(ErrorCode::bad_value, "expected a value for each contestant");
        for (std::size_t c = 0; c < relative.size(); ++c)
            if (!is_absent(&relative[c]))
                chart.series[c].marks.push_back({amount(point.at("spent")), amount(relative[c]), ""});
    }
    return {
        "convergence",
        "The best so far over the best that anyone found: mean of the runs, geometric mean of the layers; 1 is best. A "
        "curve begins where every layer has a mapping.",
        chart, ""};
}

}  // namespace

views::Document read_mappers(const yaml::Node& root, const std::string& file) {
    const std::string what = root.at("network").text() + " on " + root.at("architecture").text();
    return {file,
            {},
            {curves(root, "by_evaluations", "Mappers by evaluations: " + what, {"evaluations", "", true}),
             curves(root, "by_seconds", "Mappers by time: " + what, {"time", "s", true})}};
}

}  // namespace tilewright::documents
