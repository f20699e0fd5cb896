#include "timeloop/write/write_machine.hpp"

namespace tilewright::timeloop {
namespace {

/// Notes the first difference.
class Difference {
   public:
    template <typename Value>
    void operator()(const std::string& what, const Value& a, const Value& b) {
        if (text_.empty() && !(a == b)) text_ = where_.empty() ? what : "'" + where_ + "': " + what;
    }
    /// A given number, whatever its source. Every estimate of a spread-only level is 0.
    void sourced(const std::string& what, const Sourced& a, const Sourced& b, bool estimate_is_known = false) {
        if (!estimate_is_known) (*this)(what, a.source.empty(), b.source.empty());
        (*this)(what, a.value, b.value);
    }
    void at(std::string where) { where_ = std::move(where); }
    const std::string& text() const { return text_; }

   private:
    std::string where_;
    std::string text_;
};

void compare(Difference& same, const Geometry& a, const Geometry& b) {
    same("technology", a.technology, b.technology);
    same("class", a.kind, b.kind);
    same("depth", a.depth, b.depth);
    same("width", a.width_bits, b.width_bits);
    same("banks", a.banks, b.banks);
    same("ports", a.ports, b.ports);
    same("type of DRAM", a.dram_type, b.dram_type);
    same("bits of the multiplier", a.multiplier_bits, b.multiplier_bits);
    same("bits of the adder", a.adder_bits, b.adder_bits);
    same("energy_scale", a.energy_scale, b.energy_scale);
    same("area_scale", a.area_scale, b.area_scale);
}

void compare(Difference& same, Link a, Link b) {
    a.energy_source.clear();
    b.energy_source.clear();
    same("the network inside it", a, b);
}

void compare(Difference& same, const Memory& a, const Memory& b) {
    same("name", a.name, b.name);
    same("class", a.component_class, b.component_class);
    same("being a DRAM", a.is_dram, b.is_dram);
    same("keeping nothing", a.spreads_only, b.spreads_only);
    same("word bits", a.word_bits, b.word_bits);
    same("block_size", a.block_words, b.block_words);
    same("cluster_size", a.cluster_size, b.cluster_size);
    same("capacity", a.capacity_words, b.capacity_words);
    same("multiple_buffering", a.multiple_buffering, b.multiple_buffering);
    same("reserved_words", a.reserved_words, b.reserved_words);
    same("alignment_words", a.alignment_words, b.alignment_words);
    same("buffers", a.buffers, b.buffers);
    same("tile", a.tile, b.tile);
    same("min_utilization", a.min_utilization, b.min_utilization);
    same("holds_scales", a.holds_scales, b.holds_scales);
    same("read_bandwidth", a.read_words_per_cycle, b.read_words_per_cycle);
    same("write_bandwidth", a.write_words_per_cycle, b.write_words_per_cycle);
    same("shared_bandwidth", a.shared_words_per_cycle, b.shared_words_per_cycle);
    same("time in which writes stop the units", a.write_stall_cycles, b.write_stall_cycles);
    same("per_dataspace_bandwidth_consumption_scale", a.bandwidth_scale, b.bandwidth_scale);
    same("instances", a.instances, b.instances);
    same("mesh", a.mesh, b.mesh);
    compare(same, a.geometry, b.geometry);
    same.sourced("energy of a read", a.energy.read_pj, b.energy.read_pj, a.spreads_only);
    same.sourced("energy of a fill", a.energy.fill_pj, b.energy.fill_pj, a.spreads_only);
    same.sourced("energy of an update", a.energy.update_pj, b.energy.update_pj, a.spreads_only);
    same.sourced("leakage", a.energy.leak_pj_per_cycle, b.energy.leak_pj_per_cycle, a.spreads_only);
    same("addr_gen_energy", a.address_energy_pj, b.address_energy_pj);
    same.sourced("area", a.area_um2, b.area_um2, a.spreads_only);
    same("reduction_supported", a.reduces, b.reduces);
    same("power_gated_at", a.power_gated_at, b.power_gated_at);
    compare(same, a.link, b.link);
    same("the network of its results", a.update_link.has_value(), b.update_link.has_value());
    if (a.update_link && b.update_link) compare(same, *a.update_link, *b.update_link);
}

void compare(Difference& same, const Compute& a, const Compute& b) {
    same("name", a.name, b.name);
    same("class", a.component_class, b.component_class);
    same("word bits", a.word_bits, b.word_bits);
    same("instances", a.instances, b.instances);
    same("mesh", a.mesh, b.mesh);
    compare(same, a.geometry, b.geometry);
    same.sourced("energy", a.energy_pj, b.energy_pj);
    same.sourced("leakage", a.leak_pj_per_cycle, b.leak_pj_per_cycle);
    same.sourced("area", a.area_um2, b.area_um2);
}

}  // namespace

std::string first_difference(const Architecture& a, const Architecture& b) {
    Difference same;
    same("the number of memories", a.memory_count(), b.memory_count());
    for (int i = 0; same.text().empty() && i < a.memory_count(); ++i) {
        same.at(a.memories[i].name);
        compare(same, a.memories[i], b.memories[i]);
    }
    same.at(a.compute.name);
    compare(same, a.compute, b.compute);
    same.at("");
    same("the name", a.name, b.name);
    same("global_cycle_seconds", a.cycle_seconds, b.cycle_seconds);
    same("technology", a.technology, b.technology);
    return same.text();
}

}  // namespace tilewright::timeloop
