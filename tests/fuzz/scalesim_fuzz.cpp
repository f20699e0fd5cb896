// SCALE-Sim's files from any bytes: an InputError, or a machine and a network.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "scalesim/config.hpp"
#include "scalesim/topology.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        static_cast<void>(scalesim::machine_text(scalesim::read_config(text, "fuzz.cfg")));
    } catch (const InputError&) {
    }
    try {
        Notes notes;
        static_cast<void>(scalesim::read_topology(text, "fuzz.csv", notes));
    } catch (const InputError&) {
    }
    return 0;
}
