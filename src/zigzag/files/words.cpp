#include "zigzag/files/words.hpp"

#include <algorithm>
#include <charconv>

namespace tilewright::zigzag {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (true) {
        const std::size_t comma = text.find(',');
        words.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) return words;
        text.remove_prefix(comma + 1);
    }
}

std::vector<std::string> words_of(const yaml::Node& node, std::size_t count, const std::string& form) {
    std::vector<std::string> words;
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) words.push_back(item.text());
    else
        words = words_of(node.text());
    const bool empty = std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.empty(); });
    if (words.size() != count || empty) node.fail(ErrorCode::bad_value, "expected " + form);
    return words;
}

std::int64_t positive_number(const std::string& text, const yaml::Node& node) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
        node.fail(ErrorCode::overflow, "'" + text + "' does not fit in 64 bits");
    if (error != std::errc{} || end != text.data() + text.size() || value < 1)
        node.fail(ErrorCode::bad_value, "expected a whole number of at least 1, found '" + text + "'");
    return value;
}

MemoryOperand memory_operand(const std::string& name, const yaml::Node& node) {
    for (const MemoryOperand operand : {MemoryOperand::i1, MemoryOperand::i2, MemoryOperand::o})
        if (name == name_of(operand)) return operand;
    node.fail(ErrorCode::unknown_name, "'" + name + "' is no memory operand; they are I1, I2 and O");
}

std::string known_names(std::string_view name, const std::vector<std::string>& known) {
    const std::string near = did_you_mean(name, known);
    return near.empty() && !known.empty() ? "; there are " + list_words(known) : near;
}

std::string upper_case(std::string_view text) {
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return upper;
}

}  // namespace tilewright::zigzag
