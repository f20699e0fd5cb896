// "tilewright-codesign": the best machine of a space. "tilewright-codesign-front": a Pareto front.

#include <algorithm>
#include <sstream>

#include "report/codesign/machine_front.hpp"
#include "report/documents/parts.hpp"
#include "report/fields.hpp"

namespace tilewright::documents {
namespace {

// Parts of stacked bars must not be negative.
void check_counts(const codesign::Counts& counts, const yaml::Node& node) {
    if (counts.invalid > counts.mapped)
        node.at("machines_not_valid").fail(ErrorCode::bad_value, "expected no more than were mapped");
    if (counts.quick_worse > counts.worse)
        node.at("machines_ruled_out_by_quick_floors")
            .fail(ErrorCode::bad_value, "expected no more than all floors ruled out");
}

template <class Values>
bool are_of(const Values& values, const std::vector<std::string>& names) {
    return std::ranges::equal(values, names, {}, [](const auto& one) { return one.first; });
}

// All metrics of the exploration, from its options.
void check_metrics(const std::vector<std::pair<std::string, double>>& metrics, const report::Provenance& provenance,
                   const yaml::Node& node) {
    const auto measured = std::ranges::find(provenance.options, "metrics", [](const auto& one) { return one.first; });
    if (measured == provenance.options.end()) return;
    std::istringstream names(measured->second);
    for (std::string name; std::getline(names, name, ',');)
        if (std::ranges::find(metrics, name, [](const auto& one) { return one.first; }) == metrics.end())
            node.fail(ErrorCode::missing_key, "expected a value of '" + name + "', which the options name");
}

// All have the front's metrics, and the first one's knobs.
void check_front(const report::MachineFrontReport& report, const yaml::Node& root) {
    if (report.metrics.size() != 2 && report.metrics.size() != 3)
        root.at("metrics").fail(ErrorCode::bad_value, "expected two or three metrics");
    const auto refuse = [&](const char* list, std::size_t i, const char* key) {
        root.at(list).items()[i].at(key).fail(ErrorCode::bad_value, "expected a value of each metric of the front");
    };
    for (std::size_t i = 0; i < report.front.size(); ++i)
        if (!are_of(report.front[i].values, report.metrics)) refuse("front", i, "values");
    for (std::size_t i = 0; i < report.envelope.size(); ++i)
        if (!are_of(report.envelope[i].floors, report.metrics)) refuse("envelope", i, "floors");
    const auto names = [](const auto& one) {
        std::vector<std::string> all;
        for (const auto& [name, value] : one.knobs) all.push_back(name);
        return all;
    };
    const auto check_knobs = [&](const auto& all, const char* list) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (names(all[i]) != names(all.front()))
                root.at(list).items()[i].at("knobs").fail(ErrorCode::bad_value, "expected the knobs of the first one");
    };
    check_knobs(report.front, "front");
    check_knobs(report.envelope, "envelope");
    for (std::size_t i = 0; i < report.front.size(); ++i)
        for (std::size_t m = 0; m < report.front[i].mapped.size(); ++m)
            check_metrics(report.front[i].mapped[m].metrics, report.provenance,
                          root.at("front").items()[i].at("mapped").items()[m].at("metrics"));
}

template <class Report>
Report checked(const yaml::Node& root) {
    auto report = read_as<Report>(root);
    check_counts(report.counts, root.at("counts"));
    return report;
}

}  // namespace

views::Document read_best_machine(const yaml::Node& root, const std::string& file) {
    const auto report = checked<report::BestMachineReport>(root);
    if (report.best) check_metrics(report.best->metrics, report.provenance, root.at("best").at("metrics"));
    if (!report.worth.empty() && !report.value)
        root.at("worth").fail(ErrorCode::bad_value, "expected nothing: there is no best machine");
    return {file, {}, report::best_machine_figures(report), {}, {report::best_machine_headline(report)}};
}

views::Document read_machine_front(const yaml::Node& root, const std::string& file) {
    const auto report = checked<report::MachineFrontReport>(root);
    check_front(report, root);
    return {file, {}, report::machine_front_figures(report), {}, {report::machine_front_headline(report)}};
}

}  // namespace tilewright::documents
