#include "native/models/requests.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/error.hpp"

namespace tilewright::native {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;

std::vector<std::string> row_cells(std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
}

class Rows {
   public:
    Rows(const std::string& text, const std::string& file) : stream_(text), file_(file) {
        std::string line;
        std::getline(stream_, line);
        names_ = row_cells(line);
    }

    bool next() {
        std::string line;
        do {
            if (!std::getline(stream_, line)) return false;
            ++line_;
        } while (line.empty() || line == "\r");
        cells_ = row_cells(line);
        if (cells_.size() != names_.size())
            fail(ErrorCode::bad_value,
                 "expected " + std::to_string(names_.size()) + " columns, found " + std::to_string(cells_.size()));
        return true;
    }

    std::optional<std::size_t> column(const std::string& name) const {
        const auto found = std::ranges::find(names_, name);
        if (found == names_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - names_.begin());
    }
    std::size_t needed(const std::string& name) const {
        if (const std::optional<std::size_t> found = column(name)) return *found;
        throw InputError(ErrorCode::missing_key, {file_, 1, 0},
                         "there is no column '" + name + "'" + did_you_mean(name, names_));
    }

    std::int64_t tokens(std::size_t column) const {
        const double number = seconds(column);
        if (number < 1.0 || number > static_cast<double>(kMostTokens) || number != std::floor(number))
            fail(ErrorCode::bad_value, "expected a whole number of tokens, at least 1, in '" + names_[column] +
                                           "', found '" + cells_[column] + "'");
        return static_cast<std::int64_t>(number);
    }
    double seconds(std::size_t column) const {
        const std::string& cell = cells_[column];
        double number = 0.0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
        if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(number))
            fail(ErrorCode::wrong_type, "expected a number in '" + names_[column] + "', found '" + cell + "'");
        return number;
    }

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, line_, 0}, message);
    }

   private:
    std::istringstream stream_;
    std::string file_;
    std::vector<std::string> names_;
    std::vector<std::string> cells_;
    int line_ = 1;
};

}  // namespace

RequestFile read_requests(const std::string& text, const std::string& file) {
    Rows rows(text, file);
    const std::size_t prompt = rows.needed("input");
    const std::size_t output = rows.needed("output");
    const std::size_t arrival = rows.column("queued_s") ? *rows.column("queued_s") : rows.needed("arrival_s");
    const bool measured = rows.column("first_token_s") && rows.column("last_token_s");
    RequestFile found;
    while (rows.next()) {
        const llm::Request request{rows.seconds(arrival), rows.tokens(prompt), rows.tokens(output)};
        if (request.arrival_s < 0.0) rows.fail(ErrorCode::bad_value, "a request arrives at 0 or afterwards");
        found.requests.push_back(request);
        if (!measured) continue;
        const llm::RequestTimes times{rows.seconds(rows.needed("first_token_s")),
                                      rows.seconds(rows.needed("last_token_s"))};
        if (times.first_s <= request.arrival_s || times.last_s < times.first_s)
            rows.fail(ErrorCode::bad_value, "a first token comes after the request, a last one no earlier");
        found.measured.push_back(times);
    }
    if (found.requests.empty()) throw InputError(ErrorCode::bad_value, {file, 1, 0}, "there is no request");
    return found;
}

}  // namespace tilewright::native
