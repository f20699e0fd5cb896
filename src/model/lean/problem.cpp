#include "model/lean/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers/checked.hpp"

namespace tilewright::lean {
namespace {

// Gives every rank its own range of the key, wide enough for the difference of any two moves of the tensor.
void set_keys(const Einsum& einsum, const tilewright::Tensor& tensor, TensorForm& form) {
    double unit = 1.0;
    for (const Rank& rank : tensor.ranks) {
        double width = 1.0;
        for (const tilewright::Term& term : rank.terms) {
            if (einsum.dimensions[term.dimension].extent == 1) continue;
            const double reach = std::abs(static_cast<double>(term.coefficient));
            width += reach * static_cast<double>(einsum.dimensions[term.dimension].extent);
            form.key[term.dimension] += unit * static_cast<double>(term.coefficient);
        }
        unit *= 8.0 * width;
    }
    if (unit > kMostExact) throw OverflowError();
}

TensorForm form_of(const Einsum& einsum, const tilewright::Tensor& tensor) {
    TensorForm form;
    form.written = tensor.written;
    for (const Rank& rank : tensor.ranks) {
        int moving = 0;
        for (const tilewright::Term& term : rank.terms) {
            if (einsum.dimensions[term.dimension].extent == 1) continue;  // it never moves
            if (++moving > 1) form.plain = false;
            if ((form.relevant >> term.dimension & 1U) != 0) form.tangled = true;
            form.relevant |= 1U << term.dimension;
            form.terms.push_back({term.dimension, std::abs(static_cast<double>(term.coefficient))});
        }
        form.rank_ends.push_back(static_cast<int>(form.terms.size()));
    }
    if (form.tangled) form.plain = false;
    form.gapless = !form.tangled && std::all_of(form.terms.begin(), form.terms.end(),
                                                [](const Term& term) { return term.reach == 1.0; });
    set_keys(einsum, tensor, form);
    return form;
}

void set_widths(const Einsum& einsum, const Memory& memory, LevelForm& form) {
    const Capacity capacity = capacity_of(memory, einsum);
    form.capacity = std::numeric_limits<double>::infinity();
    if (capacity.usable) form.capacity = static_cast<double>(*capacity.usable);
    form.least_use = capacity.least;
    form.rounds_rooms = memory.alignment_words != 1;
    form.tile_bounds = tile_bounds(memory, einsum);
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const tilewright::Tensor& tensor = einsum.tensors[t];
        form.room_multiple[t] = static_cast<double>(capacity.multiple[t]);
        form.room_per_word[t] = static_cast<double>(capacity.per_word[t]);
        if (static_cast<double>(tensor_words(einsum, t)) * form.room_per_word[t] > kMostExact) throw OverflowError();
        form.rows[t] = rows_of(memory, tensor);
        form.bandwidth_share[t] = form.fill_share[t] = form.update_share[t] = bandwidth_share(tensor, memory);
        form.link_share[t] = link_share(tensor, memory.link);
        form.passage_pj[t] = memory.link.passages.empty() ? 0.0 : passage_pj(memory.link, einsum, t);
        if (memory.update_link) form.update_link_share[t] = link_share(tensor, *memory.update_link);
    }
}

LevelForm form_of(const Einsum& einsum, const Architecture& architecture, int level, double inner_tile_um2) {
    const Memory& memory = architecture.memories[level];
    LevelForm form;
    form.rates = rates_of(memory);
    form.throttles = form.rates.may_throttle();
    form.stores = !memory.spreads_only;
    form.mesh_x = static_cast<double>(memory.mesh.x);
    form.mesh_y = static_cast<double>(memory.mesh.y);
    form.instances = static_cast<double>(memory.instances);
    form.fanout = architecture.fanout(level);
    form.spreads = form.fanout.size() > 1;
    set_widths(einsum, memory, form);
    form.gate = level;
    if (memory.power_gated_at) form.gate = find_memory(architecture, *memory.power_gated_at);
    form.under_gate = form.instances / static_cast<double>(architecture.memories[form.gate].instances);
    form.link = rates_of(memory.link, inner_tile_um2);
    form.has_update_link = memory.update_link.has_value();
    if (form.has_update_link) form.update_link = rates_of(*memory.update_link, inner_tile_um2);
    form.wires_are_free = form.link.wires_are_free() && (!form.has_update_link || form.update_link.wires_are_free());
    form.link_is_free = form.link.is_free() && (!form.has_update_link || form.update_link.is_free());
    return form;
}

// Prices and shares of words; min_utilization does not apply to varying tiles.
void set_prices(const std::array<TensorPrices, kMaxTensors>& prices, double busy, LevelForm& form) {
    form.prices = &prices;
    form.least_use = 0.0;
    for (std::size_t t = 0; t < prices.size(); ++t) {
        form.read_written_share[t] = form.bandwidth_share[t] * prices[t].read_written;
        form.fill_share[t] *= prices[t].fill_moved;
        form.update_share[t] *= prices[t].update_moved;
        form.bandwidth_share[t] *= prices[t].read_moved;
        form.link_share[t] *= prices[t].on_link;
        form.update_link_share[t] *= prices[t].on_link;
        form.passage_pj[t] *= prices[t].on_link;
    }
    if (busy == 0.0) return;  // bandwidth takes no time then
    form.rates.read_words_per_cycle *= busy;
    form.rates.write_words_per_cycle *= busy;
    form.rates.shared_words_per_cycle *= busy;
    form.rates.write_stall_cycles /= busy;
}

}  // namespace

Setup::Setup(const Einsum& the_einsum, const Architecture& the_architecture, std::shared_ptr<const Prices> the_prices)
    : einsum(the_einsum), architecture(the_architecture), prices(std::move(the_prices)) {
    if (static_cast<double>(operation_count(einsum)) > kMostExact) throw OverflowError();
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (static_cast<double>(tensor_words(einsum, t)) > kMostExact) throw OverflowError();
        tensors.push_back(form_of(einsum, einsum.tensors[t]));
    }
    extents.fill(1.0);
    for (int d = 0; d < einsum.dimension_count(); ++d) extents[d] = static_cast<double>(einsum.dimensions[d].extent);
    const std::vector<double> areas = inner_tile_areas_um2(architecture);
    for (int l = 0; l < architecture.memory_count(); ++l) {
        levels.push_back(form_of(einsum, architecture, l, areas[l]));
        if (prices) set_prices(prices->memories[l], prices->busy, levels.back());
        links_cost = links_cost || !levels.back().link_is_free;
        leaks = leaks || levels.back().rates.leak_pj_per_cycle != 0.0;
        link_latency_cycles += tilewright::link_latency_cycles(architecture.memories[l]);
    }
    const Compute& compute = architecture.compute;
    compute_mesh_x = static_cast<double>(compute.mesh.x);
    compute_mesh_y = static_cast<double>(compute.mesh.y);
    compute_instances = static_cast<double>(compute.instances);
    operations = static_cast<double>(operation_count(einsum));
    compute_energy_pj = operations * (prices ? prices->compute_pj : compute.energy_pj.value);
    if (prices) busy = prices->busy;
    compute_leak_pj_per_cycle = compute.leak_pj_per_cycle.value;
    leaks = leaks || compute_leak_pj_per_cycle != 0.0;
}

}  // namespace tilewright::lean
