#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace tilewright::tiles_study {
namespace {

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '\t');) parts.push_back(part);
    return parts;
}

}  // namespace

Rows read_rows(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    Rows rows;
    std::string line;
    std::getline(file, line);
    rows.names = split(line);
    for (std::size_t i = 0; i < rows.names.size(); ++i) rows.columns[rows.names[i]] = i;
    while (std::getline(file, line)) {
        rows.values.push_back(split(line));
        if (rows.values.back().size() != rows.names.size())
            throw std::runtime_error("a short line in " + path.string());
    }
    return rows;
}

std::vector<Row> Rows::all() const {
    std::vector<Row> all;
    all.reserve(values.size());
    for (const std::vector<std::string>& row : values) all.emplace_back(&columns, row);
    return all;
}

double median(std::vector<double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

}  // namespace tilewright::tiles_study
