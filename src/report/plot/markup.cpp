#include "report/plot/markup.hpp"

#include <cstdint>

namespace tilewright::plot {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// Length of the well-formed UTF-8 sequence at the start of `text`, and its character; 0 if none.
struct Character {
    std::size_t length = 0;
    std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {1, lead};
    const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || lead >= 0xF5 || text.size() < length) return {};
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return overlong || surrogate || code > 0x10FFFF ? Character{} : Character{length, code};
}

bool is_harmful(std::uint32_t code) {
    const bool control = (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return control || turns || code == 0xFFFE || code == 0xFFFF;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Character next = first_character(text);
        if (next.length == 0 || is_harmful(next.code))
            out += kReplacement;
        else if (next.code == '&')
            out += "&amp;";
        else if (next.code == '<')
            out += "&lt;";
        else if (next.code == '>')
            out += "&gt;";
        else if (next.code == '"')
            out += "&quot;";
        else if (next.code == '\'')
            out += "&#39;";
        else
            out += text.substr(0, next.length);
        text.remove_prefix(next.length == 0 ? 1 : next.length);
    }
    return out;
}

std::string shortened(const std::string& text, std::size_t most) {
    std::size_t end = 0;
    std::size_t before_last = 0;
    for (std::size_t count = 0; end < text.size(); ++count) {
        if (count == most) return text.substr(0, before_last) + "\xE2\x80\xA6";
        before_last = end;
        const std::size_t length = first_character(std::string_view(text).substr(end)).length;
        end += length == 0 ? 1 : length;
    }
    return text;
}

}  // namespace tilewright::plot
