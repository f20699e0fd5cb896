#include "explore/space.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/numbers/checked.hpp"
#include "base/scanner.hpp"

namespace tilewright::explore {
namespace {

[[noreturn]] void fail(const Location& where, const std::string& message) {
    throw InputError(ErrorCode::bad_value, where, message);
}

// 1024 for k, 1024^2 for M, 1024^3 for G, else 1.
double scale_of(char suffix) {
    switch (suffix) {
        case 'k':
        case 'K': return 1024.0;
        case 'M': return 1024.0 * 1024.0;
        case 'G': return 1024.0 * 1024.0 * 1024.0;
        default: return 1.0;
    }
}

// An integer stays one, however it is spelt.
std::optional<double> number_in(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const double scale = scale_of(text.back());
    if (scale > 1.0) text.remove_suffix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value * scale;
}

std::string number_text(double value) {
    if (value == std::floor(value) && std::abs(value) <= kMostExact)
        return fmt::format("{}", static_cast<std::int64_t>(value));
    return fmt::format("{}", value);
}

// FIRST..LAST, followed by *FACTOR or +STEP.
struct Range {
    double first = 0.0;
    double last = 0.0;
    double step = 1.0;
    bool multiplies = false;
};

std::optional<Range> range_in(std::string_view text, const Location& where) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(dots + 2);
    const std::size_t mark = rest.find_first_of("*+");
    const std::optional<double> first = number_in(text.substr(0, dots));
    const std::optional<double> last = number_in(rest.substr(0, mark));
    if (!first && !last) return std::nullopt;  // a text with two dots: "../net.onnx"
    std::optional<double> step = 1.0;
    if (mark != std::string_view::npos) step = number_in(rest.substr(mark + 1));
    if (!first || !last || !step)
        fail(where, fmt::format("expected a range such as 64..512*2, 8..32+8 or 1..4, found '{}'", text));
    const bool multiplies = mark != std::string_view::npos && rest[mark] == '*';
    if (*first > *last)
        fail(where,
             fmt::format("an empty range: {} is more than {} in '{}'", number_text(*first), number_text(*last), text));
    if (multiplies ? *step <= 1.0 || *first <= 0.0 : *step <= 0.0)
        fail(where, fmt::format("the range '{}' has no end: it starts at {} and goes on by {}{}", text,
                                number_text(*first), multiplies ? "*" : "+", number_text(*step)));
    return Range{*first, *last, *step, multiplies};
}

void add_range(const Range& range, const Location& where, std::vector<std::string>& values) {
    // A sum of tenths reaches its end, and passes through zero.
    constexpr double kOfAStep = 1e-9;
    const double last = range.multiplies ? range.last * (1.0 + 1e-12) : range.last + range.step * kOfAStep;
    for (std::int64_t i = 0;; ++i) {
        const auto steps = static_cast<double>(i);
        double value = range.multiplies ? range.first * std::pow(range.step, steps) : range.first + range.step * steps;
        if (!range.multiplies && std::abs(value) < range.step * kOfAStep) value = 0.0;
        if (value > last) return;
        if (static_cast<std::int64_t>(values.size()) >= kMostValues)
            fail(where, fmt::format("more than {} values", kMostValues));
        // Digits beyond a sum of decimals are noise: 0.1 + 0.1 * 2 is 0.3.
        values.push_back(number_text(value == std::floor(value) ? value : std::stod(fmt::format("{:.12g}", value))));
    }
}

void refuse_repeated(const std::vector<std::string>& values, const Location& where) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& value : values)
        if (!seen.insert(value).second) fail(where, fmt::format("the value '{}' is given twice", value));
}

}  // namespace

std::string canonical_value(std::string_view text) {
    const std::optional<double> number = number_in(text);
    return number ? number_text(*number) : std::string(text);
}

std::vector<std::string> parse_values(std::string_view text, const Location& where) {
    std::vector<std::string> values;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = end_of_entry(text, begin);
        const std::string_view part = text.substr(begin, end - begin);
        if (part.empty()) fail(where, "a value is empty");
        if (const std::optional<Range> range = range_in(part, where))
            add_range(*range, where, values);
        else
            values.push_back(canonical_value(part));
        begin = end + 1;
    }
    refuse_repeated(values, where);
    return values;
}

Knob parse_knob(std::string_view text, const Location& where) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        fail(where,
             fmt::format("expected NAME=VALUES such as buffer.depth=4k,8k or PE.meshX=4..16*2, found '{}'", text));
    return {std::string(text.substr(0, equals)), parse_values(text.substr(equals + 1), where), where};
}

Space::Space(std::vector<Knob> knobs) : knobs_(std::move(knobs)), strides_(knobs_.size(), 1) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = knobs_.size(); i-- > 0;) {
        strides_[i] = size_;
        const auto count = static_cast<std::int64_t>(knobs_[i].values.size());
        if (size_ > std::numeric_limits<std::int64_t>::max() / count)
            throw InputError(ErrorCode::overflow, knobs_[i].where,
                             fmt::format("with '{}' the space has more than 2^63 points", knobs_[i].name));
        size_ *= count;
    }
    for (const Knob& knob : knobs_)
        if (!seen.insert(knob.name).second) fail(knob.where, fmt::format("'{}' is given twice", knob.name));
}

std::string point_text(const Space& space, Point point) {
    std::string text;
    for (std::size_t i = 0; i < space.knobs().size(); ++i)
        text += fmt::format("{}{}={}", i == 0 ? "" : ", ", space.knobs()[i].name, space.value(point, i));
    return text;
}

}  // namespace tilewright::explore
