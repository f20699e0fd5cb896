#include "report/page/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace tilewright::page {

std::string sha256_base64(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("libcrypto has no SHA-256");
    std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> text{};
    const int letters = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(length));
    return {text.begin(), text.begin() + letters};
}

}  // namespace tilewright::page
