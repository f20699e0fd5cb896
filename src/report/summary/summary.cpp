#include "report/summary.hpp"

#include <algorithm>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::report {
namespace {

void add_bound(const LayerResult& layer, std::vector<BoundShare>& bounds) {
    const Evaluation& evaluation = *layer.evaluation;
    BoundShare own;
    if (layer.as_built) {
        own.bound = LatencyBound::as_built;
        own.as_built = layer.as_built->bound;
        own.waits_for_memory = layer.as_built->waits_for_memory;
    } else {
        own.bound = latency_bound(evaluation, layer.on_vector_unit);
        own.waits_for_memory = evaluation.bounding_memory >= 0;
        if (own.waits_for_memory) own.memory = evaluation.memories[evaluation.bounding_memory].name;
    }
    const auto is_same = [&](const BoundShare& one) {
        return one.memory == own.memory && one.bound == own.bound && one.as_built == own.as_built;
    };
    auto found = std::ranges::find_if(bounds, is_same);
    if (found == bounds.end()) found = bounds.insert(bounds.end(), own);
    found->layers = checked_add(found->layers, layer.repeats);
    found->cycles = checked_add(found->cycles, checked_mul(evaluation.cycles, layer.repeats));
}

std::vector<BoundShare> bounds_of(const Report& report, std::int64_t cycles) {
    std::vector<BoundShare> bounds;
    for (const LayerResult& layer : report.layers)
        if (layer.evaluation) add_bound(layer, bounds);
    for (BoundShare& one : bounds)
        if (cycles > 0) one.share = static_cast<double>(one.cycles) / static_cast<double>(cycles);
    std::ranges::stable_sort(bounds, std::ranges::greater{}, &BoundShare::cycles);
    return bounds;
}

void add_spilled(const LayerResult& layer, const Memory& memory, std::size_t index, SpilledActivations& sum) {
    const MemoryEvaluation& costs = layer.evaluation->memories[index];
    const auto repeats = static_cast<double>(layer.repeats);
    const std::vector<OperandRole> roles = layer_roles(layer.einsum).operands;
    for (std::size_t t = 0; t < layer.einsum.tensors.size() && t < costs.tensors.size(); ++t) {
        const Tensor& tensor = layer.einsum.tensors[t];
        const TensorTraffic& traffic = costs.tensors[t];
        if (roles[t] == OperandRole::weights || !traffic.kept) continue;
        const double bytes = repeats * static_cast<double>(bits_of(tensor, memory.word_bits)) / 8.0;
        sum.bytes += bytes * (traffic.reads + traffic.fills + traffic.updates);
        sum.once_bytes += bytes * static_cast<double>(tensor_words(layer.einsum, static_cast<int>(t)));
        sum.energy_pj += repeats * (traffic.energy_pj + traffic.address_energy_pj);
        if (t < costs.link.size()) sum.energy_pj += repeats * costs.link[t].energy_pj;
    }
}

std::optional<SpilledActivations> spilled_of(const Report& report) {
    const std::vector<Memory>& memories = report.architecture.memories;
    const auto outermost = std::ranges::find(memories, false, &Memory::spreads_only);
    if (outermost == memories.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(outermost - memories.begin());
    SpilledActivations sum;
    sum.memory = outermost->name;
    for (const LayerResult& layer : report.layers)
        if (layer.evaluation && index < layer.evaluation->memories.size()) add_spilled(layer, *outermost, index, sum);
    return sum.bytes > 0.0 ? std::optional(sum) : std::nullopt;
}

}  // namespace

Summary summary(const Report& report) {
    const Totals sum = totals(report);
    Summary all;
    all.bounds = bounds_of(report, sum.cycles);
    for (const BoundShare& one : all.bounds) {
        if (!one.waits_for_memory) continue;
        all.memory_bound_layers += one.layers;
        all.memory_bound_cycles_share += one.share;
    }
    if (sum.layers > sum.missing)
        all.memory_bound_share =
            static_cast<double>(all.memory_bound_layers) / static_cast<double>(sum.layers - sum.missing);
    all.spilled = spilled_of(report);
    return all;
}

}  // namespace tilewright::report
