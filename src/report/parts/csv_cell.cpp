#include "report/parts/csv_cell.hpp"

#include <fmt/format.h>

namespace tilewright::report {

std::string csv_cell(const std::string& text) {
    constexpr const char* kFormula = "=+-@\t";
    const bool formula = text.find_first_of(kFormula) == 0;
    if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = formula ? "\"'" : "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

}  // namespace tilewright::report
