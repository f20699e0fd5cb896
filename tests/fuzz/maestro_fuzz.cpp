// Files of the data-centric notation from any bytes: an InputError, or a document that reads back from its own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "maestro/files/document.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const maestro::Document document = maestro::read({reinterpret_cast<const char*>(data), size}, "fuzz.m");
        if (maestro::read(maestro::to_text(document), "again.m") != document) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
