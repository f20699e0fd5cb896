// Tables as text: rows of cells with the names of the first line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::silicon_study {

class Table {
   public:
    /// Commas between cells, none inside them. Throws std::runtime_error for a row of another length, with its line.
    static Table read(const std::filesystem::path& file);

    std::size_t size() const { return rows_.size(); }
    bool has(const std::string& column) const { return columns_.contains(column); }
    /// Throws std::runtime_error for a column that is not there.
    const std::string& text(std::size_t row, const std::string& column) const;
    double number(std::size_t row, const std::string& column) const;
    std::int64_t integer(std::size_t row, const std::string& column) const;

   private:
    std::map<std::string, std::size_t> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tilewright::silicon_study
