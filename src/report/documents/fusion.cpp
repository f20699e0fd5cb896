// "tilewright-fusion": the best fused mapping of a cascade.

#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/fused/search.hpp"

namespace tilewright::documents {
namespace {

std::int64_t number_of(const report::FusionGroup& group) { return static_cast<std::int64_t>(group.einsums.size()); }

// Spans must lie within the einsums, and their sum within a network: each einsum gets a place in the picture.
void check_spans(const report::FusionReport& report, const yaml::Node& groups) {
    constexpr std::int64_t kMostEinsums = 1'000'000;
    constexpr std::int64_t kMostPlaces = 10'000'000;
    std::int64_t places = 0;
    for (const report::FusionGroup& group : report.groups) {
        if (group.einsums.empty() || group.first > kMostEinsums)
            groups.fail(ErrorCode::bad_value, "expected groups of einsums that a network could have");
        const auto end = group.first + number_of(group);
        for (const report::FusionLine& line : group.lines) {
            if (line.first < group.first || line.last < line.first || line.last >= end)
                groups.fail(ErrorCode::bad_value, "'" + line.name + "' spans einsums that its group does not have");
            places += line.last - line.first + 1;
        }
        if (places > kMostPlaces) groups.fail(ErrorCode::bad_value, "more stores than can be drawn");
    }
}

}  // namespace

views::Document read_fusion(const yaml::Node& root, const std::string& file) {
    const auto report = read_as<report::FusionReport>(root);
    check_spans(report, root.at("groups"));
    views::Document document;
    document.file = file;
    document.figures = report::fusion_figures(report);
    document.headlines = {report::fusion_headline(report)};
    return document;
}

}  // namespace tilewright::documents
