#include "run/llm/kernel_work.hpp"

#include <algorithm>

#include "model/vector/vector.hpp"
#include "run/physical/physical_latency.hpp"
#include "silicon/kernels/stream.hpp"

namespace tilewright {
namespace {

constexpr double kUs = 1e-6;

double bytes_of(const CascadeEinsum& one, const silicon::KernelMachine& machine) {
    double words = 0.0;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) words += static_cast<double>(tensor_words(one.einsum, t));
    return words * static_cast<double>(machine.word_bytes);
}

// Prompts count as heads of their own: each has keys of its own.
silicon::Attention attention_of(const llm::Attention& one, const llm::Point& point, silicon::AttentionKind kind) {
    silicon::Attention attention;
    attention.head_width = one.width;
    attention.kind = one.has_cache ? kind : silicon::AttentionKind::masked;
    if (point.tokens == 1) {
        attention.sequences = point.batch;
        attention.kept_each = one.keys;
        attention.heads = one.groups * one.rows / point.batch;
        attention.key_heads = one.groups / point.batch;
        return attention;
    }
    attention.chunk = point.tokens;
    attention.kept = one.keys - point.tokens;
    attention.heads = one.groups * one.rows / point.tokens;
    attention.key_heads = one.groups;
    return attention;
}

}  // namespace

KernelTime time_of_products(const silicon::ProductBatch& batch, const silicon::KernelMachine& machine) {
    const silicon::ProductLatency found = silicon::batch_latency(batch, machine);
    return {found.us * kUs, physical_latency(found, Architecture{}).bound};
}

KernelTime time_of_pass(const CascadeEinsum& einsum, const silicon::KernelMachine& machine) {
    const double bytes = bytes_of(einsum, machine);
    const double us = silicon::stream_us({.ideal_bytes = bytes, .kernels = 1, .bytes = bytes}, machine);
    return {us * kUs, 2.0 * machine.calibration.launch_us > us ? "launch" : "memory"};
}

double energy_of_pass_pj(const CascadeEinsum& einsum, const Architecture& architecture) {
    constexpr double kNeverBinds = 1e18;
    VectorUnit unit;
    unit.memory = architecture.memories.front().name;
    for (VectorRate& rate : unit.rates) rate.per_cycle = kNeverBinds;
    return evaluate_on_vector_unit(einsum, architecture, unit).energy_pj;
}

KernelTime time_of_attention(const llm::Attention& attention, const llm::Point& point, silicon::AttentionKind kind,
                             const silicon::KernelMachine& machine) {
    const silicon::Attention whole = attention_of(attention, point, kind);
    const double us = silicon::attention_us(whole, machine);
    silicon::KernelMachine endless = machine;  // whose matrix units take no time
    endless.operations_per_us *= 1e12;
    endless.exponentials_per_us = 0.0;
    const double memory_us = silicon::attention_us(whole, endless);
    silicon::KernelMachine idle = endless;  // whose memory takes none, either
    idle.memory_bytes_per_us *= 1e12;
    const double launch_us = silicon::attention_us(whole, idle);
    if (2.0 * launch_us > us) return {us * kUs, "launch"};
    return {us * kUs, 2.0 * memory_us > us ? "memory" : "compute"};
}

}  // namespace tilewright
