// Any bytes as a file of AccelForge's: an InputError, or values; where machine, workload and mapping are there, costs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "accelforge/forms/write.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "libfyaml_leaks.hpp"

using namespace tilewright;
using namespace tilewright::accelforge;

namespace {

void check_machine(const yaml::Node& root, const Workload& workload) {
    Notes notes;
    const Architecture architecture = architecture_of(root, typical_einsum(workload), "fuzz", {}, notes);
    if (!problem_with(architecture).empty()) __builtin_trap();
    static_cast<void>(machine_text(architecture, notes));
}

void check_workload(const Workload& workload) {
    Notes notes;
    const Cascade cascade = cascade_of(workload, "fuzz", notes);
    if (!problem_with(cascade).empty()) __builtin_trap();
    static_cast<void>(accelforge::workload_text(cascade, 8));
}

void check_whole(const yaml::Node& root) {
    const Workload workload = read_workload(root);
    check_workload(workload);
    if (!root.has("arch")) return;
    if (root.has("mapping")) {
        const auto machine_for = [&](const EinsumSpec& einsum) { return read_machine(root, einsum); };
        static_cast<void>(evaluate(workload, machine_for, read_mapping(root)));
    }
    check_machine(root, workload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(is_accelforge(text));
    try {
        const yaml::Node root = load_text(text, "fuzz.yaml");
        if (root.has("workload")) check_whole(root);
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
