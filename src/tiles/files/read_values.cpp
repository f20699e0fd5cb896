#include "tiles/files/read_rules.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace tilewright::tiles {
namespace {

constexpr std::size_t kMostListed = 1'000'000;

/// A part of a placed text.
PlacedText part_of(const PlacedText& whole, std::size_t begin, std::size_t length) {
    PlacedText part{whole.text.substr(begin, length), whole.where, whole.line};
    if (part.where.column > 0) part.where.column += static_cast<int>(begin);
    return part;
}

Values list_of_values(const yaml::Node& node, std::size_t width) {
    Values values;
    for (const yaml::Node& item : node.items()) {
        if (width == 1) {
            values.list.push_back(item.integer());
            continue;
        }
        if (item.items().size() != width)
            item.fail(ErrorCode::bad_value, fmt::format("expected {} numbers that are chosen together", width));
        for (const yaml::Node& number : item.items()) values.list.push_back(number.integer());
    }
    if (values.list.empty()) node.fail(ErrorCode::bad_value, "expected at least one value");
    if (values.list.size() > kMostListed) node.fail(ErrorCode::bad_value, "expected at most a million values");
    return values;
}

void read_bounds(Values& values, const PlacedText& text, std::size_t begin, const Names& names) {
    const std::size_t dots = text.text.find("..", begin);
    if (dots == std::string::npos)
        text.fail(begin, ErrorCode::syntax,
                  "expected a list, a..b, a..b step s, divisors of E, powers of two a..b, or kernels of the machine");
    constexpr std::string_view kStep = " step ";
    const std::size_t step = text.text.find(kStep, dots);
    const std::size_t end = step == std::string::npos ? text.text.size() : step;
    values.low = names.compiled(part_of(text, begin, dots - begin));
    values.high = names.compiled(part_of(text, dots + 2, end - dots - 2));
    if (step == std::string::npos) return;
    const std::size_t number = step + kStep.size();
    const char* last = text.text.data() + text.text.size();
    const auto [stopped, error] = std::from_chars(text.text.data() + number, last, values.step);
    if (error != std::errc{} || stopped != last || values.step < 1 || values.kind == Values::Kind::powers)
        text.fail(number, ErrorCode::bad_value, "expected a step of at least 1");
}

}  // namespace

PlacedText Names::placed(const yaml::Node& node) {
    PlacedText placed{node.text(), node.where(), std::string(node.source_line())};
    if (node.is_quoted() && placed.where.column > 0) ++placed.where.column;
    return placed;
}

IntegerProgram Names::compiled(PlacedText text) const {
    return IntegerProgram(
        std::move(text),
        [&](const std::string& name) {
            const auto found = slots.find(name);
            return found == slots.end() ? -1 : found->second;
        },
        known);
}

RealProgram Names::compiled_time(const yaml::Node& node) const {
    return RealProgram(
        placed(node),
        [&](const std::string& name) {
            const auto found = slots.find(name);
            return found == slots.end() ? -1 : found->second;
        },
        known);
}

Values read_values(const yaml::Node& node, std::size_t width, const Names& names) {
    if (node.is_sequence()) return list_of_values(node, width);
    const PlacedText text = Names::placed(node);
    Values values;
    if (text.text == "kernels of the machine") {
        values.kind = Values::Kind::kernels;
        return values;
    }
    if (width != 1)
        node.fail(ErrorCode::bad_value, "names that are chosen together take a list of rows or kernels of the machine");
    constexpr std::string_view kDivisors = "divisors of ";
    constexpr std::string_view kPowers = "powers of two ";
    if (text.text.starts_with(kDivisors)) {
        values.kind = Values::Kind::divisors;
        values.low = names.compiled(part_of(text, kDivisors.size(), std::string::npos));
        return values;
    }
    values.kind = text.text.starts_with(kPowers) ? Values::Kind::powers : Values::Kind::range;
    read_bounds(values, text, values.kind == Values::Kind::powers ? kPowers.size() : 0, names);
    return values;
}

}  // namespace tilewright::tiles
