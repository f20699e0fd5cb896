// Names for contents: the same bytes always get the same name, on every machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

/// XXH3-128 of `bytes` as 32 hexadecimal digits (what `xxh128sum` prints).
std::string content_hash(std::string_view bytes);

/// The same of bytes that come piece by piece.
class Hasher {
   public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void add(std::string_view bytes);
    /// content_hash of all that was added.
    std::string digest() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tilewright
