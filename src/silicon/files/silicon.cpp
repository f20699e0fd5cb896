#include "silicon/files/silicon.hpp"

#include "base/error.hpp"
#include "silicon/accelerator/general.hpp"
#include "silicon/files/fields.hpp"
#include "silicon/files/kernels.hpp"
#include "silicon/files/systolic.hpp"

namespace tilewright::silicon {
namespace {

Measured read_measured(const yaml::Node& node) {
    node.expect_keys({"by", "cases", "median_error", "nine_of_ten", "worst_error"});
    Measured measured{node.at("by").text(), node.at("cases").positive(), not_negative(node.at("median_error")),
                      not_negative(node.at("worst_error"))};
    if (const yaml::Node* most = node.find("nine_of_ten")) measured.nine_of_ten = not_negative(*most);
    return measured;
}

std::variant<SystolicMachine, KernelMachine> read_machine(const yaml::Node& root, const yaml::Node& section,
                                                          const Architecture& architecture) {
    const bool has_kernels = section.has("kernels") || section.has("accelerator");
    if (section.has("systolic_array") == has_kernels)
        section.fail(ErrorCode::missing_key,
                     "expected 'systolic_array', or 'kernels' and 'accelerator' or one of them");
    if (section.has("systolic_array")) return read_systolic(section, architecture);
    section.expect_keys({"kernels", "accelerator", "left_out", "measured"});
    if (section.has("kernels")) return read_kernels(section.at("kernels"), architecture);
    const yaml::Node& accelerator = section.at("accelerator");
    return without_form(*read_accelerator(root, architecture),
                        level_named(accelerator.at("multiprocessor"), architecture));
}

}  // namespace

std::optional<Silicon> read_silicon(const yaml::Node& root, const Architecture& architecture) {
    const yaml::Node* section = root.find("silicon");
    if (section == nullptr) return std::nullopt;
    section->expect_keys({"systolic_array", "dma", "caches", "tiles_in_flight", "start_cycles", "kernels",
                          "accelerator", "left_out", "measured"});
    Silicon result;
    result.accelerator = read_accelerator(root, architecture);
    result.machine = read_machine(root, *section, architecture);
    if (const yaml::Node* left_out = section->find("left_out")) result.left_out = left_out->text();
    const yaml::Node* accelerator = section->find("accelerator");
    const yaml::Node* measured = (accelerator != nullptr ? accelerator : section)->find("measured");
    if (measured != nullptr) result.measured = read_measured(*measured);
    return result;
}

}  // namespace tilewright::silicon
