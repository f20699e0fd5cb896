// SHA-256, by libcrypto, for the hashes of scripts and styles in a content security policy.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::page {

/// In base64, as `script-src 'sha256-...'` takes it.
std::string sha256_base64(std::string_view bytes);

}  // namespace tilewright::page
