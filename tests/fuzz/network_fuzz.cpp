// Any bytes as a network of our own: layers that can be written again, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "native/network.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const Network network = native::read_network(yaml::parse_text(text, "net.yaml").at("network"));
        static_cast<void>(native::write_network(network));
    } catch (const InputError&) {
    }
    return 0;
}
