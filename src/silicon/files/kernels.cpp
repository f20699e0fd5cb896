#include "silicon/files/kernels.hpp"

#include <string>

#include "base/error.hpp"
#include "silicon/files/fields.hpp"

namespace tilewright::silicon {
namespace {

// [256, 128]: rows and columns.
Tile read_tile(const yaml::Node& node) {
    if (node.items().size() != 2) node.fail(ErrorCode::bad_value, "expected a tile as [rows, columns]");
    return {node.items()[0].positive(), node.items()[1].positive()};
}

// {rows: [..], columns: [..], most: 32768}: every pair of at most this many outputs.
std::vector<Tile> read_tile_grid(const yaml::Node& node) {
    node.expect_keys({"rows", "columns", "most"});
    const std::int64_t most = node.at("most").positive();
    std::vector<Tile> tiles;
    for (const yaml::Node& rows : node.at("rows").items())
        for (const yaml::Node& columns : node.at("columns").items())
            if (rows.positive() <= most / columns.positive()) tiles.push_back({rows.positive(), columns.positive()});
    if (tiles.empty()) node.at("most").fail(ErrorCode::bad_value, "no tile has that few outputs");
    return tiles;
}

std::vector<Tile> read_tiles(const yaml::Node& node) {
    if (node.is_map()) return read_tile_grid(node);
    std::vector<Tile> tiles;
    for (const yaml::Node& tile : node.items()) tiles.push_back(read_tile(tile));
    if (tiles.empty()) node.fail(ErrorCode::bad_value, "expected at least one tile");
    return tiles;
}

std::vector<std::int64_t> read_splits(const yaml::Node& node) {
    std::vector<std::int64_t> splits;
    for (const yaml::Node& split : node.items()) {
        if (!splits.empty() && split.positive() <= splits.back())
            split.fail(ErrorCode::bad_value, "splits have to increase");
        splits.push_back(split.positive());
    }
    if (splits.empty() || splits.front() != 1) node.fail(ErrorCode::bad_value, "splits begin with 1: none");
    return splits;
}

void read_unit(const yaml::Node& node, KernelMachine& machine) {
    node.expect_keys({"rows", "columns", "depth"});
    machine.unit_rows = node.at("rows").positive();
    machine.unit_columns = node.at("columns").positive();
    machine.unit_depth = node.at("depth").positive();
}

void read_data_sheet(const yaml::Node& node, const Architecture& architecture, KernelMachine& machine) {
    const Memory& outermost = architecture.memories.front();
    const double cycle_us = architecture.cycle_seconds * 1e6;
    machine.clock_per_us = 1.0 / cycle_us;
    machine.operations_per_us = 2.0 * static_cast<double>(architecture.compute.instances) / cycle_us;
    machine.memory_bytes_per_us = read_bytes_per_us(outermost, architecture, node);
    machine.word_bytes = outermost.word_bits / 8;
    machine.unit_level = level_named(node.at("multiprocessor"), architecture);
    const Memory& unit = architecture.memories[machine.unit_level];
    machine.multiprocessors = unit.instances;
    if (node.has("tiles"))
        machine.inlet_bytes_per_us = written_bytes_per_us(unit, architecture, node.at("multiprocessor"));
}

// Overrides `values` by `node`.
void read_shares(const yaml::Node& node, Calibration& values) {
    node.expect_keys({"launch_us", "compiled_launch_us", "bandwidth_share", "rate_share", "cache_bytes_per_us"});
    values.launch_us = number_or(node, "launch_us", values.launch_us);
    if (const yaml::Node* launch = node.find("compiled_launch_us")) values.compiled_launch_us = not_negative(*launch);
    constexpr double kFastest = 1.2;  // a device may clock above its data sheet
    if (const yaml::Node* share = node.find("bandwidth_share")) values.bandwidth_share = share_of_data_sheet(*share);
    if (const yaml::Node* share = node.find("rate_share")) values.rate_share = share_of_data_sheet(*share, kFastest);
    values.cache_bytes_per_us = rate_or(node, "cache_bytes_per_us", values.cache_bytes_per_us);
}

}  // namespace

// `tiles` or `matrix_unit` selects the machine's way of running a product.
KernelMachine read_kernels(const yaml::Node& node, const Architecture& architecture) {
    node.expect_keys({"multiprocessor", "cache_bytes", "cache_bytes_per_cycle", "tiles", "splits", "matrix_unit",
                      "exponentials_per_cycle", "plain_rate_share", "published", "calibrated"});
    KernelMachine machine;
    read_data_sheet(node, architecture, machine);
    machine.cache_bytes = rate_or(node, "cache_bytes", 0.0);
    machine.calibration.cache_bytes_per_us = rate_or(node, "cache_bytes_per_cycle", 0.0) * machine.clock_per_us;
    machine.exponentials_per_us = rate_or(node, "exponentials_per_cycle", 0.0) * machine.clock_per_us;
    if (const yaml::Node* share = node.find("plain_rate_share")) machine.plain_rate_share = share_of_data_sheet(*share);
    if (node.has("tiles") == node.has("matrix_unit"))
        node.fail(ErrorCode::bad_value, "a machine has either 'tiles' of thread blocks or one 'matrix_unit' that pads");
    if (node.has("tiles")) machine.tiles = read_tiles(node.at("tiles"));
    if (const yaml::Node* splits = node.find("splits")) machine.splits = read_splits(*splits);
    if (const yaml::Node* unit = node.find("matrix_unit")) read_unit(*unit, machine);
    if (const yaml::Node* published = node.find("published")) read_shares(*published, machine.calibration);
    machine.published = machine.calibration;
    if (const yaml::Node* calibrated = node.find("calibrated")) read_shares(*calibrated, machine.calibration);
    return machine;
}

}  // namespace tilewright::silicon
