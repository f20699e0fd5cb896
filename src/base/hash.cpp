#include "base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewright {

std::string content_hash(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace tilewright
