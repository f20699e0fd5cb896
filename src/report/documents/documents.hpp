// Reads the documents that Tilewright writes (report.json and its relatives) for pictures and pages.
//
// The key `schema` says which reader; each is in a file of its own and stands in the table of documents.cpp. Keys that
// a reader has no use for are left alone: documents of later versions say more.
#pragma once

#include <filesystem>
#include <string>

#include "base/files/file.hpp"
#include "report/report.hpp"
#include "report/views/figures.hpp"
#include "yaml/node.hpp"

namespace tilewright::report {
struct ScheduleReplay;
struct ScheduleReport;
struct Simulation;
}  // namespace tilewright::report

namespace tilewright::documents {

/// Throws InputError at the place of what cannot be read or is no number that a run could have (negative, beyond 1e60).
views::Document read_document(const yaml::Node& root, const std::string& file);

/// The same of a document's text. JSON is read quickly, and the layers of a report one by one: there may be tens of
/// thousands.
views::Document read_document(const std::string& text, const std::string& file);

/// What a run found, without a text between. Throws InputError where it has energies that no reader would take.
views::Document document_of(const report::Report& report, const std::string& file);
views::Document document_of(const report::Simulation& simulation, const std::string& file);
views::Document document_of(const report::ScheduleReplay& replay, const std::string& file);
views::Document document_of(const report::ScheduleReport& report, const std::string& file);

/// A file; or the report.json, simulation.json and schedule.json in a directory, as far as they are there. None may be
/// larger than `most_bytes`.
views::Document read_document(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);

}  // namespace tilewright::documents
