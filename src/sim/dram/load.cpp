#include "sim/dram/load.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include "base/files/embedded.hpp"
#include "yaml/node.hpp"

namespace tilewright {
std::span<const EmbeddedFile> embedded_dram();
}

namespace tilewright::sim::dram {
namespace {

struct TimingKey {
    const char* key;
    int Timing::* value;
    const char* otherwise;  ///< key with the default value; "": mandatory; "-": the default stays
};

constexpr TimingKey kTimingKeys[] = {
    {"clock_ps", &Timing::clock_ps, ""},
    {"burst", &Timing::burst, ""},
    {"burst_long", &Timing::burst_long, "burst"},
    {"read", &Timing::read, ""},
    {"write", &Timing::write, ""},
    {"activate_to_read", &Timing::activate_read, ""},
    {"activate_to_write", &Timing::activate_write, "activate_to_read"},
    {"precharge", &Timing::precharge, ""},
    {"precharge_all", &Timing::precharge_all, "precharge"},
    {"row_open", &Timing::row_open, ""},
    {"row_cycle", &Timing::row_cycle, ""},
    {"write_recovery", &Timing::write_recovery, ""},
    {"read_to_precharge", &Timing::read_precharge, ""},
    {"column_to_column", &Timing::column_short, ""},
    {"column_to_column_long", &Timing::column_long, "column_to_column"},
    {"activate_to_activate", &Timing::row_short, ""},
    {"activate_to_activate_long", &Timing::row_long, "activate_to_activate"},
    {"write_to_read", &Timing::write_read_short, ""},
    {"write_to_read_long", &Timing::write_read_long, "write_to_read"},
    {"four_activates", &Timing::four_activates, ""},
    {"refresh", &Timing::refresh, ""},
    {"refresh_interval", &Timing::refresh_interval, ""},
    {"rank_switch", &Timing::rank_switch, "-"},
    {"activate_clocks", &Timing::activate_cycles, "-"},
    {"precharge_to_precharge", &Timing::precharge_gap, "-"},
    {"second_activate_within", &Timing::second_activate_within, "-"},
    {"data_clock_after", &Timing::data_clock_after, "-"},
    {"power_down", &Timing::power_down, "-"},
    {"power_up", &Timing::power_up, "-"},
};

int count(const yaml::Node& node) {
    const std::int64_t value = node.integer();
    if (value < 0 || value > (1 << 30)) node.fail(ErrorCode::bad_value, "expected a count from 0 to 2^30");
    return static_cast<int>(value);
}

Timing timing_of(const yaml::Node& node) {
    std::vector<std::string> known;
    for (const TimingKey& entry : kTimingKeys) known.emplace_back(entry.key);
    node.expect_keys(known);
    Timing timing;
    for (const TimingKey& entry : kTimingKeys) {
        const std::string_view otherwise = entry.otherwise;
        if (node.has(entry.key) || otherwise.empty()) {
            timing.*entry.value = count(node.at(entry.key));
        } else if (otherwise != "-") {
            timing.*entry.value = count(node.at(otherwise));
        }
    }
    return timing;
}

Organisation organisation_of(const yaml::Node& node) {
    node.expect_keys({"ranks", "bank_groups", "banks", "rows", "columns", "bus_bits", "burst", "own_data_bus"});
    Organisation o;
    o.ranks = count(node.at("ranks"));
    o.bank_groups = count(node.at("bank_groups"));
    o.banks = count(node.at("banks"));
    o.rows = count(node.at("rows"));
    o.columns = count(node.at("columns"));
    o.bus_bits = count(node.at("bus_bits"));
    o.burst = count(node.at("burst"));
    if (const yaml::Node* own = node.find("own_data_bus")) o.own_data_bus = own->boolean();
    return o;
}

double positive(const yaml::Node& node) {
    const double value = node.real();
    if (value < 0.0) node.fail(ErrorCode::bad_value, "expected a number that is not negative");
    return value;
}

/// Data-sheet charges: operating minus idle current, times duration (Micron TN-41-01).
Energy energy_of_currents(const yaml::Node& node, const Timing& t) {
    node.expect_keys({"chips", "volts", "idd0_ma", "idd2n_ma", "idd3n_ma", "idd4r_ma", "idd4w_ma", "idd5_ma"});
    const double milliwatts_per_ma = positive(node.at("chips")) * positive(node.at("volts"));
    const auto power = [&](const char* key) { return positive(node.at(key)) * milliwatts_per_ma; };
    const double ns = t.clock_ps * 1e-3;
    Energy energy;
    energy.activate_pj = ns * (power("idd0_ma") * t.row_cycle -
                               (power("idd3n_ma") * t.row_open + power("idd2n_ma") * (t.row_cycle - t.row_open)));
    energy.read_pj = ns * (power("idd4r_ma") - power("idd3n_ma")) * t.burst;
    energy.write_pj = ns * (power("idd4w_ma") - power("idd3n_ma")) * t.burst;
    energy.refresh_pj = ns * (power("idd5_ma") - power("idd3n_ma")) * t.refresh;
    energy.background_mw = power("idd3n_ma");
    return energy;
}

std::optional<Energy> energy_of(const yaml::Node* node, const Device& device) {
    if (node == nullptr) return std::nullopt;
    if (!node->has("pj_per_bit")) return energy_of_currents(*node, device.timing);
    node->expect_keys({"pj_per_bit"});
    Energy energy;
    energy.read_pj = energy.write_pj = positive(node->at("pj_per_bit")) * 8 * device.organisation.access_bytes();
    return energy;
}

CommandBus bus_of(const yaml::Node& node) {
    if (node.text() == "single") return CommandBus::single;
    if (node.text() == "row_and_column") return CommandBus::row_and_column;
    if (node.text() == "clock_sync") return CommandBus::clock_sync;
    node.fail(ErrorCode::bad_value, "expected single, row_and_column or clock_sync, not '" + node.text() + "'");
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view stem(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    return path.substr(0, path.rfind('.'));
}

}  // namespace

Device parse_device(std::string_view text, const std::string& file) {
    const yaml::Node root = yaml::parse_text(text, file);
    root.expect_keys({"name", "command_bus", "organisation", "timing", "energy", "source"});
    Device device;
    device.name = root.at("name").text();
    device.bus = bus_of(root.at("command_bus"));
    device.organisation = organisation_of(root.at("organisation"));
    device.timing = timing_of(root.at("timing"));
    device.source = root.at("source").text();
    const std::string problem = problem_with(device);
    if (!problem.empty()) root.fail(ErrorCode::bad_value, problem);
    device.energy = energy_of(root.find("energy"), device);
    return device;
}

std::optional<Device> device_named(std::string_view name) {
    for (const EmbeddedFile& file : embedded_dram()) {
        if (same_letters(stem(file.path), name)) return parse_device(file.text, std::string(file.path));
    }
    return std::nullopt;
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_dram()) names.emplace_back(stem(file.path));
    return names;
}

}  // namespace tilewright::sim::dram
