#include "verbs/tiles_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.hpp"
#include "base/files/file.hpp"

namespace tilewright::cli {
namespace {

std::vector<std::string> cells_of(std::string line) {
    std::ranges::replace(line, '\t', ',');
    if (line.ends_with('\r')) line.pop_back();
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
}

template <typename T>
T number_in(const std::string& cell, const Location& where, const std::string& column) {
    T number{};
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc{} || end != cell.data() + cell.size())
        throw InputError(ErrorCode::wrong_type, where,
                         fmt::format("expected a number of '{}', found '{}'", column, cell));
    return number;
}

std::size_t column_of(const std::vector<std::string>& names, const std::string& name, const std::string& file) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        throw InputError(ErrorCode::missing_key, {file, 1, 0},
                         fmt::format("there is no column '{}'{}", name, did_you_mean(name, names)));
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::vector<tiles::MeasuredPoint> measured_rows(const std::string& file, const tiles::Rules& rules) {
    std::istringstream stream(read_file(file));
    std::string line;
    std::getline(stream, line);
    const std::vector<std::string> names = cells_of(line);
    const auto columns = [&](const std::vector<std::string>& wanted) {
        std::vector<std::size_t> all;
        for (const std::string& name : wanted) all.push_back(column_of(names, name, file));
        return all;
    };
    const std::vector<std::size_t> given = columns(rules.given);
    const std::vector<std::size_t> chosen = columns(rules.chosen);
    const std::size_t us = column_of(names, "us", file);
    std::vector<tiles::MeasuredPoint> rows;
    for (int number = 2; std::getline(stream, line); ++number) {
        if (line.empty()) continue;
        const Location where{file, number, 0};
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() != names.size())
            throw InputError(ErrorCode::bad_value, where,
                             fmt::format("expected {} columns, found {}", names.size(), cells.size()));
        tiles::MeasuredPoint row;
        for (const std::size_t column : given)
            row.given.push_back(number_in<std::int64_t>(cells[column], where, names[column]));
        for (const std::size_t column : chosen)
            row.point.push_back(number_in<std::int64_t>(cells[column], where, names[column]));
        row.us = number_in<double>(cells[us], where, "us");
        if (!(row.us > 0.0)) throw InputError(ErrorCode::bad_value, where, "a measured time is above 0");
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace tilewright::cli
