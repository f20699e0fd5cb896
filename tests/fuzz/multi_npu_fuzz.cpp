// Any bytes as a machine of several cores: a machine or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "native/multi_npu.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        native::read_multi_npu(yaml::parse_text(text, "fuzz.yaml"));
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
