// SHA-256, by libcrypto, for the hashes of scripts and styles in a content security policy.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::page {

/// In base64, for `script-src 'sha256-...'`.
std::string sha256_base64(std::string_view bytes);

}  // namespace tilewright::page
