#include "base/printable.hpp"

#include <cstdint>

namespace tilewright {
namespace {

constexpr const char* kHex = "0123456789abcdef";

bool is_control(std::uint32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

// Directions, joiners, separators and the byte order mark: they change the appearance of their surroundings.
bool is_invisible(std::uint32_t point) {
    return (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || point == 0x061c;
}

std::string spelled(std::uint32_t point) {
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) text += kHex[(point >> static_cast<unsigned>(shift)) & 15U];
    return text;
}

std::string spelled_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 15U];
}

// `replace` takes an unprintable code point, `replace_byte` a byte outside any.
template <class Replace, class ReplaceByte>
std::string rewritten(std::string_view text, const Replace& replace, const ReplaceByte& replace_byte) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t place = 0; place < text.size();) {
        const Character character = character_at(text, place);
        const std::string_view bytes = text.substr(place, character.bytes);
        if (!character.valid)
            out += replace_byte(bytes.front());
        else if (is_control(character.point) || is_invisible(character.point))
            out += replace(character.point);
        else
            out += bytes;
        place += character.bytes;
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    const auto replace = [](std::uint32_t point) {
        return point == '\n' || point == '\t' ? std::string(1, static_cast<char>(point)) : spelled(point);
    };
    return rewritten(text, replace, spelled_byte);
}

std::string printable_line(std::string_view text) { return rewritten(text, spelled, spelled_byte); }

std::string masked_line(std::string_view text) {
    const auto replace = [](std::uint32_t point) { return point == '\t' ? std::string(" ") : std::string("?"); };
    return rewritten(text, replace, [](char) { return std::string("?"); });
}

namespace {

// Length of the sequence starting with `lead`, or 0.
std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

// The second byte rules out overlong forms, surrogates and code points beyond U+10FFFF.
bool second_fits(unsigned char lead, unsigned char second) {
    switch (lead) {
        case 0xe0: return second >= 0xa0;
        case 0xed: return second < 0xa0;
        case 0xf0: return second >= 0x90;
        case 0xf4: return second < 0x90;
        default: return true;
    }
}

}  // namespace

Character character_at(std::string_view text, std::size_t place) {
    const auto lead = static_cast<unsigned char>(text[place]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > text.size() - place) return {};
    for (std::size_t k = 1; k < length; ++k)
        if (!is_continuation(text[place + k])) return {};
    if (length > 2 && !second_fits(lead, static_cast<unsigned char>(text[place + 1]))) return {};
    if (length == 1) return {true, lead, 1};
    std::uint32_t point = lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k)
        point = (point << 6U) | (static_cast<unsigned char>(text[place + k]) & 0x3fU);
    return {true, point, length};
}

std::size_t first_invalid_utf8(std::string_view text) {
    for (std::size_t place = 0; place < text.size();) {
        const Character character = character_at(text, place);
        if (!character.valid) return place;
        place += character.bytes;
    }
    return text.size();
}

}  // namespace tilewright
