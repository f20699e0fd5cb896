// Reads Tilewright's documents (report.json and its relatives) for pictures and pages.
//
// The key `schema` selects the reader; each is in a file of its own and in the table of documents.cpp. Unused keys are
// ignored: documents of later versions have more.
#pragma once

#include <filesystem>
#include <string>

#include "base/files/file.hpp"
#include "report/fused/search.hpp"
#include "report/package/package_report.hpp"
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

// report.json read back as the report that it was written from, for programs that go on with what another one found.
//
//     const report::Report report = documents::read_report(text, "out/report.json");
//     report::report_json(report) == text;
//
// Of the machine it has what report.json says (names, sizes, energies and areas, not wires below memories): enough to
// write the report in every form, not to map or simulate on it. Pure functions; thread-safe. Throw InputError at the
// place of what cannot be read.

report::Report read_report(const std::string& text, const std::string& file);

/// The same of the report.json of a fused mapping.
report::FusionReport read_fusion_report(const std::string& text, const std::string& file);

/// Likewise of a plan on a package.
report::PackageReport read_package_report(const std::string& text, const std::string& file);

}  // namespace tilewright::documents
