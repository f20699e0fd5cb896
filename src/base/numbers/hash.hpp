// Content hashes: the same bytes have the same name on every machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

/// XXH3-128 of `bytes` as 32 hexadecimal digits (as printed by `xxh128sum`).
std::string content_hash(std::string_view bytes);

/// The same for bytes in pieces.
class Hasher {
   public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void add(std::string_view bytes);
    /// content_hash of all added bytes.
    std::string digest() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tilewright
