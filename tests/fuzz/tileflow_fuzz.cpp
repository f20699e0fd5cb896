// TileFlow's problems and trees from any bytes: an InputError, or a sound cascade and counts by both releases' rules;
// the factors that it printed from any bytes, too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"
#include "timeloop/tileflow/account.hpp"
#include "yaml/node.hpp"

using namespace tilewright;

namespace {

Architecture machine() {
    Architecture architecture;
    architecture.memories.resize(2);
    architecture.memories[0].name = "Main";
    architecture.memories[1].name = "Buffer";
    architecture.memories[1].capacity_words = 64;
    architecture.memories[1].read_words_per_cycle = 2.0;
    architecture.memories[1].mesh = {4, 2};
    architecture.memories[1].instances = 8;
    return architecture;
}

void read(const yaml::Node& root) {
    static const Architecture kMachine = machine();
    if (!tileflow::is_problem(root)) return;
    const tileflow::Problem problem = tileflow::read_problem(root);
    if (tileflow::is_tree(root)) {
        const tileflow::TreeNode tree = tileflow::read_tree(root, problem, kMachine);
        for (const tileflow::Rules& rules : {tileflow::Rules{}, tileflow::kRulesOfTheAttention})
            if (tileflow::count(problem, tree, kMachine, rules).cycles < 1) std::abort();
    }
    if (!problem_with(tileflow::cascade_of(problem, "fuzz")).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        static_cast<void>(tileflow::read_found_factors(text, "fuzz.txt"));
    } catch (const InputError&) {
    }
    try {
        read(yaml::parse_text(text, "fuzz.yaml"));
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
