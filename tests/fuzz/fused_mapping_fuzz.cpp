// Fused mappings as text and as YAML from any bytes: an InputError, or a tree that reads back from its own text and its
// own YAML. (Whether it is sound is asked, too.)
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/validity.hpp"
#include "native/fused_mapping.hpp"
#include "workload/cascade/text.hpp"

using namespace tilewright;

namespace {

Architecture machine() {
    Architecture architecture;
    for (const char* name : {"DRAM", "Buffer"}) {
        Memory memory;
        memory.name = name;
        architecture.memories.push_back(memory);
    }
    return architecture;
}

void check_both_ways(const FusedMapping& mapping, const Cascade& cascade, const Architecture& architecture) {
    if (parse_fused_mapping(to_text(mapping, cascade, architecture), cascade, architecture).mapping != mapping)
        std::abort();
    const std::string file = native::write_fused_mapping(mapping, cascade, architecture);
    if (native::read_fused_mapping(yaml::parse_text(file), cascade, architecture).mapping != mapping) std::abort();
    static_cast<void>(check_fused(cascade, architecture, mapping));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Cascade cascade =
        parse_cascade("size p=4, r=3, q=2, s=3; first: B[p] += A[p+r] * V[r]; second: C[q] += B[q+s] * W[s]");
    static const Architecture architecture = machine();
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    try {
        check_both_ways(parse_fused_mapping(text, cascade, architecture).mapping, cascade, architecture);
    } catch (const InputError&) {
    }
    try {
        check_both_ways(native::read_fused_mapping(yaml::parse_text(text), cascade, architecture).mapping, cascade,
                        architecture);
    } catch (const InputError&) {
    }
    return 0;
}
