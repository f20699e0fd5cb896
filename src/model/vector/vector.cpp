#include "model/vector/vector.hpp"

#include <algorithm>
#include <cmath>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::int64_t whole_cycles(double cycles) {
    constexpr double kMost = 9.0e18;
    if (cycles > kMost) throw OverflowError();
    return static_cast<std::int64_t>(std::ceil(cycles));
}

TensorTraffic traffic_of(const Tensor& tensor, std::int64_t words, const Memory& memory, bool outermost) {
    TensorTraffic traffic;
    const auto count = static_cast<double>(words);
    traffic.kept = true;
    traffic.tile_words = words;
    traffic.instances = static_cast<double>(memory.instances);
    (tensor.written ? traffic.updates : traffic.reads) = count;
    if (!tensor.written && !outermost) traffic.fills = count;
    traffic.bandwidth_share = bandwidth_share(tensor, memory);
    const double accesses = 1.0 / words_per_access(tensor, memory);
    traffic.energy_pj =
        accesses * (traffic.reads * memory.energy.read_pj.value + traffic.fills * memory.energy.fill_pj.value +
                    traffic.updates * memory.energy.update_pj.value);
    return traffic;
}

// Cycles of a memory's words, all instances at once.
double cycles_of(const MemoryEvaluation& found, const Memory& memory, Bound& bound) {
    double reads = 0.0;
    double writes = 0.0;
    for (const TensorTraffic& one : found.tensors) {
        reads += one.reads * one.bandwidth_share;
        writes += (one.fills + one.updates) * one.bandwidth_share;
    }
    const auto instances = static_cast<double>(memory.instances);
    double most = 0.0;
    const auto take = [&](double words, const std::optional<double>& rate, Bound which) {
        if (!rate || words / (*rate * instances) <= most) return;
        most = words / (*rate * instances);
        bound = which;
    };
    take(reads, memory.read_words_per_cycle, Bound::read_bandwidth);
    take(writes, memory.write_words_per_cycle, Bound::write_bandwidth);
    take(reads + writes, memory.shared_words_per_cycle, Bound::shared_bandwidth);
    return most;
}

MemoryEvaluation memory_evaluation(const Einsum& shape, const Memory& memory, bool outermost, bool takes_part) {
    MemoryEvaluation found;
    found.name = memory.name;
    found.link.resize(shape.tensors.size());
    found.tensors.resize(shape.tensors.size());
    found.area_um2 = memory.area_um2.value * static_cast<double>(memory.instances);
    if (!takes_part) return found;
    for (int t = 0; t < shape.tensor_count(); ++t) {
        const auto index = static_cast<std::size_t>(t);
        found.tensors[index] = traffic_of(shape.tensors[index], tensor_words(shape, t), memory, outermost);
        found.energy_pj += found.tensors[index].energy_pj;
    }
    return found;
}

void count_operations(const CascadeEinsum& einsum, const VectorUnit& unit, Evaluation& all) {
    double cycles = 0.0;
    const auto points = static_cast<double>(all.computes);
    for (const auto& [operation, per_point] : einsum.operations) {
        const double count = points * static_cast<double>(per_point);
        all.compute_energy_pj += count * unit.rate(operation).energy_pj;
        cycles += count / unit.rate(operation).per_cycle;
    }
    all.compute_cycles = std::max<std::int64_t>(1, whole_cycles(cycles));
}

void add_leakage(const Architecture& architecture, Evaluation& all) {
    const auto cycles = static_cast<double>(all.cycles);
    for (std::size_t m = 0; m < all.memories.size(); ++m) {
        const Memory& memory = architecture.memories[m];
        all.memories[m].leakage_pj =
            memory.energy.leak_pj_per_cycle.value * static_cast<double>(memory.instances) * cycles;
        all.memories[m].energy_pj += all.memories[m].leakage_pj;
        all.energy_pj += all.memories[m].energy_pj;
    }
    all.compute_leakage_pj =
        architecture.compute.leak_pj_per_cycle.value * static_cast<double>(architecture.compute.instances) * cycles;
    all.energy_pj += all.compute_energy_pj + all.compute_leakage_pj;
}

}  // namespace

Evaluation evaluate_on_vector_unit(const CascadeEinsum& einsum, const Architecture& architecture,
                                   const VectorUnit& unit) {
    const Einsum& shape = einsum.einsum;
    Evaluation all;
    all.computes = operation_count(shape);
    all.area_um2 = total_area_um2(architecture) + unit.area_um2;
    count_operations(einsum, unit, all);
    all.cycles = all.compute_cycles;
    const int last = find_memory(architecture, unit.memory);
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const Memory& memory = architecture.memories[m];
        const bool takes_part = m <= last && !memory.spreads_only;
        MemoryEvaluation found = memory_evaluation(shape, memory, m == 0, takes_part);
        const double cycles = takes_part ? cycles_of(found, memory, found.bound) : 0.0;
        found.cycles = std::max(all.compute_cycles, whole_cycles(cycles));
        if (found.cycles == all.compute_cycles) found.bound = Bound::compute;
        found.slowdown = static_cast<double>(all.compute_cycles) / static_cast<double>(found.cycles);
        if (found.cycles > all.cycles) {
            all.cycles = found.cycles;
            all.bounding_memory = m;
        }
        all.memories.push_back(std::move(found));
    }
    add_leakage(architecture, all);
    return all;
}

}  // namespace tilewright
