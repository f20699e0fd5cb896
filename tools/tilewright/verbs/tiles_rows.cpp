#include "verbs/tiles_rows.hpp"

#include "inputs/csv_rows.hpp"

namespace tilewright::cli {

std::vector<tiles::MeasuredPoint> measured_rows(const std::string& file, const tiles::Rules& rules) {
    const CsvRows table(file);
    const auto columns = [&](const std::vector<std::string>& wanted) {
        std::vector<std::size_t> all;
        for (const std::string& name : wanted) all.push_back(table.column(name));
        return all;
    };
    const std::vector<std::size_t> given = columns(rules.given);
    const std::vector<std::size_t> chosen = columns(rules.chosen);
    const std::size_t us = table.column("us");
    std::vector<tiles::MeasuredPoint> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        tiles::MeasuredPoint row;
        for (const std::size_t column : given) row.given.push_back(table.number<std::int64_t>(i, column));
        for (const std::size_t column : chosen) row.point.push_back(table.number<std::int64_t>(i, column));
        row.us = table.us(i, us);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace tilewright::cli
