#include "report/parts/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilewright::report {
namespace {

// Characters, not bytes: layer names may be UTF-8.
std::size_t width_of(const std::string& cell) {
    return static_cast<std::size_t>(
        std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void append_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
}

}  // namespace

Table::Table(std::vector<std::string> names, std::string alignment)
    : names_(std::move(names)), alignment_(std::move(alignment)) {}

void Table::add(std::vector<std::string> row) {
    row.resize(names_.size());
    rows_.push_back(std::move(row));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(int indent) const {
    if (names_.empty()) return "";
    std::vector<std::size_t> widths;
    widths.reserve(names_.size());
    for (const std::string& name : names_) widths.push_back(width_of(name));
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));

    const std::string margin(indent, ' ');
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text = margin;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string padding(widths[c] - width_of(cells[c]), ' ');
            if (c > 0) text += "  ";
            text += alignment_[c] == 'r' ? padding + cells[c] : cells[c] + padding;
        }
        return text;
    };
    std::size_t total = 2 * (names_.size() - 1);
    for (const std::size_t width : widths) total += width;
    constexpr std::size_t kLongestRule = 120;  // a cell of prose may be much wider than a terminal
    const std::string dashes = margin + std::string(std::min(total, kLongestRule), '-');

    std::string out;
    append_line(out, line(names_));
    append_line(out, dashes);
    for (const auto& row : rows_) append_line(out, row.empty() ? dashes : line(row));
    return out;
}

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
