// A cascade's text from any bytes: an InputError, or a cascade that is sound and whose layers are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/cascade/text.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Cascade cascade = parse_cascade({reinterpret_cast<const char*>(data), size});
        if (!problem_with(cascade).empty()) std::abort();
        for (const Layer& layer : network_of(cascade).layers)
            if (!problem_with(layer.einsum).empty()) std::abort();
    } catch (const InputError&) {
    } catch (const OverflowError&) {  // of layers only: the cascade itself is counted when it is read
    }
    return 0;
}
