#include "arch/estimation/estimate.hpp"

#include <algorithm>

#include "arch/architecture.hpp"
#include "arch/estimation/mac.hpp"
#include "arch/estimation/memories.hpp"
#include "arch/estimation/parts.hpp"
#include "arch/estimation/technology.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright::pat {
namespace {

// Timeloop's built-in fallback without given energies (its "PAT"): a straight line through Eyeriss' relative costs.
// Formulas: docs/estimation.md; Timeloop's own are in pat-public/src/pat/pat.cpp.

/// Through (0.5 KB, 1.0) and (100 KB, 6.0), per 16 bits of the row.
double sram_energy(double rows, double width_bits) {
    constexpr double kSlope = (6.0 - 1.0) / (100.0 - 0.5);
    const double kilobytes = width_bits * rows / (8 * 1024);
    return (kSlope * (kilobytes - 0.5) + 1.0) * width_bits / 16;
}

/// pJ of one vector access, for every action. 0 for a memory without storage or without a capacity.
Sourced memory_energy(const Memory& memory) {
    const auto bits = static_cast<double>(memory.word_bits);
    const auto block = static_cast<double>(memory.block_words);
    if (memory.is_dram) return {200.0 * (bits * block) / 16, "Timeloop PAT, DRAM, 200 pJ per 16 bits"};
    const std::int64_t words = memory.capacity_words.value_or(0);
    if (memory.spreads_only || words == 0) return {0.0, "Timeloop PAT, no capacity"};
    const auto cluster = static_cast<double>(memory.cluster_size);
    const auto rows = static_cast<double>(ceil_div(words, memory.block_words));
    const double width_bits = bits * block * cluster;
    return {sram_energy(rows, width_bits) / cluster, "Timeloop PAT, SRAM, " + short_number(rows) + " rows of " +
                                                         short_number(width_bits) + " bit, shared by " +
                                                         short_number(cluster)};
}

/// pJ of one multiplication of `word_bits`.
Sourced compute_energy(std::int64_t word_bits) {
    const double ratio = static_cast<double>(word_bits) / 16.0;
    return {ratio * ratio, "Timeloop PAT, (bits/16)^2"};
}

}  // namespace

}  // namespace tilewright::pat

namespace tilewright {
namespace {

constexpr double kDefaultTechnologyNm = 45.0;

void fill(Sourced& number, double value, const std::string& source) {
    if (number.source.empty()) number = {value, source};
}

/// The sentences for the user, each once.
class EstimateNotes {
   public:
    void add(const std::string& sentence) {
        if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
            sentences_.push_back(sentence);
    }
    void add_about(const std::string& component, const std::vector<std::string>& sentences) {
        for (const std::string& sentence : sentences) add(std::string(component).append(": ").append(sentence));
    }
    std::vector<std::string> take() { return std::move(sentences_); }

