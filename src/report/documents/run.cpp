// The common part of run documents, for pictures and pages.

#include <algorithm>
#include <utility>

#include "arch/estimation/estimate.hpp"
#include "report/documents/documents.hpp"
#include "report/documents/parts.hpp"
#include "report/views/zeros.hpp"

namespace tilewright::documents {
namespace {

views::TensorCosts& costs_of_tensor(views::MemoryCosts& memory, const std::string& name) {
    const auto found = std::ranges::find(memory.tensors, name, &views::TensorCosts::tensor);
    if (found != memory.tensors.end()) return *found;
    memory.tensors.emplace_back().tensor = name;
    return memory.tensors.back();
}

views::MemoryCosts memory_costs_of(const document::MemoryCosts& memory) {
    views::MemoryCosts costs{memory.of.name, number(memory.of.used_words), memory.of.leakage_pj, {}};
    for (const document::Traffic& one : memory.tensors) {
        views::TensorCosts& tensor = costs.tensors.emplace_back();
        tensor.tensor = one.tensor;
        tensor.tile_words = number(one.of.tile_words);
        tensor.read_words = one.of.reads;
        tensor.fill_words = one.of.fills;
        tensor.update_words = one.of.updates;
        tensor.energy_pj = one.of.energy_pj + one.of.address_energy_pj;
        tensor.bandwidth_share = one.of.bandwidth_share;
    }
    for (const document::Wires& one : memory.link) {
        if (one.of.words <= 0.0 && one.of.energy_pj <= 0.0) continue;
        views::TensorCosts& tensor = costs_of_tensor(costs, one.tensor);
        tensor.link_words = one.of.words;
        tensor.link_energy_pj = one.of.energy_pj;
    }
    return costs;
}

constexpr const char* kWaiting = "waiting";  // unknown cause, or no memory

std::string waiting_words(const document::Costs& costs) {
    if (!costs.memory) return kWaiting;
    const auto memory =
        std::ranges::find_if(costs.memories, [&](const auto& one) { return one.of.name == *costs.memory; });
    if (memory == costs.memories.end()) return kWaiting;
    switch (memory->of.bound) {
        case Bound::compute: return "waiting for " + *costs.memory;
        case Bound::read_bandwidth: return "waiting for " + *costs.memory + " (read bandwidth)";
        case Bound::write_bandwidth: return "waiting for " + *costs.memory + " (write bandwidth)";
        case Bound::shared_bandwidth: return "waiting for " + *costs.memory + " (shared bandwidth)";
    }
    return kWaiting;
}

// Useful work, idle lanes, waiting for a memory, latency of the wires: together the cycles.
std::vector<views::Amount> cycle_parts(const document::Costs& costs, double units) {
    const double cycles = number(costs.of.cycles);
    const double compute = number(costs.of.compute_cycles);
    if (costs.on_vector_unit)
        return {{"vector unit at work", compute}, {waiting_words(costs), std::max(0.0, cycles - compute)}};
    const double busy = std::min(cycles, compute);  // as built, a slow mapping may run as a faster kernel
    const double useful = units > 0.0 ? std::min(busy, number(costs.of.computes) / units) : busy;
    const double link = std::min(cycles, number(costs.of.link_latency_cycles));
    return {{"all units at work", useful},
            {"idle units", busy - useful},
            {waiting_words(costs), std::max(0.0, cycles - link - compute)},
            {"latency of the wires", link}};
}

// Of a time as built: its largest part takes the place of the plain model's memory.
void take_bound(const report::AsBuilt& built, views::Costs& costs) {
    if (built.bound != "compute") costs.bound_memory = built.bound;
    for (views::Amount& part : costs.cycle_parts)
        if (part.name == kWaiting) part.name = "as built: " + built.bound;
}

}  // namespace

views::Run run_of(const report::Provenance& provenance, const std::string& file) {
    views::Run run;
    run.file = file;
    run.tool_version = provenance.tool_version;
    run.command = provenance.command;
    run.accounting = provenance.accounting;
    run.inputs = provenance.inputs;
    run.options = provenance.options;
    if (provenance.seed) run.options.emplace_back("seed", std::to_string(*provenance.seed));
    return run;
}

void take_machine(const document::ShownMachine& machine, views::Run& run) {
    run.architecture = machine.name;
    run.technology = machine.technology;
    run.cycle_seconds = machine.cycle_seconds;
    run.area_um2 = machine.area_um2;
    run.units = number(machine.compute.of.instances);
    const tilewright::Compute& compute = machine.compute.of;
    run.compute = {compute.name, number(compute.mesh.x), number(compute.mesh.y), number(compute.word_bits)};
    for (const auto& [memory] : machine.memories) {
        views::RunMemory& out = run.memories.emplace_back();
        out.name = memory.name;
        out.instances = number(memory.instances);
        out.read_words_per_cycle = memory.read_words_per_cycle;
        out.write_words_per_cycle = memory.write_words_per_cycle;
        out.shared_words_per_cycle = memory.shared_words_per_cycle;
        if (memory.capacity_words) out.capacity_words = number(*memory.capacity_words);
        out.spreads_only = memory.spreads_only;
        out.mesh_x = number(memory.mesh.x);
        out.mesh_y = number(memory.mesh.y);
        out.word_bits = number(memory.word_bits);
    }
}

void take_einsum(document::EinsumText einsum, views::Layer& layer) {
    layer.einsum = std::move(einsum.text);
    layer.extents = std::move(einsum.dimensions);
    layer.tensors = std::move(einsum.tensors);
    for (const document::Tensor& tensor : layer.tensors)
        if (tensor.bits > 0) layer.einsum += ", " + tensor.name + " of " + std::to_string(tensor.bits) + " bits";
}

views::Costs costs_of(const document::Costs& from, double units) {
    views::Costs costs;
    costs.computes = number(from.of.computes);
    costs.cycles = number(from.of.cycles);
    costs.energy_pj = from.of.energy_pj;
    costs.compute_energy_pj = from.of.compute_energy_pj + from.of.compute_leakage_pj;
    costs.utilization = from.of.utilization;
    costs.bound = from.bound_text;
    costs.bound_memory = from.memory.value_or("");
    costs.on_vector_unit = from.on_vector_unit;
    for (const document::MemoryCosts& memory : from.memories) costs.memories.push_back(memory_costs_of(memory));
    costs.cycle_parts = cycle_parts(from, units);
    return costs;
}

views::Layer layer_of(document::Layer from, double units) {
    views::Layer layer;
    layer.name = std::move(from.name);
    layer.same_shape = std::move(from.same_shape);
    layer.op = std::move(from.op);
    layer.repeats = number(from.repeats);
    take_einsum(std::move(from.einsum), layer);
    if (from.evaluation) layer.costs = costs_of(*from.evaluation, units);
    if (from.evaluation && from.as_built) take_bound(*from.as_built, *layer.costs);
    layer.failures = std::move(from.failures);
    if (from.mapping) layer.nest = *std::move(from.mapping);
    layer.front = std::move(from.front);
    layer.search = std::move(from.search);
    return layer;
}

std::string title_of(const views::Run& run) {
    return (run.network.empty() ? "one layer" : run.network) +
           (run.architecture.empty() ? "" : " on " + run.architecture);
}

views::Document document_of(document::Report report, const std::string& file) {
    views::Run run = run_of(report.provenance, file);
    take_machine(report.architecture, run);
    run.interrupted = report.interrupted;
    for (std::string& note : report.notes)
        (is_slow_access(note) ? run.slow_accesses : run.notes).push_back(std::move(note));
    run.network = std::move(report.network);
    run.unmapped = std::move(report.unmapped);
    run.summary = std::move(report.summary);
    run.title = title_of(run);
    std::vector<views::LayerZeros> zeros;
    for (document::Layer& layer : report.layers) {
        views::add_zeros_of(layer, zeros);
        run.layers.push_back(layer_of(std::move(layer), run.units));
    }
    views::Document document{file, {}, {}};
    views::add_zeros(zeros, run.title, document);
    document.runs.push_back(std::move(run));
    return document;
}

views::Document document_of(const report::Report& report, const std::string& file) {
    for (const report::LayerResult& layer : report.layers)
        if (layer.evaluation && !(layer.evaluation->energy_pj <= kLargest))
            throw InputError(ErrorCode::bad_value, {file},
                             "layer '" + layer.names.front() + "' has an energy of more than 1e60 pJ");
    return document_of(document::document_of(report), file);
}

}  // namespace tilewright::documents
