// report.txt: the whole report for people.
#pragma once

#include <string>

#include "report/report.hpp"

namespace tilewright::report {

/// A single layer in full, or a network: table of layers, totals, unmapped operators, then every layer in full.
std::string report_text(const Report& report);

/// The part of report_text that fits a screen: a layer in full, or a network's table, totals and unmapped operators.
std::string summary_text(const Report& report);

}  // namespace tilewright::report
