// Values in documents. Internal to documents/.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/views/figures.hpp"
#include "yaml/reader.hpp"

namespace tilewright::documents {

/// Sums of a million of such numbers are finite.
inline constexpr double kLargest = 1e60;
inline constexpr yaml::Reader::Rules kRules{false, kLargest, std::numeric_limits<std::int64_t>::max(),
                                            "a number from 0 to 1e60", "a number from 0 to 1e60"};

/// The first of a layer's `names`.
std::string first_name(const yaml::Node& layer);
/// Throws if a layer of the document has none.
void check_names(const yaml::Node& root);
inline double number(std::int64_t value) { return static_cast<double>(value); }

/// A document, or a part, with fields listed by its type. Unlisted keys are ignored: later versions have more.
template <typename T>
T read_as(const yaml::Node& node) {
    T value;
    yaml::Reader::read(node, value, kRules);
    return value;
}

/// The run described by a document's head.
views::Run run_of(const report::Provenance& provenance, const std::string& file);
void take_machine(const document::ShownMachine& machine, views::Run& run);
void take_einsum(document::EinsumText einsum, views::Layer& layer);
/// `units` of the machine.
views::Costs costs_of(const document::Costs& costs, double units);
views::Layer layer_of(document::Layer layer, double units);
views::Document document_of(document::Report report, const std::string& file);

/// "resnet50 on eyeriss"
std::string title_of(const views::Run& run);

// One reader a document.
views::Document read_dataflow(const yaml::Node& root, const std::string& file);
views::Document read_serving(const yaml::Node& root, const std::string& file);
views::Document read_fusion(const yaml::Node& root, const std::string& file);
views::Document read_package(const yaml::Node& root, const std::string& file);
views::Document read_best_machine(const yaml::Node& root, const std::string& file);
views::Document read_machine_front(const yaml::Node& root, const std::string& file);
views::Document read_zigzag(const yaml::Node& root, const std::string& file);
views::Document read_comparison(const yaml::Node& root, const std::string& file);
views::Document read_mappers(const yaml::Node& root, const std::string& file);
views::Document read_schedule(const yaml::Node& root, const std::string& file);
views::Document read_schedule_report(const yaml::Node& root, const std::string& file);
views::Document read_figures(const yaml::Node& root, const std::string& file);
views::Document read_simulation(const yaml::Node& root, const std::string& file);
views::Document read_schedule_replay(const yaml::Node& root, const std::string& file);

}  // namespace tilewright::documents
