#include "silicon/files/accelerator.hpp"

#include "base/error.hpp"
#include "silicon/files/fields.hpp"
#include "silicon/files/form_fields.hpp"

namespace tilewright::silicon {
namespace {

constexpr double kHighestShare = 1.2;  // a device may clock above its data sheet

void read_device(const yaml::Node& root, DataSheet& sheet) {
    const yaml::Node* device = root.find("device");
    if (device == nullptr) return;
    sheet.power_watts = number_or(*device, "power_watts", 0.0);
    if (const yaml::Node* links = device->find("links"); links != nullptr && links->is_map())
        sheet.link_bytes_per_us = number_or(*links, "bytes_per_us", 0.0);
}

DataSheet read_sheet(const yaml::Node& node, const yaml::Node& root, const Architecture& architecture) {
    DataSheet sheet;
    const double cycle_us = architecture.cycle_seconds * 1e6;
    const Memory& unit = architecture.memories[level_named(node.at("multiprocessor"), architecture)];
    sheet.operations_per_us =
        rate_or(node, "operations_per_us", 2.0 * static_cast<double>(architecture.compute.instances) / cycle_us);
    // A sheet's rate is of all its multiprocessors: a machine with fewer of them has its share.
    if (node.find("multiprocessors") != nullptr)
        sheet.operations_per_us *= static_cast<double>(unit.instances) / rate_or(node, "multiprocessors", 1.0);
    sheet.fp8_factor = rate_or(node, "fp8_factor", 2.0);
    sheet.fp4_factor = rate_or(node, "fp4_factor", 2.0 * sheet.fp8_factor);
    sheet.memory_bytes_per_us = read_bytes_per_us(architecture.memories.front(), architecture, node);
    sheet.multiprocessors = static_cast<double>(unit.instances);
    sheet.clock_per_us = rate_or(node, "clock_per_us", 1.0 / cycle_us);
    sheet.cache_bytes = above_zero(node.at("cache_bytes"));
    sheet.exponentials_per_cycle = rate_or(node, "exponentials_per_cycle", 16.0);
    read_device(root, sheet);
    return sheet;
}

void check_shares(const yaml::Node& node) {
    for (const char* name : {"bandwidth_share", "rate_share", "link_share"})
        if (const yaml::Node* share = node.find(name)) share_of_data_sheet(*share, kHighestShare);
}

// Its own numbers, over those of a relative that its generation's file names.
void read_calibrated(const yaml::Node& node, const yaml::Node& generation, Accelerator& machine) {
    const yaml::Node& usual = generation.at("usual");
    read_fields(usual, machine.calibrated, {"of"});
    machine.inherited_of = usual.at("of").text();
    if (const yaml::Node* power = generation.find("usual_power")) {
        machine.power.emplace();
        read_fields(*power, *machine.power);
    }
    if (const yaml::Node* own = node.find("calibrated")) {
        check_shares(*own);
        read_fields(*own, machine.calibrated, {"rows"});
        if (const yaml::Node* rows = own->find("rows")) machine.rows = rows->text();
        machine.inherited_of.clear();
    }
    if (const yaml::Node* power = node.find("power")) {
        PowerNumbers numbers = machine.power.value_or(PowerNumbers{});
        read_fields(*power, numbers);
        machine.power = numbers;
        machine.power_is_own = true;
    }
}

}  // namespace

std::optional<Accelerator> read_accelerator(const yaml::Node& root, const Architecture& architecture,
                                            const std::string& engine) {
    const yaml::Node* section = root.find("silicon");
    const yaml::Node* node = section == nullptr ? nullptr : section->find("accelerator");
    if (node == nullptr) return std::nullopt;
    node->expect_keys({"generation", "multiprocessor", "multiprocessors", "operations_per_us", "clock_per_us",
                       "fp8_factor", "fp4_factor", "cache_bytes", "exponentials_per_cycle", "calibrated", "power",
                       "measured"});
    Accelerator machine;
    machine.sheet = read_sheet(*node, root, architecture);
    const yaml::Node& generation = node->at("generation");
    machine.form = form_named(generation.text(), engine, generation);
    read_calibrated(*node, generation_file(generation.text(), generation), machine);
    return machine;
}

}  // namespace tilewright::silicon
