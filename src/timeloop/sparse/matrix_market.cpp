#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "timeloop/sparse/matrix_file.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;

class MarketReader {
   public:
    MarketReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    sparse::Measured run() {
        read_banner();
        do next_line();
        while (words_.empty() || words_.front().starts_with('%'));
        matrix_.extents = {extent(0), extent(1)};
        if (coordinates_)
            read_coordinates();
        else
            read_array();
        std::sort(places_.begin(), places_.end());
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        matrix_.file = file_;
        matrix_.places = std::make_shared<const std::vector<std::int64_t>>(std::move(places_));
        return std::move(matrix_);
    }

   private:
    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, line_, 1}, message);
    }

    /// Sets words_ to the next line's.
    void next_line() {
        if (text_.empty()) fail(ErrorCode::syntax, "the matrix ends before all of its elements are there");
        const std::size_t end = text_.find('\n');
        std::string_view line = text_.substr(0, end);
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
        ++line_;
        words_.clear();
        while (true) {
            const std::size_t begin = line.find_first_not_of(" \t\r");
            if (begin == std::string_view::npos) return;
            line.remove_prefix(begin);
            const std::size_t length = std::min(line.find_first_of(" \t\r"), line.size());
            words_.push_back(line.substr(0, length));
            line.remove_prefix(length);
        }
    }

    void read_banner() {
        next_line();
        const auto is = [&](std::size_t word, std::string_view text) {
            return word < words_.size() && std::equal(
                                               words_[word].begin(), words_[word].end(), text.begin(), text.end(),
                                               [](char a, char b) { return (a | 0x20) == (b | 0x20); });
        };
        if (words_.size() != 5 || !is(0, "%%MatrixMarket") || !is(1, "matrix"))
            fail(ErrorCode::syntax, "expected '%%MatrixMarket matrix ...' in the first line");
        coordinates_ = is(2, "coordinate");
        if (!coordinates_ && !is(2, "array")) fail(ErrorCode::syntax, "a matrix is given by coordinate or as array");
        pattern_ = is(3, "pattern");
        if (!pattern_ && !is(3, "real") && !is(3, "integer"))
            fail(ErrorCode::unsupported, "only real, integer and pattern matrices are read");
        symmetric_ = is(4, "symmetric") || is(4, "skew-symmetric");
        strictly_ = is(4, "skew-symmetric");
        if (!symmetric_ && !is(4, "general"))
            fail(ErrorCode::unsupported, "only general, symmetric and skew-symmetric matrices are read");
        if (pattern_ && !coordinates_) fail(ErrorCode::syntax, "a pattern has coordinates");
    }

    std::int64_t whole(std::size_t word) const {
        std::int64_t value = 0;
        const std::string_view text = word < words_.size() ? words_[word] : "";
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || text.empty())
            fail(ErrorCode::syntax, "expected a whole number, found '" + std::string(text) + "'");
        return value;
    }

    double real(std::size_t word) const {
        double value = 0.0;
        const std::string_view text = word < words_.size() ? words_[word] : "";
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || text.empty() || !std::isfinite(value))
            fail(ErrorCode::syntax, "expected a number, found '" + std::string(text) + "'");
        return value;
    }

    std::int64_t extent(std::size_t word) const {
        const std::int64_t value = whole(word);
        if (value < 1 || value > kMostExtent) fail(ErrorCode::bad_value, "a matrix has 1 to 2^31 rows and columns");
        return value;
    }

    void add(std::int64_t row, std::int64_t column) {
        places_.push_back(row * matrix_.extents[1] + column);
        if (symmetric_ && row != column) {
            if (row >= matrix_.extents[1] || column >= matrix_.extents[0])
                fail(ErrorCode::bad_value, "a symmetric matrix has as many rows as columns");
            places_.push_back(column * matrix_.extents[1] + row);
        }
    }

    void read_coordinates() {
        const std::int64_t count = whole(2);
        for (std::int64_t i = 0; i < count; ++i) {
            do next_line();
            while (words_.empty());
            const std::int64_t row = whole(0) - 1;
            const std::int64_t column = whole(1) - 1;
            if (row < 0 || column < 0 || row >= matrix_.extents[0] || column >= matrix_.extents[1])
                fail(ErrorCode::bad_value, "an element lies outside of the matrix");
            if (pattern_ || real(2) != 0.0) add(row, column);
        }
    }

    /// Column by column; of symmetric ones the lower part.
    void read_array() {
        for (std::int64_t column = 0; column < matrix_.extents[1]; ++column)
            for (std::int64_t row = symmetric_ ? column + (strictly_ ? 1 : 0) : 0; row < matrix_.extents[0]; ++row) {
                do next_line();
                while (words_.empty());
                if (real(0) != 0.0) add(row, column);
            }
    }

    std::string_view text_;
    std::string file_;
    int line_ = 0;
    std::vector<std::string_view> words_;
    bool coordinates_ = false;
    bool pattern_ = false;
    bool symmetric_ = false;
    bool strictly_ = false;
    sparse::Measured matrix_;
    std::vector<std::int64_t> places_;
};

}  // namespace

sparse::Measured read_matrix_market(std::string_view text, const std::string& file) {
    return MarketReader(text, file).run();
}

}  // namespace tilewright::timeloop
