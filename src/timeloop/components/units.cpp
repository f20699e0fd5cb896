#include "timeloop/components/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace tilewright::timeloop {
namespace {

constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kMebi * kKibi;

struct Spelling {
    std::string_view text;
    Unit unit;
    double factor;
};
constexpr std::array kSpellings{
    Spelling{"k", Unit::count, kKibi},
    Spelling{"K", Unit::count, kKibi},
    Spelling{"M", Unit::count, kMebi},
    Spelling{"G", Unit::count, kGibi},
    Spelling{"B", Unit::bytes, 1.0},
    Spelling{"KiB", Unit::bytes, kKibi},
    Spelling{"kB", Unit::bytes, kKibi},
    Spelling{"KB", Unit::bytes, kKibi},
    Spelling{"MiB", Unit::bytes, kMebi},
    Spelling{"MB", Unit::bytes, kMebi},
    Spelling{"GiB", Unit::bytes, kGibi},
    Spelling{"GB", Unit::bytes, kGibi},
    Spelling{"B/s", Unit::bytes_per_second, 1.0},
    Spelling{"kB/s", Unit::bytes_per_second, 1e3},
    Spelling{"KB/s", Unit::bytes_per_second, 1e3},
    Spelling{"MB/s", Unit::bytes_per_second, 1e6},
    Spelling{"GB/s", Unit::bytes_per_second, 1e9},
    Spelling{"TB/s", Unit::bytes_per_second, 1e12},
    Spelling{"KiB/s", Unit::bytes_per_second, kKibi},
    Spelling{"MiB/s", Unit::bytes_per_second, kMebi},
    Spelling{"GiB/s", Unit::bytes_per_second, kGibi},
    Spelling{"B/cycle", Unit::bytes_per_cycle, 1.0},
    Spelling{"KiB/cycle", Unit::bytes_per_cycle, kKibi},
};

std::string quoted(Attributes::Keys keys) { return "'" + std::string(*keys.begin()) + "'"; }

// A number and letters, such as 8GBps: neither an amount nor an expression.
bool has_unknown_unit(const std::string& text) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    std::string_view rest(end, text.data() + text.size());
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    return !rest.empty() && std::ranges::all_of(rest, [](char c) { return std::isalpha(c) || c == '/'; });
}

// The literal text as a number with a unit, if it is one.
std::optional<Amount> amount_at(const Attributes& attributes, Attributes::Keys keys) {
    const yaml::Node* node = attributes.find(keys);
    return node == nullptr || !node->is_scalar() ? std::nullopt : amount_in(node->text());
}

[[noreturn]] void refuse_unit(const Attributes& attributes, Attributes::Keys keys, const char* expected) {
    const yaml::Node& node = *attributes.find(keys);
    node.fail(ErrorCode::bad_value, quoted(keys) + " takes " + expected + ", found '" + node.text() + "'");
}

// Nothing for what is left to expressions.
std::optional<Amount> amount_or_refuse(const Attributes& attributes, Attributes::Keys keys, const char* expected) {
    const std::optional<Amount> amount = amount_at(attributes, keys);
    const yaml::Node* node = attributes.find(keys);
    if (!amount && node != nullptr && node->is_scalar() && has_unknown_unit(node->text()))
        refuse_unit(attributes, keys, expected);
    return amount;
}

std::int64_t whole_bits(const Attributes& attributes, Attributes::Keys keys, const Amount& amount,
                        std::int64_t bits_of_one) {
    const yaml::Node& node = *attributes.find(keys);
    const bool in_bytes = amount.unit == Unit::bytes;
    const double number = in_bytes ? amount.number * 8.0 / static_cast<double>(bits_of_one) : amount.number;
    if (number >= 9.0e18) node.fail(ErrorCode::overflow, quoted(keys) + " does not fit in 64 bits");
    if (number == std::floor(number)) return static_cast<std::int64_t>(number);
    node.fail(ErrorCode::bad_value, quoted(keys) + ": " + node.text() + " is no whole number" +
                                        (in_bytes ? " of " + std::to_string(bits_of_one) + " bits" : ""));
}

}  // namespace

std::optional<Amount> amount_in(std::string_view text) {
    double number = 0.0;
    const char* const begin = text.data();
    const auto [end, error] = std::from_chars(begin, begin + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0.0) return std::nullopt;
    std::string_view rest = text.substr(static_cast<std::size_t>(end - begin));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const Spelling& spelling : kSpellings)
        if (rest == spelling.text) return Amount{number * spelling.factor, spelling.unit};
    return std::nullopt;
}

std::optional<std::int64_t> whole_amount(const Attributes& attributes, Attributes::Keys keys,
                                         std::int64_t bits_of_one) {
    constexpr const char* kExpected = "a number, such as 4096 or 4k, or bytes, such as 64KiB";
    const std::optional<Amount> amount = amount_or_refuse(attributes, keys, kExpected);
    if (!amount) return attributes.not_negative(keys);
    if (amount->unit != Unit::count && amount->unit != Unit::bytes) refuse_unit(attributes, keys, kExpected);
    return whole_bits(attributes, keys, *amount, bits_of_one);
}

std::optional<double> kibibytes(const Attributes& attributes, Attributes::Keys keys) {
    constexpr const char* kExpected = "bytes, such as 64KiB";
    const std::optional<Amount> amount = amount_or_refuse(attributes, keys, kExpected);
    if (!amount) return attributes.real_from(keys, 0.0);
    if (amount->unit != Unit::bytes) refuse_unit(attributes, keys, kExpected);
    return amount->number / kKibi;
}

std::optional<double> words_per_cycle(const Attributes& attributes, Attributes::Keys keys, const WordRate& rate) {
    constexpr const char* kExpected = "words in a cycle, such as 16, or bytes in a time: 25.6GB/s, 64B/cycle";
    const std::optional<Amount> amount = amount_or_refuse(attributes, keys, kExpected);
    if (!amount) return attributes.real_from(keys, 0.0);
    const double words = amount->number * 8.0 / static_cast<double>(rate.word_bits);
    if (amount->unit == Unit::bytes_per_cycle) return words;
    if (amount->unit != Unit::bytes_per_second) refuse_unit(attributes, keys, kExpected);
    if (rate.cycle_seconds) return words * *rate.cycle_seconds;
    attributes.find(keys)->fail(ErrorCode::bad_value, quoted(keys) + " in bytes a second needs the machine's clock: " +
                                                          "give 'frequency: 1GHz' or 'global_cycle_seconds: 1e-9'");
}

}  // namespace tilewright::timeloop
