#include "arch/estimation/tables.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>

#include "base/files/embedded.hpp"

namespace tilewright {

std::span<const EmbeddedFile> embedded_tables();  // generated

namespace tables {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

}  // namespace

Table::Table(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> fields = fields_of(line);
        if (columns_.empty()) {
            columns_ = std::move(fields);
            continue;
        }
        if (fields.size() != columns_.size()) throw std::logic_error("uneven table row: " + std::string(line));
        rows_.push_back(std::move(fields));
    }
}

const std::string& Table::text(int row, std::string_view column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    if (found == columns_.end()) throw std::logic_error("no table column " + std::string(column));
    return rows_.at(row).at(found - columns_.begin());
}

double Table::number(int row, std::string_view column) const {
    const std::string& digits = text(row, column);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
        throw std::logic_error("not a number in a table: " + digits);
    return value;
}

Table load(std::string_view file_name) {
    for (const EmbeddedFile& file : embedded_tables())
        if (file.path.ends_with("/" + std::string(file_name))) return Table(file.text);
    throw std::logic_error("no table " + std::string(file_name));
}

}  // namespace tables
}  // namespace tilewright
