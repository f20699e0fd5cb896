// Any bytes as a Timeloop machine with its constraints: a value or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace {

tilewright::Einsum matrix_product() {
    using tilewright::Rank;
    return {"product",
            {{"M", 12}, {"N", 8}, {"K", 6}},
            {{"A", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, false},
             {"B", {Rank{{{2, 1}}}, Rank{{{1, 1}}}}, false},
             {"Z", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, true}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const tilewright::yaml::Node root = tilewright::timeloop::load_text(text, "fuzz.yaml");
        const tilewright::Architecture machine = tilewright::timeloop::read_architecture(root);
        if (!tilewright::problem_with(machine).empty()) __builtin_trap();
        (void)tilewright::timeloop::read_constraints(root, machine, matrix_product());
    } catch (const tilewright::InputError&) {
    } catch (const tilewright::OverflowError&) {
    }
    return 0;
}
