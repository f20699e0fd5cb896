// Machine-readable documents: report.json (schemas/report-2.schema.json, docs/report.md) and its smaller relatives.
//
// Every document has its schema and version in "schema". Units are in the key names. Printed numbers read back exactly.
// Keys keep their order, so equal values give equal bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace tilewright::report {

/// "tilewright-report/2"
std::string report_json(const Report& report);

/// "tilewright-comparison/1": evaluations of one mapping under several accountings, by name.
std::string comparison_json(const Report& report, const std::vector<std::pair<std::string, Evaluation>>& evaluations);

/// "tilewright-show/1": a machine with the source of every energy and area, a network with its einsums and unmapped
/// operators, or both; null for none.
std::string show_json(const Architecture* architecture, const Network* network);

/// One mistake in the user's input, as reported by `tilewright check`.
struct CheckProblem {
    std::string code;  ///< error_code_name() or violation_kind_name()
    std::string file;  ///< "" for no file
    int line = 0;      ///< 0: the whole file
    int column = 0;
    std::string message;
};

/// "tilewright-check/1"
std::string check_json(const std::vector<std::string>& sound, const std::vector<CheckProblem>& problems);

}  // namespace tilewright::report
