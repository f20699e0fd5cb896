// Any bytes as what Timeloop prints about a mapping: values or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "timeloop/files/stats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        (void)tilewright::timeloop::read_stats(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.txt");
    } catch (const tilewright::InputError&) {
    }
    return 0;
}
