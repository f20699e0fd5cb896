// Timeloop problems from any bytes: an InputError, or a sound einsum whose size can be counted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "timeloop/problem/problem.hpp"
#include "yaml/node.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const yaml::Node root = yaml::parse_text({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
        const Einsum einsum = timeloop::read_problem(root);
        if (!problem_with(einsum).empty()) std::abort();
        (void)operation_count(einsum);
        for (int t = 0; t < einsum.tensor_count(); ++t) (void)tensor_words(einsum, t);
    } catch (const InputError&) {
    }
    return 0;
}
