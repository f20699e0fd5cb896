#include "base/numbers/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tilewright {
namespace {

std::string hexadecimal(const XXH128_hash_t& hash) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace

struct Hasher::State {
    XXH3_state_t hash;
};

std::string content_hash(std::string_view bytes) { return hexadecimal(XXH3_128bits(bytes.data(), bytes.size())); }

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }

Hasher::~Hasher() = default;

void Hasher::add(std::string_view bytes) { XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size()); }

std::string Hasher::digest() const { return hexadecimal(XXH3_128bits_digest(&state_->hash)); }

}  // namespace tilewright
