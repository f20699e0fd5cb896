#include "run/llm/kernel_work.hpp"

#include <algorithm>

#include "model/vector/vector.hpp"
#include "run/physical/physical_latency.hpp"
#include "silicon/kernels/machine.hpp"

namespace tilewright {
namespace {

constexpr double kUs = 1e-6;
constexpr double kBitsInByte = 8.0;

double bytes_of(const CascadeEinsum& one, const BlockFormats& blocks, const silicon::KernelMachine& machine) {
    const std::vector<WordBits> bits = moved_bits(one.einsum, blocks);
    double bytes = 0.0;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const double each = bits[t].bits > 0 ? bits[t].each() / kBitsInByte : static_cast<double>(machine.word_bytes);
        bytes += static_cast<double>(tensor_words(one.einsum, t)) * each;
    }
    return bytes;
}

// Prompts count as heads of their own: each has its own keys.
silicon::Attention attention_of(const llm::Attention& one, const llm::Point& point, silicon::AttentionKind kind,
                                double kept_bytes) {
    silicon::Attention attention;
    attention.kept_bytes = kept_bytes;
    attention.head_width = one.width;
    attention.kind = one.has_cache ? kind : silicon::AttentionKind::masked;
    if (point.tokens == 1) {
        attention.sequences = point.batch;
        attention.kept_each = one.keys;
        attention.heads = one.groups * one.rows / point.batch;
        attention.key_heads = one.groups / point.batch;
        return attention;
    }
    // A sliding window gives each group as many queries as the window, and twice as many keys (workload/zoo).
    attention.chunk = one.keys < point.tokens ? one.keys / 2 : point.tokens;
    attention.kept = one.keys - attention.chunk;
    attention.heads = one.groups * one.rows / attention.chunk;
    attention.key_heads = one.groups;
    return attention;
}

}  // namespace

KernelTime time_of_products(const silicon::ProductBatch& batch, const silicon::KernelMachine& machine) {
    const silicon::ProductLatency found = silicon::batch_latency(batch, machine);
    return {found.us * kUs, physical_latency(found, Architecture{}).bound};
}

silicon::ProductBatch with_widths(silicon::ProductBatch batch, const Einsum& layer, const BlockFormats& blocks) {
    const std::vector<WordBits> bits = moved_bits(layer, blocks);
    const auto bytes = [&](const char* tensor) { return bits[find_tensor(layer, tensor)].each() / kBitsInByte; };
    batch.each.input_bytes = bytes("Inputs");
    batch.each.weight_bytes = bytes("Weights");
    batch.each.result_bytes = bytes("Outputs");
    return batch;
}

KernelTime time_of_pass(const CascadeEinsum& einsum, const BlockFormats& blocks,
                        const silicon::KernelMachine& machine) {
    const double bytes = bytes_of(einsum, blocks, machine);
    const double us = silicon::stream_us({.ideal_bytes = bytes, .kernels = 1, .bytes = bytes}, machine);
    return {us * kUs, 2.0 * machine.calibration.launch_us > us ? "launch" : "memory"};
}

double energy_of_pass_pj(const CascadeEinsum& einsum, const BlockFormats& blocks, const Architecture& architecture) {
    constexpr double kNeverBinds = 1e18;
    VectorUnit unit;
    unit.memory = architecture.memories.front().name;
    for (VectorRate& rate : unit.rates) rate.per_cycle = kNeverBinds;
    const std::vector<WordBits> bits = moved_bits(einsum.einsum, blocks);
    const std::int64_t parts = parts_of_bit(bits);
    CascadeEinsum in_small_parts = einsum;
    in_small_parts.einsum = in_parts(einsum.einsum, bits, parts);
    return evaluate_on_vector_unit(in_small_parts, in_parts(architecture, parts), unit).energy_pj;
}

KernelTime time_of_attention(const llm::Attention& attention, const llm::Point& point, silicon::AttentionKind kind,
                             double kept_bytes, const silicon::KernelMachine& machine) {
    const silicon::Attention whole = attention_of(attention, point, kind, kept_bytes);
    const double us = silicon::attention_us(whole, machine);
    silicon::KernelMachine endless = machine;  // matrix units take no time
    endless.operations_per_us *= 1e12;
    endless.exponentials_per_us = 0.0;
    const double memory_us = silicon::attention_us(whole, endless);
    silicon::KernelMachine idle = endless;  // nor does its memory
    idle.memory_bytes_per_us *= 1e12;
    const double launch_us = silicon::attention_us(whole, idle);
    if (2.0 * launch_us > us) return {us * kUs, "launch"};
    return {us * kUs, 2.0 * memory_us > us ? "memory" : "compute"};
}

}  // namespace tilewright
