#include "silicon/files/silicon.hpp"

#include <string>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "silicon/accelerator/accelerator.hpp"
#include "silicon/files/fields.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/systolic/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {
namespace {

// The part of the section `silicon` on a systolic array.

// The spreading level between a memory and the next storing one, or the multipliers.
int spreading_level(const yaml::Node& name, const Architecture& architecture) {
    int level = level_named(name, architecture);
    while (architecture.fanout(level).size() == 1 && level + 1 < architecture.memory_count() &&
           architecture.memories[level + 1].spreads_only)
        ++level;
    if (architecture.fanout(level).size() == 1)
        name.fail(ErrorCode::no_fanout, "nothing spreads below '" + name.text() + "': an array needs a fan-out there");
    return level;
}

bool preload_behind(const yaml::Node& array) {
    const yaml::Node* when = array.find("preload");
    if (when == nullptr || when->text() == "behind") return true;
    if (when->text() != "before")
        when->fail(ErrorCode::bad_value,
                   "expected 'behind' (a computation) or 'before' (it), found '" + when->text() + "'");
    return false;
}

SystolicArray read_array(const yaml::Node& node, const Architecture& architecture) {
    node.expect_keys({"columns", "rows", "block_rows", "least_rows", "skew_cycles", "preload", "preload_cycles",
                      "latency_cycles", "held_per_row", "in_flight"});
    SystolicArray array;
    array.columns_level = spreading_level(node.at("columns"), architecture);
    array.rows_level = spreading_level(node.at("rows"), architecture);
    if (array.rows_level == array.columns_level)
        node.at("rows").fail(ErrorCode::bad_value, "rows and columns are one fan-out, below '" +
                                                       node.at("rows").text() + "': an array has two");
    array.columns = architecture.fanout(array.columns_level).size();
    array.rows = architecture.fanout(array.rows_level).size();
    array.block_rows = node.at("block_rows").positive();
    array.least_rows = count_or(node, "least_rows", 1);
    array.skew_cycles = number_or(node, "skew_cycles", 1.0);
    array.preload_behind = preload_behind(node);
    array.preload_cycles = number_or(node, "preload_cycles", static_cast<double>(array.rows));
    array.latency_cycles = number_or(node, "latency_cycles", array.fill_cycles() + array.drain_cycles());
    array.held_per_row = number_or(node, "held_per_row", 1.0);
    array.in_flight = count_or(node, "in_flight", 1);
    return array;
}

Dma read_dma(const yaml::Node& node) {
    node.expect_keys({"request_bytes", "request_cycles", "store_bytes", "product_store_bytes"});
    Dma dma;
    dma.request_bytes = node.at("request_bytes").positive();
    dma.request_cycles = above_zero(node.at("request_cycles"));
    dma.store_bytes = count_or(node, "store_bytes", dma.request_bytes);
    dma.product_store_bytes = count_or(node, "product_store_bytes", dma.request_bytes);
    return dma;
}

bool is_random(const yaml::Node& replacement) {
    const std::string& text = replacement.text();
    if (text != "random" && text != "least_recently_used")
        replacement.fail(ErrorCode::bad_value, "expected 'random' or 'least_recently_used', found '" + text + "'");
    return text == "random";
}

Cache read_cache(const yaml::Node& node) {
    node.expect_keys({"name", "bytes", "line_bytes", "replacement", "read_miss_cycles", "write_miss_cycles"});
    Cache cache;
    cache.name = node.at("name").text();
    cache.bytes = node.at("bytes").positive();
    cache.line_bytes = node.at("line_bytes").positive();
    cache.random_replacement = is_random(node.at("replacement"));
    cache.read_miss_cycles = not_negative(node.at("read_miss_cycles"));
    cache.write_miss_cycles = number_or(node, "write_miss_cycles", 2.0 * cache.read_miss_cycles);
    return cache;
}

// Place of a contradiction: a key of the array or the DMA, or the caches.
const yaml::Node& place_of(const std::string& key, const yaml::Node& section) {
    for (const char* part : {"systolic_array", "dma"})
        if (const yaml::Node* node = section.find(part); node != nullptr && node->has(key)) return node->at(key);
    const yaml::Node* own = section.find(key);
    return own != nullptr ? *own : section.at("systolic_array");
}

std::int64_t whole_bytes(const Memory& memory, const yaml::Node& place) {
    if (memory.word_bits % 8 != 0)
        place.fail(ErrorCode::unsupported, "words of '" + memory.name + "' have " + std::to_string(memory.word_bits) +
                                               " bits: requests move whole bytes");
    return memory.word_bits / 8;
}

// `section` has systolic_array. Throws InputError.
SystolicMachine read_systolic(const yaml::Node& section, const Architecture& architecture) {
    SystolicMachine machine;
    machine.array = read_array(section.at("systolic_array"), architecture);
    machine.dma = read_dma(section.at("dma"));
    if (const yaml::Node* caches = section.find("caches"))
        for (const yaml::Node& cache : caches->items()) machine.caches.push_back(read_cache(cache));
    machine.word_bytes = whole_bytes(architecture.memories.front(), section);
    machine.tiles_in_flight = count_or(section, "tiles_in_flight", 1);
    machine.start_cycles = number_or(section, "start_cycles", 0.0);
    std::string where;
    if (const std::string problem = problem_with(machine, where); !problem.empty())
        place_of(where, section).fail(ErrorCode::bad_value, problem);
    return machine;
}

// The part of the section `silicon` on a machine of kernels.

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
