// Einsum text from any bytes: an InputError, or an einsum that is sound and reads back from its own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "workload/einsum_text.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<std::pair<std::string, std::int64_t>> extents{{"n", 2}, {"row", 3}, {"k", 1LL << 20}};
    try {
        const Einsum einsum = parse_einsum({reinterpret_cast<const char*>(data), size}, extents);
        if (!problem_with(einsum).empty()) std::abort();
        if (parse_einsum(to_text(einsum), extents) != einsum) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
