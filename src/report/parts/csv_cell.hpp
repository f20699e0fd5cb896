// One cell of a CSV file (RFC 4180).
#pragma once

#include <optional>
#include <string>

namespace tilewright::report {

/// Quoted if it has a comma, a quote or a line break. Spreadsheets run text starting with '=', '+', '-' or '@' as a
/// formula: it gets an apostrophe, their mark of text, as names come from foreign files.
std::string csv_cell(const std::string& text);

/// Reads back exactly; nothing gives an empty cell.
std::string csv_number(const std::optional<double>& value);

}  // namespace tilewright::report
