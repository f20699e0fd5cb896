// Tables of tuned tiles: tab-separated, a line of names first, "-" where the source says nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::tiles_study {

class Row {
   public:
    Row(const std::unordered_map<std::string, std::size_t>* columns, std::vector<std::string> values)
        : columns_(columns), values_(std::move(values)) {}
    const std::string& text(const std::string& name) const { return values_.at(columns_->at(name)); }
    bool has(const std::string& name) const { return text(name) != "-"; }
    std::int64_t whole(const std::string& name) const { return std::stoll(text(name)); }
    double real(const std::string& name) const { return std::stod(text(name)); }

   private:
    const std::unordered_map<std::string, std::size_t>* columns_;
    std::vector<std::string> values_;
};

struct Rows {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> columns;
    std::vector<std::vector<std::string>> values;

    std::vector<Row> all() const;
};

Rows read_rows(const std::filesystem::path& path);

double median(std::vector<double> values);
/// Of the sorted values, that at this share of them.
double percentile(std::vector<double> values, double share);

}  // namespace tilewright::tiles_study
