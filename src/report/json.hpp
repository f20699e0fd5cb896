// Machine-readable documents: report.json (schemas/report-1.schema.json, docs/report.md) and its smaller relatives.
//
// Every document names its schema and version in "schema". Units are in the key names. Numbers are printed so that
// reading them back gives the same value. Keys keep their order, so equal values give equal bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace tilewright::report {

/// "tilewright-report/1"
std::string report_json(const Report& report);

/// "tilewright-comparison/1": evaluations of one mapping under several accountings, by name.
std::string comparison_json(const Report& report, const std::vector<std::pair<std::string, Evaluation>>& evaluations);

/// "tilewright-architecture/1": the machine with the source of every energy and area.
std::string architecture_json(const Architecture& architecture);

/// "tilewright-network/1": layers, their einsums, and what is not mapped.
std::string network_json(const Network& network);

}  // namespace tilewright::report
