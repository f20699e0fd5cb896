// The tables of data/tables, embedded in the library: small CSV files with their sources in comment lines (#).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tables {

/// Rows of text under named columns.
class Table {
   public:
    /// Parses comma-separated text; the first non-comment line names the columns. Requires well-formed text (it is our
    /// own).
    explicit Table(std::string_view text);

    int row_count() const { return static_cast<int>(rows_.size()); }
    const std::string& text(int row, std::string_view column) const;
    double number(int row, std::string_view column) const;

   private:
    std::vector<std::string> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The table of this file name ("dram.csv"). Requires that it exists.
Table load(std::string_view file_name);

}  // namespace tilewright::tables
