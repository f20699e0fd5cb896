#include "table.hpp"

#include <fstream>
#include <stdexcept>

namespace tilewright::silicon_study {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char letter : line) {
        if (letter == ',')
            cells.emplace_back();
        else if (letter != '\r')
            cells.back() += letter;
    }
    return cells;
}

}  // namespace

Table Table::read(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file.string());
    Table table;
    std::string line;
    std::getline(in, line);
    for (const std::string& name : cells_of(line)) table.columns_.emplace(name, table.columns_.size());
    for (int number = 2; std::getline(in, line); ++number) {
        if (line.empty()) continue;
        table.rows_.push_back(cells_of(line));
        if (table.rows_.back().size() != table.columns_.size())
            throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " +
                                     std::to_string(table.rows_.back().size()) + " cells for " +
                                     std::to_string(table.columns_.size()) + " columns");
    }
    return table;
}

const std::string& Table::text(std::size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) throw std::runtime_error("there is no column " + column);
    return rows_[row][found->second];
}

double Table::number(std::size_t row, const std::string& column) const { return std::stod(text(row, column)); }

std::int64_t Table::integer(std::size_t row, const std::string& column) const {
    return static_cast<std::int64_t>(number(row, column));
}

}  // namespace tilewright::silicon_study
