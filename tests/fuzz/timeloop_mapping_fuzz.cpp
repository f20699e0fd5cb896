// Timeloop mappings from any bytes: an InputError, or a nest that covers the einsum, can be checked and shown, and
// reads back from what is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "mapping/text.hpp"
#include "mapping/validity.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/mapping/nest.hpp"
#include "workload/einsum_text.hpp"
#include "yaml/node.hpp"

using namespace tilewright;

namespace {

Architecture machine() {
    Architecture architecture;
    architecture.memories.resize(3);
    architecture.memories[0].name = "DRAM";
    architecture.memories[1].name = "Buffer";
    architecture.memories[1].capacity_words = 64;
    architecture.memories[2].name = "inter_PE_spatial";
    architecture.memories[2].spreads_only = true;
    architecture.compute.instances = 8;
    architecture.compute.mesh = {4, 2};
    return architecture;
}

void read(const yaml::Node& root, timeloop::Remainders remainders) {
    static const Einsum kEinsum =
        parse_einsum("O[K,P] += W[K,C,Rx] * I[C,P+Rx]", {{"K", 8}, {"C", 7}, {"P", 12}, {"Rx", 3}});
    static const Architecture kMachine = machine();
    const Mapping mapping = timeloop::read_mapping(root, kEinsum, kMachine, remainders);
    for (const Violation& violation : check(kEinsum, kMachine, mapping))
        if (violation.kind == ViolationKind::nest) std::abort();
    (void)loop_nest_text(kEinsum, kMachine, mapping);
    const auto reads_back = [&](const std::string& text) {
        return timeloop::read_mapping(yaml::parse_text(text), kEinsum, kMachine) == mapping;
    };
    if (!reads_back(timeloop::write_nest(mapping, kEinsum, kMachine))) std::abort();
    if (timeloop::directives_can_say(mapping, kMachine) &&
        !reads_back(timeloop::write_mapping(mapping, kEinsum, kMachine)))
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const auto remainders : {timeloop::Remainders::as_written, timeloop::Remainders::restore}) {
        try {
            read(yaml::parse_text({reinterpret_cast<const char*>(data), size}, "fuzz.yaml"), remainders);
        } catch (const InputError&) {
        }
    }
    return 0;
}
