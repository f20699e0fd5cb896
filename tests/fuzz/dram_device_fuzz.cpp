// Memory devices from any bytes: an InputError, or a device that can be simulated.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "sim/dram/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        tilewright::sim::dram::parse_device({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    } catch (const tilewright::InputError&) {
    }
    return 0;
}
