#include "base/utf8.hpp"

namespace tilewright {
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
