#include "silicon/files/systolic.hpp"

#include <string>

#include "base/error.hpp"
#include "silicon/files/fields.hpp"

namespace tilewright::silicon {
namespace {

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

}  // namespace

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

}  // namespace tilewright::silicon
