#include "timeloop/additions/device.hpp"

#include <cmath>

namespace tilewright::timeloop {
namespace {

double above_zero(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value <= 0.0) node.fail(ErrorCode::bad_value, "expected a number above 0");
    return value;
}

double finite_or_zero(const yaml::Node& node) {
    const double value = node.real();
    if (!std::isfinite(value) || value < 0.0) node.fail(ErrorCode::bad_value, "expected a number of at least 0");
    return value;
}

Links read_links(const yaml::Node& node) {
    node.expect_keys({"bytes_per_us", "latency_us", "energy_pj_per_byte"});
    Links links{above_zero(node.at("bytes_per_us")), finite_or_zero(node.at("latency_us"))};
    if (const yaml::Node* energy = node.find("energy_pj_per_byte")) links.energy_pj_per_byte = finite_or_zero(*energy);
    return links;
}

}  // namespace

Device read_device(const yaml::Node& root) {
    Device device;
    const yaml::Node* section = root.find("device");
    if (section == nullptr || section->is_null()) return device;
    section->expect_keys({"memory_bytes", "power_watts", "links"});
    if (const yaml::Node* bytes = section->find("memory_bytes")) device.memory_bytes = above_zero(*bytes);
    if (const yaml::Node* power = section->find("power_watts")) device.power_watts = above_zero(*power);
    if (const yaml::Node* links = section->find("links")) device.links = read_links(*links);
    return device;
}

}  // namespace tilewright::timeloop
