#include "dosa_rows.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "mapping_text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon_study {
namespace {

constexpr int kLevels = 4;
constexpr int kScratchpad = 1;
constexpr int kAccumulator = 2;
constexpr int kRegisters = 3;

int tensor_of(char letter, const Einsum& einsum) {
    const char* name = letter == 'W' ? "Weights" : letter == 'I' ? "Inputs" : "Outputs";
    return find_tensor(einsum, name);
}

Loop loop_of(const TextLoop& text, const Einsum& einsum, LoopKind spatial) {
    const int dimension = find_dimension(einsum, std::string(1, text.dimension));
    if (dimension < 0) throw std::runtime_error(std::string("no dimension ") + text.dimension);
    return {dimension, text.extent, text.extent, text.spatial ? spatial : LoopKind::temporal};
}

MappingLevel level_of(const TextLevel& text, const Einsum& einsum, LoopKind spatial) {
    MappingLevel level;
    for (const char letter : text.kept) level.keep.add(tensor_of(letter, einsum));
    for (const TextLoop& loop : text.loops) {
        if (loop.extent == 1) continue;  // "N1" stands for no loop at all
        (loop.spatial ? level.spatial : level.temporal).push_back(loop_of(loop, einsum, spatial));
    }
    return level;
}

}  // namespace

Architecture dosa_machine(const Architecture& published, const Table& table, std::size_t row) {
    Architecture machine = published;
    const std::int64_t columns = table.integer(row, "arch.mem1_instances");
    const std::int64_t units = table.integer(row, "arch.pe");
    Memory& scratchpad = machine.memories[kScratchpad];
    scratchpad.capacity_words = table.integer(row, "arch.mem2_entries");
    scratchpad.shared_words_per_cycle = table.number(row, "arch.mem2_shared_bandwidth");
    Memory& accumulator = machine.memories[kAccumulator];
    accumulator.capacity_words = table.integer(row, "arch.mem1_entries");
    accumulator.shared_words_per_cycle = table.number(row, "arch.mem1_shared_bandwidth");
    accumulator.instances = columns;
    accumulator.mesh = {columns, 1};
    machine.memories[kRegisters].instances = machine.compute.instances = units;
    machine.memories[kRegisters].mesh = machine.compute.mesh = {columns, units / columns};
    return machine;
}

Einsum dosa_layer(const Table& table, std::size_t row) {
    const auto size = [&](const char* name) { return table.integer(row, std::string("prob.") + name); };
    Convolution shape;
    shape.batch = size("N");
    shape.in_channels = size("C");
    shape.out_channels = size("K");
    shape.width = {size("P"), size("R"), size("Wstride"), size("Wdilation")};
    shape.height = {size("Q"), size("S"), size("Hstride"), size("Hdilation")};
    return convolution(shape);
}

Mapping dosa_mapping(const std::string& text, const Einsum& einsum) {
    std::vector<MappingLevel> levels;
    for (const TextLevel& level : parse_mapping(text)) {
        if (level.number != kLevels - 1 - static_cast<int>(levels.size()))
            throw std::runtime_error("levels out of order in '" + text + "'");
        levels.push_back(level_of(level, einsum, level.number == 1 ? LoopKind::spatial_y : LoopKind::spatial_x));
    }
    if (levels.size() != kLevels) throw std::runtime_error("not four levels in '" + text + "'");
    return mapping_of(levels);
}

account::TimeloopResult dosa_counted(const Architecture& published, const Table& table, std::size_t row) {
    const Einsum layer = dosa_layer(table, row);
    account::TimeloopOptions options;
    options.reuse_after_pause = false;
    options.first_fills = true;
    return account::timeloop(layer, dosa_machine(published, table, row),
                             dosa_mapping(table.text(row, "mapping.mapping"), layer), options);
}

}  // namespace tilewright::silicon_study
