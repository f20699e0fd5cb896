// Reads Tilewright's documents (report.json and its relatives) for pictures and pages.
//
// The key `schema` selects the reader; each is in a file of its own and in the table of documents.cpp. Unused keys are
// ignored: documents of later versions have more.
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

/// Throws InputError at the place of unreadable or impossible numbers (negative, beyond 1e60).
views::Document read_document(const yaml::Node& root, const std::string& file);

/// The same for a document's text. Layers of JSON reports are read one by one: there may be tens of thousands.
views::Document read_document(const std::string& text, const std::string& file);

/// A run's result without its text. Throws InputError for energies no reader accepts.
views::Document document_of(const report::Report& report, const std::string& file);
views::Document document_of(const report::Simulation& simulation, const std::string& file);
views::Document document_of(const report::ScheduleReplay& replay, const std::string& file);
views::Document document_of(const report::ScheduleReport& report, const std::string& file);

/// A file; or report.json, simulation.json and schedule.json in a directory. None may exceed `most_bytes`.
views::Document read_document(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);

}  // namespace tilewright::documents
