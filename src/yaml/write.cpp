#include "yaml/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/printable.hpp"

namespace tilewright::yaml {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters ending a plain scalar or with a meaning somewhere in YAML.
bool may_be_plain(const std::string& text) {
    static constexpr std::string_view kSpecial = ",[]{}:#&*!|>'\"%@`?\\";
    return !text.empty() && text.front() != ' ' && text.back() != ' ' && text != "-" && text != "~" &&
           text.find_first_of(kSpecial) == std::string::npos &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string entries_text(const Node& node) {
    std::string text;
    for (const Node::Entry& entry : node.entries()) {
        if (!text.empty()) text += ", ";
        text += may_be_plain(entry.key) ? entry.key : quoted_text(entry.key);
        text += ": " + flow_text(entry.value);
    }
    return "{" + text + "}";
}

std::string items_text(const Node& node) {
    std::string text;
    for (const Node& item : node.items()) text += (text.empty() ? "" : ", ") + flow_text(item);
    return "[" + text + "]";
}

}  // namespace

// Terminal controls and invisible characters are escaped; a reader restores them.
std::string quoted_text(const std::string& text) {
    static constexpr const char* kHex = "0123456789abcdef";
    std::string escaped = "\"";
    for (std::size_t place = 0; place < text.size();) {
        const Character character = character_at(text, place);
        const std::string_view bytes = std::string_view(text).substr(place, character.bytes);
        place += character.bytes;
        if (bytes == "\"" || bytes == "\\") escaped += '\\';
        if (!character.valid || printable_line(bytes) == bytes) {
            escaped += bytes;
            continue;
        }
        const bool is_short = character.point < 0x100;
        escaped += is_short ? "\\x" : "\\u";
        for (int shift = is_short ? 4 : 12; shift >= 0; shift -= 4)
            escaped += kHex[(character.point >> static_cast<unsigned>(shift)) & 15U];
    }
    return escaped + "\"";
}

std::string scalar_text(const std::string& text) {
    static constexpr std::array<const char*, 9> kReserved{"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    std::string folded = text;
    for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool reserved = std::find(kReserved.begin(), kReserved.end(), folded) != kReserved.end();
    const bool plain = !text.empty() && is_letter(text.front()) &&
                       std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
    return plain && !reserved ? text : quoted_text(text);
}

std::string number_text(double value) {
    std::array<char, 32> digits{};
    const auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return problem == std::errc{} ? std::string(digits.data(), end) : "0";
}

std::string flow_text(const Node& node) {
    const std::string tag = node.tag().empty() ? "" : node.tag() + " ";
    switch (node.kind()) {
        case Node::Kind::null: return tag + "null";
        case Node::Kind::scalar:
            return tag + (!node.is_quoted() && may_be_plain(node.text()) ? node.text() : quoted_text(node.text()));
        case Node::Kind::sequence: return tag + items_text(node);
        case Node::Kind::map: return tag + entries_text(node);
    }
    return "";
}

std::string block_text(const Node& node, const std::string& indent) {
    if (!node.is_sequence() || node.items().empty()) return " " + flow_text(node) + "\n";
    std::string text = "\n";
    for (const Node& item : node.items()) text += indent + "- " + flow_text(item) + "\n";
    return text;
}

}  // namespace tilewright::yaml
