// Values in documents. Internal to frontend/documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/views/figures.hpp"
#include "yaml/node.hpp"

namespace tilewright::documents {

/// A number from 0 to 1e30: sums of a million of them are finite.
double amount(const yaml::Node& node);
/// The value of `key`, or nothing where it is absent or null.
std::optional<double> optional_amount(const yaml::Node& map, const char* key);
std::string optional_text(const yaml::Node& map, const char* key);
std::vector<std::string> texts(const yaml::Node& list);
/// The first of a layer's `names`.
std::string first_name(const yaml::Node& layer);
std::int64_t whole(const yaml::Node& node);
bool is_absent(const yaml::Node* node);

/// `schema`, `tool`, `provenance`, `notes`, `interrupted`: what all documents begin with.
views::Run run_of(const yaml::Node& root, const std::string& file);

/// "architecture" of a report: memories, units, clock, area.
void read_architecture(const yaml::Node& node, views::Run& run);
/// "einsum" of a layer.
void read_einsum(const yaml::Node& node, views::Layer& layer);
std::vector<views::NestLine> nest_of(const yaml::Node& list);
/// "evaluation" of a layer; `units` of the machine.
views::Costs costs_of(const yaml::Node& node, double units);

/// "resnet50 on eyeriss"
std::string title_of(const views::Run& run);

/// A mapping of a layer's front.
views::FrontPoint front_point(const yaml::Node& node);
/// A layer of a report.
views::Layer report_layer(const yaml::Node& node, double units);

// One reader a document.
views::Document read_report(const yaml::Node& root, const std::string& file);
views::Document read_dataflow(const yaml::Node& root, const std::string& file);
views::Document read_zigzag(const yaml::Node& root, const std::string& file);
views::Document read_comparison(const yaml::Node& root, const std::string& file);
views::Document read_mappers(const yaml::Node& root, const std::string& file);
views::Document read_schedule(const yaml::Node& root, const std::string& file);
views::Document read_schedule_report(const yaml::Node& root, const std::string& file);
views::Document read_figures(const yaml::Node& root, const std::string& file);
views::Document read_simulation(const yaml::Node& root, const std::string& file);
views::Document read_schedule_replay(const yaml::Node& root, const std::string& file);

}  // namespace tilewright::documents
