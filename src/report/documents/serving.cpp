// "tilewright-llm": serving a language model.

#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/llm/document.hpp"

namespace tilewright::documents {

views::Document read_serving(const yaml::Node& root, const std::string& file) {
    auto serving = read_as<document::Serving>(root);
    report::ServingReport report;
    report.machine = serving.architecture;
    report.model = serving.network;
    report.latency = serving.latency;
    for (document::ServedPoint& point : serving.points) report.points.push_back(std::move(point.of));
    report.served = std::move(serving.served);
    report.notes = std::move(serving.notes);
    views::Document document;
    document.file = file;
    document.figures = report::serving_figures(report);
    document.headlines = {report::serving_headline(report)};
    return document;
}

}  // namespace tilewright::documents
