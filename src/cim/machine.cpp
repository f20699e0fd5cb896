#include "cim/machine.hpp"

#include <stdexcept>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::cim {
namespace {

constexpr const char* kOfTheArray = "in the array's actions";

/// Costs nothing by itself.
Memory level(const std::string& name, const Mesh& mesh, std::int64_t word_bits) {
    Memory memory;
    memory.name = name;
    memory.word_bits = word_bits;
    memory.mesh = mesh;
    memory.instances = mesh.size();
    memory.link.word_bits = word_bits;
    memory.link.energy_per_hop_pj = 0.0;
    for (Sourced* price : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj,
                           &memory.energy.leak_pj_per_cycle, &memory.area_um2})
        price->source = kOfTheArray;
    return memory;
}

void add(std::vector<Passage>& passages, const char* name, const char* tensor, const Sourced& pj, double actions) {
    if (pj.value > 0.0) passages.push_back({name, tensor, pj, actions});
}

Sourced times(const Sourced& price, double factor) { return {price.value * factor, price.source}; }

void faster(std::optional<double>& words_per_cycle, double factor) {
    if (words_per_cycle) *words_per_cycle *= factor;
}

/// The same bandwidths and leakage in cycles of `seconds`.
void set_cycle(double seconds, Architecture& machine) {
    const double factor = seconds / machine.cycle_seconds;
    for (Memory& memory : machine.memories) {
        faster(memory.read_words_per_cycle, factor);
        faster(memory.write_words_per_cycle, factor);
        faster(memory.shared_words_per_cycle, factor);
        memory.energy.leak_pj_per_cycle.value *= factor;
        memory.write_stall_cycles /= factor;
    }
    machine.cycle_seconds = seconds;
    machine.clock_assumed = false;
}

}  // namespace

namespace {

/// Words on their way into the array, or out of it.
void add_entering(const ArrayPrices& prices, const ActionsPerWord& actions, std::vector<Passage>& in) {
    in.insert(in.end(), prices.entering.begin(), prices.entering.end());
    add(in, "input conversion", "Inputs", prices.input_conversion_pj, actions.input_conversions);
    add(in, "row drive", "Inputs", prices.row_drive_pj, actions.row_drives);
}

/// Sums of rows on their way out of a column.
void add_leaving(const ArrayPrices& prices, const ActionsPerWord& actions, std::vector<Passage>& out) {
    out.insert(out.end(), prices.leaving.begin(), prices.leaving.end());
    add(out, "column", "Outputs", prices.column_settle_pj, actions.column_settles);
    add(out, "sample", "Outputs", prices.sample_pj, actions.samples);
    add(out, "conversion", "Outputs", prices.conversion_pj, actions.conversions);
    add(out, "shift and add", "Outputs", prices.shift_add_pj, actions.conversions);
}

}  // namespace

Architecture with_array(Architecture outside, const Array& array, const Slicing& slices, const ArrayPrices& prices,
                        SlicesAs form, const std::string& name) {
    if (outside.memories.empty()) throw std::invalid_argument("an array lies inside a memory");
    const bool as_dimensions = form == SlicesAs::dimensions;
    const bool shares_rows = array.across == Across::positions;
    const ActionsPerWord actions = as_dimensions ? ActionsPerWord{} : actions_per_word(array, slices);
    const std::int64_t across = as_dimensions ? array.columns : weights_across(array, slices);
    const std::int64_t steps =
        as_dimensions ? array.columns_per_converter : steps_per_operation(array, slices, array.columns);
    set_cycle(prices.step_seconds * static_cast<double>(steps), outside);
    const std::int64_t bits = outside.memories.back().word_bits;
    const Mesh each = outside.compute.mesh;
    const Mesh column{checked_mul(each.x, across), each.y};
    const Mesh place{column.x, checked_mul(column.y, array.rows)};

    if (shares_rows) {
        Memory& latch = outside.memories.emplace_back(level(name + "_inputs", each, bits));
        latch.component_class = "latch";
        latch.capacity_words = array.rows;
    }
    Memory columns = level(name, each, bits);
    columns.spreads_only = true;
    add_entering(prices, actions, columns.link.passages);
    columns.energy.leak_pj_per_cycle = times(prices.leak_w, outside.cycle_seconds * 1e12);
    columns.area_um2 = prices.area_um2;

    // With rows and columns in one block, equal words of rows in neighbouring columns are one drive.
    Memory cells = level(name + "_cells", shares_rows ? place : column, bits);
    cells.component_class = "cells";
    cells.capacity_words = shares_rows ? array.depth : checked_mul(array.rows, array.depth);
    cells.energy.read_pj = times(prices.cell_read_pj, actions.cell_reads);
    cells.energy.fill_pj = times(prices.program_pj, actions.cells_programmed);
    const double rows_at_once = shares_rows ? static_cast<double>(array.rows) : 1.0;
    cells.write_stall_cycles = prices.program_seconds * rows_at_once / outside.cycle_seconds;
    add_leaving(prices, actions, (shares_rows ? columns : cells).link.passages);

    outside.memories.push_back(std::move(columns));
    outside.memories.push_back(std::move(cells));
    outside.compute.mesh = place;
    outside.compute.instances = place.size();
    outside.compute.energy_pj = outside.compute.leak_pj_per_cycle = outside.compute.area_um2 = {0.0, kOfTheArray};
    return outside;
}

Einsum sliced(const Einsum& einsum, const Slicing& slices) {
    Einsum with = einsum;
    const LayerRoles roles = layer_roles(einsum);
    const int x = einsum.dimension_count();
    with.dimensions.push_back({"x", slices.inputs});
    with.dimensions.push_back({"y", slices.weights});
    for (std::size_t t = 0; t < with.tensors.size(); ++t) {
        if (roles.operands[t] == OperandRole::inputs) with.tensors[t].ranks.push_back({{{x, 1}}});
        if (roles.operands[t] == OperandRole::weights) with.tensors[t].ranks.push_back({{{x + 1, 1}}});
    }
    return with;
}

}  // namespace tilewright::cim