   private:
    std::vector<std::string> sentences_;
};

bool is_given(const MemoryEnergy& energy) {
    return !energy.read_pj.source.empty() || !energy.fill_pj.source.empty() || !energy.update_pj.source.empty();
}

bool are_accesses_given(const MemoryEnergy& energy) {
    return !energy.read_pj.source.empty() && !energy.fill_pj.source.empty() && !energy.update_pj.source.empty();
}

bool is_complete(const Memory& memory) {
    return are_accesses_given(memory.energy) && !memory.energy.leak_pj_per_cycle.source.empty() &&
           !memory.area_um2.source.empty();
}

void fill_all(Memory& memory, double access_pj, const std::string& source) {
    fill(memory.energy.read_pj, access_pj, source);
    fill(memory.energy.fill_pj, access_pj, source);
    fill(memory.energy.update_pj, access_pj, source);
    fill(memory.energy.leak_pj_per_cycle, 0.0, source);
    fill(memory.area_um2, 0.0, source);
}

/// Technology of one component: its own, else the machine's, else the default; the last gets a note, and so does a text
/// that is not a technology.
double technology_of(const std::string& component, const std::string& own, const Architecture& architecture,
                     EstimateNotes& notes) {
    const std::string& text = own.empty() ? architecture.technology : own;
    if (const std::optional<double> nm = technology_nm(text)) return *nm;
    if (text.empty())
        notes.add("no technology is given: " + technology_text(kDefaultTechnologyNm) + " is assumed");
    else
        notes.add(component + ": technology '" + text +
                  "' is not a number of nanometres: " + technology_text(kDefaultTechnologyNm) + " is assumed");
    return kDefaultTechnologyNm;
}

/// The physical array behind a memory: a cluster's instances share one, with a row of all their vectors.
SramShape shape_of(const Memory& memory, double technology_nm) {
    const Geometry& geometry = memory.geometry;
    const auto block = static_cast<double>(memory.block_words);
    SramShape shape;
    shape.technology_nm = technology_nm;
    shape.width_bits = geometry.width_bits > 0
                           ? static_cast<double>(geometry.width_bits)
                           : static_cast<double>(memory.word_bits) * block * static_cast<double>(memory.cluster_size);
    shape.rows = geometry.depth > 0 ? static_cast<double>(geometry.depth)
                                    : std::ceil(static_cast<double>(memory.capacity_words.value_or(0)) / block);
    shape.banks = static_cast<double>(geometry.banks);
    shape.ports = static_cast<double>(geometry.ports);
    return shape;
}

DramEstimate dram_of(const Memory& memory, EstimateNotes& notes) {
    const std::string& type = memory.geometry.dram_type;
    if (const std::optional<DramEstimate> dram = estimate_dram(type)) return *dram;
    const DramEstimate assumed = default_dram();
    const std::string reason = type.empty()
                                   ? "no DRAM type is given"
                                   : "DRAM type '" + type + "' is not in the table (" + list_words(dram_types()) + ")";
    notes.add(memory.name + ": " + reason + ": " + assumed.type + " is assumed");
    return assumed;
}

void estimate_dram_memory(Memory& memory, EstimateNotes& notes) {
    if (are_accesses_given(memory.energy)) return fill_all(memory, 0.0, "off chip");
    const DramEstimate dram = dram_of(memory, notes);
    const double bits = static_cast<double>(memory.word_bits) * static_cast<double>(memory.block_words);
    fill_all(memory, bits * dram.pj_per_bit * memory.geometry.energy_scale, dram.source);
}

SramEstimate scaled(SramEstimate array, const Memory& memory) {
    const Geometry& geometry = memory.geometry;
    array.read_pj *= geometry.energy_scale;
    array.write_pj *= geometry.energy_scale;
    array.leak_mw *= geometry.energy_scale;
    array.area_um2 *= geometry.area_scale;
    return array;
}

constexpr const char* kLongerThanCycle = " ns by the CACTI table, longer than the cycle of ";

void note_slow(const Memory& memory, const SramEstimate& array, double cycle_ns, EstimateNotes& notes) {
    if (array.cycle_ns > cycle_ns)
        notes.add(memory.name + ": one access takes " + short_number(array.cycle_ns) + kLongerThanCycle +
                  short_number(cycle_ns) + " ns (it would have to be pipelined or banked)");
}

void estimate_array(Memory& memory, const Architecture& architecture, EstimateNotes& notes) {
    const double nm = technology_of(memory.name, memory.geometry.technology, architecture, notes);
    const SramShape shape = shape_of(memory, nm);
    const SramEstimate array =
        scaled(is_register_file(memory.geometry.kind) ? estimate_registers(shape) : estimate_sram(shape), memory);
    const double cycle_ns = architecture.cycle_seconds * 1e9;
    const auto sharers = static_cast<double>(memory.cluster_size);
    const bool given = is_given(memory.energy);
    fill(memory.energy.read_pj, array.read_pj, array.source);
    fill(memory.energy.fill_pj, array.write_pj, array.source);
    fill(memory.energy.update_pj, array.write_pj, array.source);
    if (given)
        fill(memory.energy.leak_pj_per_cycle, 0.0, "no leakage beside given energies");
    else
        fill(memory.energy.leak_pj_per_cycle, array.leak_mw * cycle_ns / sharers, array.source);
    fill(memory.area_um2, array.area_um2 / sharers, array.source);
    notes.add_about(memory.name, array.notes);
    if (!given) note_slow(memory, array, cycle_ns, notes);
}

void estimate_memory(Memory& memory, const Architecture& architecture, EstimateNotes& notes) {
    if (is_complete(memory)) return;
    if (memory.spreads_only || memory.capacity_words.value_or(1) == 0)
        fill_all(memory, 0.0, "no storage");
    else if (memory.is_dram)
        estimate_dram_memory(memory, notes);
    else if (memory.capacity_words)
        estimate_array(memory, architecture, notes);
    else {
        if (!are_accesses_given(memory.energy))
            notes.add(memory.name + ": its capacity is unlimited, so its energy cannot be estimated and counts as 0");
        fill_all(memory, 0.0, "no estimate: unlimited capacity");
    }
}

void estimate_link(Link& link, double technology_nm, EstimateNotes& notes) {
    if (link.energy_per_hop_pj || link.wire_energy_pj_per_bit_mm || link.router_energy_pj) return;
    const WireEstimate wire = estimate_wire(technology_nm);
    link.wire_energy_pj_per_bit_mm = wire.pj_per_bit_mm;
    link.energy_source = wire.source;
    if (wire.fit == Fit::extrapolated)
        notes.add("wires at " + technology_text(technology_nm) +
                  " are outside their table (10 to 40 nm): extrapolated");
}

/// Wires below the memories without a given energy, and below the levels spreading their words; with given energies a
/// user gives wires too. Below a DRAM lies the chip's edge, covered by its energy.
void estimate_links(Architecture& architecture, EstimateNotes& notes) {
    bool wanted = false;
    for (Memory& memory : architecture.memories) {
        const bool of_parts = memory.energy.read_pj.source.starts_with(kPartsSource);
        if (!memory.spreads_only) wanted = !memory.is_dram && (of_parts || !is_given(memory.energy));
        if (!wanted) continue;
        const double nm = technology_of(memory.name, memory.geometry.technology, architecture, notes);
        estimate_link(memory.link, nm, notes);
        if (memory.update_link) estimate_link(*memory.update_link, nm, notes);
    }
}

MacShape shape_of(const Compute& compute, double technology_nm) {
    const Geometry& geometry = compute.geometry;
    MacShape shape;
    shape.technology_nm = technology_nm;
    shape.floating_point = is_floating_point(geometry.kind);
    const std::int64_t multiplier = geometry.multiplier_bits > 0 ? geometry.multiplier_bits : compute.word_bits;
    shape.multiplier_bits = static_cast<double>(multiplier);
    if (geometry.adder_bits > 0)
        shape.adder_bits = static_cast<double>(geometry.adder_bits);
    else
        shape.adder_bits = shape.floating_point ? shape.multiplier_bits : 2.0 * shape.multiplier_bits;
    return shape;
}

void estimate_compute(Architecture& architecture, EstimateNotes& notes) {
    Compute& compute = architecture.compute;
    const bool given = !compute.energy_pj.source.empty();
    if (given && !compute.leak_pj_per_cycle.source.empty() && !compute.area_um2.source.empty()) return;
    const double nm = technology_of(compute.name, compute.geometry.technology, architecture, notes);
    MacEstimate mac = estimate_mac(shape_of(compute, nm));
    mac.energy_pj *= compute.geometry.energy_scale;
    mac.leak_mw *= compute.geometry.energy_scale;
    mac.area_um2 *= compute.geometry.area_scale;
    fill(compute.energy_pj, mac.energy_pj, mac.source);
    if (given)
        fill(compute.leak_pj_per_cycle, 0.0, "no leakage beside given energies");
    else
        fill(compute.leak_pj_per_cycle, mac.leak_mw * architecture.cycle_seconds * 1e9, "Aladdin 40 nm idle power");
    fill(compute.area_um2, mac.area_um2, mac.source);
    notes.add_about(compute.name, mac.notes);
}

void estimate_by_tables(Architecture& architecture, EstimateNotes& notes) {
    estimate_links(architecture, notes);
    for (Memory& memory : architecture.memories) estimate_memory(memory, architecture, notes);
    estimate_compute(architecture, notes);
}

void forget_parts(std::initializer_list<Sourced*> numbers) {
    for (Sourced* number : numbers)
        if (number->source.starts_with(kPartsSource)) *number = {};
}

void estimate_by_pat(Architecture& architecture) {
    for (Memory& memory : architecture.memories) {
        MemoryEnergy& energy = memory.energy;
        forget_parts(
            {&energy.read_pj, &energy.fill_pj, &energy.update_pj, &energy.leak_pj_per_cycle, &memory.area_um2});
        Sourced access = pat::memory_energy(memory);
        access.value *= memory.geometry.energy_scale;
        fill(memory.energy.read_pj, access.value, access.source);
        fill(memory.energy.fill_pj, access.value, access.source);
        fill(memory.energy.update_pj, access.value, access.source);
        fill(memory.energy.leak_pj_per_cycle, 0.0, "Timeloop PAT, no leakage");
        fill(memory.area_um2, 0.0, "Timeloop PAT, no area");
    }
    Compute& compute = architecture.compute;
    forget_parts({&compute.energy_pj, &compute.leak_pj_per_cycle, &compute.area_um2});
    Sourced multiplication = pat::compute_energy(compute.word_bits);
    multiplication.value *= compute.geometry.energy_scale;
    fill(compute.energy_pj, multiplication.value, multiplication.source);
    fill(compute.leak_pj_per_cycle, 0.0, "Timeloop PAT, no leakage");
    fill(compute.area_um2, 0.0, "Timeloop PAT, no area");
}

}  // namespace

std::vector<std::string> estimate(Architecture& architecture, Estimator estimator) {
    EstimateNotes notes;
    if (architecture.clock_assumed)
        notes.add("no clock is given: a cycle of " + short_number(architecture.cycle_seconds * 1e9) +
                  " ns is assumed (variables: global_cycle_seconds says another)");
    if (estimator == Estimator::timeloop_pat)
        estimate_by_pat(architecture);
    else
        estimate_by_tables(architecture, notes);
    return notes.take();
}

bool is_slow_access(const std::string& note) { return note.find(kLongerThanCycle) != std::string::npos; }

}  // namespace tilewright
