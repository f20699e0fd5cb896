#include "native/cost_table.hpp"

#include <utility>
#include <vector>

namespace tilewright::native {
namespace {

using explore::AccessCurve;

double not_negative(const yaml::Node& node) {
    const double value = node.real();
    if (value < 0.0) node.fail(ErrorCode::bad_value, "expected a number of at least 0, found '" + node.text() + "'");
    return value;
}

explore::BlockCost block_of(const yaml::Node& node) {
    return {not_negative(node.at("area_um2")), not_negative(node.at("power_mw"))};
}

explore::CellCost cells_of(const yaml::Node& node) {
    node.expect_keys({"cell_bytes", "area_um2", "power_mw"});
    return {block_of(node), node.at("cell_bytes").positive()};
}

explore::WiringCost wiring_of(const yaml::Node& node) {
    node.expect_keys(
        {"area_um2", "power_mw", "per_unit_squared", "per_unit", "constant", "least_area_um2", "least_power_mw"});
    explore::WiringCost wiring;
    wiring.block = block_of(node);
    const auto read = [&](const char* key, double& target) {
        if (const yaml::Node* value = node.find(key)) target = not_negative(*value);
    };
    read("per_unit_squared", wiring.per_unit_squared);
    read("per_unit", wiring.per_unit);
    read("least_area_um2", wiring.least.area_um2);
    read("least_power_mw", wiring.least.power_mw);
    if (const yaml::Node* value = node.find("constant")) wiring.constant = value->real();
    return wiring;
}

double energy_of(const yaml::Node& node) {
    const double macs = node.real();
    if (macs <= 0.0)
        node.fail(ErrorCode::bad_value,
                  "expected an energy above 0 (in multiply-accumulates), found '" + node.text() + "'");
    return macs;
}

// One number for every size, or points by size.
AccessCurve curve_of(const yaml::Node& node) {
    if (node.is_scalar()) return AccessCurve({{1, energy_of(node)}});
    std::vector<AccessCurve::Point> points;
    for (const yaml::Node& item : node.items()) {
        item.expect_keys({"bytes", "macs"});
        const yaml::Node& bytes = item.at("bytes");
        points.push_back({bytes.positive(), energy_of(item.at("macs"))});
        if (points.size() > 1 && points[points.size() - 2].bytes >= points.back().bytes)
            bytes.fail(ErrorCode::bad_value, "sizes have to rise: " + bytes.text() + " bytes come after " +
                                                 std::to_string(points[points.size() - 2].bytes));
    }
    if (points.empty()) node.fail(ErrorCode::bad_value, "expected a number, or points {bytes: N, macs: E}");
    return AccessCurve(std::move(points));
}

}  // namespace

explore::CostTable read_cost_table(const yaml::Node& root) {
    root.expect_keys({"cost"});
    const yaml::Node& node = root.at("cost");
    node.expect_keys({"about", "mac", "l1", "l2", "bus", "arbiter", "l1_access_macs", "l2_access_macs"});
    explore::CostTable table;
    if (const yaml::Node* about = node.find("about")) table.about = about->text();
    const yaml::Node& mac = node.at("mac");
    mac.expect_keys({"area_um2", "power_mw"});
    table.mac = block_of(mac);
    table.l1 = cells_of(node.at("l1"));
    table.l2 = cells_of(node.at("l2"));
    table.bus = wiring_of(node.at("bus"));
    table.arbiter = wiring_of(node.at("arbiter"));
    if (const yaml::Node* curve = node.find("l1_access_macs")) table.l1_access = curve_of(*curve);
    if (const yaml::Node* curve = node.find("l2_access_macs")) table.l2_access = curve_of(*curve);
    return table;
}

}  // namespace tilewright::native
