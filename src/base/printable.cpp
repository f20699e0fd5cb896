#include "base/printable.hpp"

#include <cstdint>

#include "base/utf8.hpp"

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

}  // namespace tilewright
