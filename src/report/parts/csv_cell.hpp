// One cell of a CSV file (RFC 4180).
#pragma once

#include <optional>
#include <string>

namespace tilewright::report {

/// In quotes where a comma, a quote or a line break would be misread. Spreadsheets run what begins with '=', '+', '-'
/// or '@' as a formula: an apostrophe, which they take as "this is text", goes before it, as names come from files that
/// others wrote.
std::string csv_cell(const std::string& text);

/// Reading it back gives the same value; nothing gives an empty cell.
std::string csv_number(const std::optional<double>& value);

}  // namespace tilewright::report
