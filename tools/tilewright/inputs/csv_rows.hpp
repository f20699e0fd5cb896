// Rows of numbers from a file: a line of names, then cells, with commas or tabs between.
#pragma once

#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"

namespace tilewright::cli {

class CsvRows {
   public:
    /// Throws InputError(bad_value) at the line of a row with another number of cells.
    explicit CsvRows(const std::string& file);

    std::size_t size() const { return rows_.size(); }
    bool has(const std::string& name) const;
    /// Throws InputError(missing_key), with the nearest name.
    std::size_t column(const std::string& name) const;
    const std::string& text(std::size_t row, std::size_t column) const { return rows_[row].cells[column]; }
    Location where(std::size_t row) const { return {file_, rows_[row].line, 0}; }

    /// Throws InputError(wrong_type) at the row.
    template <typename T>
    T number(std::size_t row, std::size_t column) const {
        const std::string& cell = text(row, column);
        T value{};
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc{} || end != cell.data() + cell.size())
            throw InputError(ErrorCode::wrong_type, where(row),
                             fmt::format("expected a number of '{}', found '{}'", names_[column], cell));
        return value;
    }
    /// A time: above 0, else InputError(bad_value).
    double us(std::size_t row, std::size_t column) const;

   private:
    struct Row {
        int line = 0;
        std::vector<std::string> cells;
    };
    std::string file_;
    std::vector<std::string> names_;
    std::vector<Row> rows_;
};

}  // namespace tilewright::cli
