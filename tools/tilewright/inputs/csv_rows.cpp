#include "inputs/csv_rows.hpp"

#include <algorithm>
#include <sstream>

#include "base/files/file.hpp"

namespace tilewright::cli {
namespace {

std::vector<std::string> cells_of(std::string line) {
    std::ranges::replace(line, '\t', ',');
    if (line.ends_with('\r')) line.pop_back();
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (line.ends_with(',')) cells.emplace_back();
    return cells;
}

}  // namespace

CsvRows::CsvRows(const std::string& file) : file_(file) {
    std::istringstream stream(read_file(file));
    std::string line;
    std::getline(stream, line);
    names_ = cells_of(line);
    for (int number = 2; std::getline(stream, line); ++number) {
        if (line.empty()) continue;
        rows_.push_back({number, cells_of(line)});
        if (rows_.back().cells.size() != names_.size())
            throw InputError(ErrorCode::bad_value, where(rows_.size() - 1),
                             fmt::format("expected {} columns, found {}", names_.size(), rows_.back().cells.size()));
    }
}

bool CsvRows::has(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

std::size_t CsvRows::column(const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end())
        throw InputError(ErrorCode::missing_key, {file_, 1, 0},
                         fmt::format("there is no column '{}'{}", name, did_you_mean(name, names_)));
    return static_cast<std::size_t>(found - names_.begin());
}

double CsvRows::us(std::size_t row, std::size_t column) const {
    const auto value = number<double>(row, column);
    if (!(value > 0.0)) throw InputError(ErrorCode::bad_value, where(row), "a measured time is above 0");
    return value;
}

}  // namespace tilewright::cli
