#include "timeloop/sparse/matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::timeloop {
namespace {

/// NumPy's own notation: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyReader {
   public:
    NpyReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

    sparse::Measured run() {
        read_header();
        const std::string type = value_of("'descr'");
        const std::size_t width = width_of(type);
        const bool columns_first = value_of("'fortran_order'").starts_with("True");
        sparse::Measured measured{file_, shape(), nullptr};
        const std::int64_t count = checked_count(measured.extents);
        if (static_cast<std::uint64_t>(count) != bytes_.size() / width || bytes_.size() % width != 0)
            fail(ErrorCode::bad_value, "it holds " + std::to_string(bytes_.size()) + " bytes of data where its shape " +
                                           "asks for " + std::to_string(count) + " elements of " +
                                           std::to_string(width));
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < count; ++i)
            if (is_not_zero(static_cast<std::size_t>(i) * width, width, type[1] == 'f'))
                places.push_back(columns_first ? turned(i, measured.extents) : i);
        std::sort(places.begin(), places.end());
        measured.places = std::make_shared<const std::vector<std::int64_t>>(std::move(places));
        return measured;
    }

   private:
    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        throw InputError(code, {file_, 0, 0}, message);
    }

    void read_header() {
        if (!bytes_.starts_with(std::string_view("\x93NUMPY", 6)) || bytes_.size() < 12)
            fail(ErrorCode::syntax, "this is no array of NumPy");
        const auto byte = [&](std::size_t i) {
            return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i]));
        };
        const bool wide = byte(6) > 1;
        std::size_t length = byte(8) | byte(9) << 8U;
        if (wide) length |= byte(10) << 16U | byte(11) << 24U;
        const std::size_t begin = wide ? 12 : 10;
        if (byte(6) < 1 || byte(6) > 3 || length > bytes_.size() - begin)
            fail(ErrorCode::syntax, "its header is not one of NumPy's versions 1 to 3");
        header_ = std::string(bytes_.substr(begin, length));
        bytes_.remove_prefix(begin + length);
    }

    std::string value_of(const std::string& key) const {
        const std::size_t at = header_.find(key);
        const std::size_t colon = at == std::string::npos ? at : header_.find(':', at);
        if (colon == std::string::npos) fail(ErrorCode::syntax, "its header lacks " + key);
        const std::size_t begin = header_.find_first_not_of(' ', colon + 1);
        if (begin == std::string::npos) fail(ErrorCode::syntax, "its header ends behind " + key);
        const char first = header_[begin];
        const char last = first == '(' ? ')' : first == '\'' ? '\'' : ',';
        const std::size_t end = header_.find(last, begin + 1);
        if (end == std::string::npos) fail(ErrorCode::syntax, "its header ends within " + key);
        const std::size_t inside = first == '(' || first == '\'' ? begin + 1 : begin;
        std::string value = header_.substr(inside, end - inside);
        return value;
    }

    std::size_t width_of(const std::string& type) const {
        const bool plain = type.size() == 3 && std::string_view("<>|=").find(type[0]) != std::string_view::npos &&
                           std::string_view("biuf").find(type[1]) != std::string_view::npos &&
                           std::string_view("1248").find(type[2]) != std::string_view::npos;
        if (!plain) fail(ErrorCode::unsupported, "elements of NumPy's type '" + type + "' are not read");
        return static_cast<std::size_t>(type[2] - '0');
    }

    sparse::Tile shape() const {
        sparse::Tile extents;
        const std::string text = value_of("'shape'");
        for (std::size_t at = 0; at < text.size();) {
            if (text[at] == ' ' || text[at] == ',') {
                ++at;
                continue;
            }
            std::int64_t extent = 0;
            const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
            if (error != std::errc{} || extent < 1) fail(ErrorCode::bad_value, "its shape is '" + text + "'");
            extents.push_back(extent);
            at = static_cast<std::size_t>(end - text.data());
        }
        return extents;
    }

    std::int64_t checked_count(const sparse::Tile& extents) const {
        try {
            return sparse::elements(extents);
        } catch (const OverflowError&) {
            fail(ErrorCode::overflow, "its shape is too large to count");
        }
    }

    /// A floating-point zero may have a sign: the top bit of its last (or first, by byte order) byte.
    bool is_not_zero(std::size_t at, std::size_t width, bool floating) const {
        const std::string_view element = bytes_.substr(at, width);
        const bool big = value_big_endian();
        for (std::size_t i = 0; i < width; ++i) {
            const auto byte = static_cast<unsigned char>(element[i]);
            const bool has_sign = floating && i == (big ? 0 : width - 1);
            if ((has_sign ? byte & 0x7fU : byte) != 0) return true;
        }
        return false;
    }

    bool value_big_endian() const { return header_.find("'>") != std::string::npos; }

    /// Row-major index of a column-major element.
    static std::int64_t turned(std::int64_t index, const sparse::Tile& extents) {
        std::int64_t place = 0;
        std::int64_t stride = sparse::elements(extents);
        std::vector<std::int64_t> at;
        for (const std::int64_t extent : extents) {
            at.push_back(index % extent);
            index /= extent;
        }
        for (std::size_t r = 0; r < extents.size(); ++r) {
            stride /= extents[r];
            place += at[r] * stride;
        }
        return place;
    }

    std::string_view bytes_;
    std::string file_;
    std::string header_;
};

}  // namespace

sparse::Measured read_npy(std::string_view bytes, const std::string& file) { return NpyReader(bytes, file).run(); }

sparse::Measured read_matrix_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    if (name.ends_with(".npy")) return read_npy(read_file(path), name);
    if (name.ends_with(".mtx")) return read_matrix_market(read_file(path), name);
    throw InputError(ErrorCode::unsupported, {name, 0, 0},
                     "'" + name + "': measured densities are read from .npy and .mtx files");
}

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
