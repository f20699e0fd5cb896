#include "arch/estimation/parts.hpp"

#include <algorithm>
#include <cctype>

#include "arch/estimation/mac.hpp"
#include "arch/estimation/memories.hpp"
#include "arch/estimation/technology.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

bool contains(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

/// A standard cell of a multiple of its table's bits (a multiplier's square).
SramEstimate estimate_cell(std::string_view block, double times, double technology_nm) {
    const Cell& one = cell(block);
    const Interpolated energy = energy_scale(kCellsTechnologyNm, technology_nm);
    SramEstimate estimate;
    estimate.read_pj = estimate.write_pj = one.energy_pj * times * energy.value;
    estimate.leak_mw = one.leak_mw * times * energy.value;
    estimate.area_um2 = one.area_um2 * times * area_scale(kCellsTechnologyNm, technology_nm).value;
    estimate.fit = energy.fit;
    estimate.source = "Aladdin " + std::string(block) + ", 40 nm";
    if (technology_nm != kCellsTechnologyNm)
        estimate.source += ", x" + short_number(energy.value) + " to " + technology_text(technology_nm);
    return estimate;
}

SramEstimate as_estimate(const MacEstimate& unit) {
    SramEstimate estimate;
    estimate.read_pj = estimate.write_pj = unit.energy_pj;
    estimate.leak_mw = unit.leak_mw;
    estimate.area_um2 = unit.area_um2;
    estimate.fit = unit.fit;
    estimate.source = unit.source;
    estimate.notes = unit.notes;
    return estimate;
}

SramEstimate estimate_arithmetic(const Geometry& geometry, PartKind block, double technology_nm) {
    const bool cells = geometry.kind.starts_with("aladdin_");
    const auto adder = static_cast<double>(geometry.adder_bits);
    const auto multiplier = static_cast<double>(geometry.multiplier_bits);
    if (cells && block == PartKind::adder) return estimate_cell("adder", adder / cell("adder").bits, technology_nm);
    if (cells && block == PartKind::multiplier) {
        const double width = multiplier / cell("multiplier").bits;
        return estimate_cell("multiplier", width * width, technology_nm);
    }
    const bool floating = is_floating_point(geometry.kind);
    if (block == PartKind::adder) return as_estimate(estimate_adder(adder, floating, technology_nm));
    if (block == PartKind::multiplier) return as_estimate(estimate_multiplier(multiplier, floating, technology_nm));
    MacShape shape{technology_nm, multiplier, adder, floating};
    if (geometry.adder_bits == 0) shape.adder_bits = floating ? multiplier : 2.0 * multiplier;
    return as_estimate(estimate_mac(shape));
}

SramEstimate estimate_dram_part(const Geometry& geometry, const SramShape& shape) {
    const DramEstimate dram = estimate_dram(geometry.dram_type).value_or(default_dram());
    SramEstimate estimate;
    estimate.read_pj = estimate.write_pj = shape.width_bits * dram.pj_per_bit;
    estimate.source = dram.source;
    return estimate;
}

SramEstimate estimate_memory_part(const Geometry& geometry, PartKind block, SramShape shape) {
    if (block == PartKind::dram) return estimate_dram_part(geometry, shape);
    return block == PartKind::registers ? estimate_registers(shape) : estimate_sram(shape);
}

SramShape shape_of(const Geometry& geometry, const SramShape& own_shape, double technology_nm) {
    SramShape shape = own_shape;
    shape.technology_nm = technology_nm;
    if (geometry.width_bits == 0 && geometry.depth == 0) return shape;
    if (geometry.width_bits > 0) shape.width_bits = static_cast<double>(geometry.width_bits);
    shape.rows = static_cast<double>(std::max<std::int64_t>(geometry.depth, 1));
    shape.banks = static_cast<double>(geometry.banks);
    shape.ports = static_cast<double>(geometry.ports);
    return shape;
}

}  // namespace

PartKind block_of(const std::string& component_class) {
    std::string lower = component_class;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (contains(lower, "reram") || contains(lower, "memristor")) return PartKind::unknown;
    if (is_register_file(component_class) || lower == "flip_flop") return PartKind::registers;
    if (contains(lower, "sram") || contains(lower, "smartbuffer")) return PartKind::sram;
    if (contains(lower, "dram")) return PartKind::dram;
    if (contains(lower, "comparator")) return PartKind::comparator;
    if (contains(lower, "multiplier")) return PartKind::multiplier;
    if (contains(lower, "adder") && !contains(lower, "ladder")) return PartKind::adder;
    return contains(lower, "mac") && !contains(lower, "macro") ? PartKind::mac : PartKind::unknown;
}

SramEstimate estimate_part(const Part& part, const SramShape& own_shape, double technology_nm) {
    if (part.known) return *part.known;
    const Geometry& geometry = part.geometry;
    const PartKind block = block_of(geometry.kind);
    switch (block) {
        case PartKind::adder:
        case PartKind::multiplier:
        case PartKind::mac: return estimate_arithmetic(geometry, block, technology_nm);
        case PartKind::comparator: {
            const double bits = static_cast<double>(std::max<std::int64_t>(geometry.width_bits, 1));
            return estimate_cell("comparator", bits / cell("comparator").bits, technology_nm);
        }
        default: return estimate_memory_part(geometry, block, shape_of(geometry, own_shape, technology_nm));
    }
}

Sourced energy_of_parts(const std::vector<EstimatedPart>& parts, PartUse Part::* action, double scale) {
    Sourced sum;
    for (const auto& [part, estimate] : parts) {
        const PartUse& use = part->*action;
        const double energy =
            (use.reads * estimate.read_pj + use.writes * estimate.write_pj) * part->geometry.energy_scale * scale;
        if (use == PartUse{}) continue;
        sum.value += energy;
        if (!sum.source.empty()) sum.source += " + ";
        sum.source += part->name + " " + short_number(energy) + " pJ (" + estimate.source + ")";
    }
    if (sum.source.empty()) sum.source = "no part takes part in it";
    return sum;
}

double leak_mw_of_parts(const std::vector<EstimatedPart>& parts) {
    double leak = 0.0;
    for (const auto& [part, estimate] : parts)
        leak += part->leak.leaks * estimate.leak_mw * part->geometry.energy_scale;
    return leak;
}

double area_of_parts(const std::vector<EstimatedPart>& parts) {
    double area = 0.0;
    for (const auto& [part, estimate] : parts) area += part->copies * estimate.area_um2 * part->geometry.area_scale;
    return area;
}

}  // namespace tilewright
