#include "silicon/files/silicon.hpp"

#include "base/error.hpp"
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

std::variant<SystolicMachine, KernelMachine> read_machine(const yaml::Node& section, const Architecture& architecture) {
    if (section.has("systolic_array") == section.has("kernels"))
        section.fail(ErrorCode::missing_key, "expected either 'systolic_array' or 'kernels'");
    if (section.has("systolic_array")) return read_systolic(section, architecture);
    section.expect_keys({"kernels", "left_out", "measured"});
    return read_kernels(section.at("kernels"), architecture);
}

}  // namespace

std::optional<Silicon> read_silicon(const yaml::Node& root, const Architecture& architecture) {
    const yaml::Node* section = root.find("silicon");
    if (section == nullptr) return std::nullopt;
    section->expect_keys(
        {"systolic_array", "dma", "caches", "tiles_in_flight", "start_cycles", "kernels", "left_out", "measured"});
    Silicon result;
    result.machine = read_machine(*section, architecture);
    if (const yaml::Node* left_out = section->find("left_out")) result.left_out = left_out->text();
    if (const yaml::Node* measured = section->find("measured")) result.measured = read_measured(*measured);
    return result;
}

}  // namespace tilewright::silicon
