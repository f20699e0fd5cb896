#include "frontend/timeloop/files/yaml_text.hpp"

#include <algorithm>
#include <array>

namespace tilewright::timeloop {

std::string yaml_text(const std::string& text) {
    static constexpr std::array<const char*, 9> kReserved{"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    std::string folded = text;
    for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool reserved = std::find(kReserved.begin(), kReserved.end(), folded) != kReserved.end();
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!reserved && !text.empty() && letter(folded.front()) &&
        std::all_of(folded.begin(), folded.end(), [&](char c) { return letter(c) || digit(c); }))
        return text;
    std::string escaped = "\"";
    static constexpr const char* kHex = "0123456789abcdef";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') escaped += '\\';
        if (byte < 0x20 || byte == 0x7f)
            escaped += std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 15U];
        else
            escaped += c;
    }
    return escaped + "\"";
}

}  // namespace tilewright::timeloop
