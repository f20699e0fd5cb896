// Any bytes as a ZigZag accelerator: a value or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "zigzag/files/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const tilewright::yaml::Node root = tilewright::zigzag::load_text(text, "fuzz.yaml").root;
        const tilewright::zigzag::Accelerator machine = tilewright::zigzag::read_accelerator(root);
        if (machine.allocation_order.size() != machine.memories.size()) __builtin_trap();
    } catch (const tilewright::InputError&) {
    } catch (const tilewright::OverflowError&) {
    }
    return 0;
}
