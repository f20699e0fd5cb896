#include <algorithm>
#include <cmath>
#include <limits>

#include "silicon/accelerator/kernels.hpp"
#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {
namespace {

constexpr double kStepKeys = 128.0;
constexpr double kLaneRows = 16.0;           // of a block without matrix units
constexpr double kWideBytes = 2.0;           // of activations
constexpr double kPartialResultBytes = 8.0;  // of 32 bits, written and read

std::size_t cache_index(double kv_bytes) { return kv_bytes < kWideBytes ? 0 : 1; }

double operations_per_cycle(const DataSheet& sheet) {
    return sheet.operations_per_us / sheet.multiprocessors / sheet.clock_per_us;
}

bool is_odd(double head_width) { return std::exp2(std::round(std::log2(head_width))) != head_width; }

// A block's rows against 128 keys: two products and the exponentials of the scores.
double step_us(const Accelerator& machine, const PrefillForm& form, double rows, double width) {
    const DataSheet& sheet = machine.sheet;
    const double products = 4.0 * rows * kStepKeys * std::max(width, form.least_width) /
                            (operations_per_cycle(sheet) * form.rate_share * machine.calibrated.rate_share);
    const double exponentials = rows * kStepKeys / sheet.exponentials_per_cycle * form.exponentials;
    const bool is_wide = form.wide_head > 0.0 && width > form.wide_head;
    return overlapped(products, exponentials, form.step_overlap) * (is_wide ? form.wide_factor : 1.0) *
           (is_odd(width) ? form.odd_factor : 1.0) / sheet.clock_per_us;
}

// Steps of the blocks of one head: below the diagonal up to the window.
struct Steps {
    double most = 0.0;
    double all = 0.0;
    double blocks = 0.0;
};

Steps steps_of(double queries, double window, double block_queries) {
    Steps steps;
    steps.blocks = std::ceil(queries / block_queries);
    steps.most = std::ceil(std::min(queries, window + (window < queries ? block_queries : 0.0)) / kStepKeys);
    const double between = std::max(kStepKeys / block_queries, 1.0);  // blocks before one more step
    const double growing = std::min(std::ceil(steps.blocks / between), steps.most);
    steps.all =
        between * growing * (growing + 1.0) / 2.0 + std::max(steps.blocks - between * growing, 0.0) * steps.most;
    return steps;
}

// Of all blocks, divided by the multiprocessors, and of the longest block.
struct BlockTimes {
    double work_us = 0.0;
    double longest_us = 0.0;
};

BlockTimes on_matrix_units(const Accelerator& machine, const PrefillForm& form, const AttentionSize& size,
                           double window) {
    const double packed = std::min(size.heads / size.kv_heads, form.packed_heads);
    const double step = step_us(machine, form, form.rows, size.head_width);
    const Steps steps = steps_of(size.queries, window, form.rows / packed);
    const double heads = size.batch * (size.heads / packed);
    return {(heads * steps.all * step + heads * steps.blocks * form.block_us) / machine.sheet.multiprocessors,
            form.block_us + steps.most * step};
}

// Every score below the diagonal, up to the window and a block's rows: two products of a head's width on plain lanes.
BlockTimes on_lanes(const Accelerator& machine, const PrefillForm& form, const AttentionSize& size, double window) {
    const double keys = std::min(size.queries, window + (window < size.queries ? kLaneRows : 0.0));
    const double score_us = 2.0 * size.head_width / form.odd_lanes / machine.sheet.clock_per_us;
    const double heads = size.batch * size.heads;
    const double scores = heads * (keys * (keys + 1.0) / 2.0 + (size.queries - keys) * keys);
    const double blocks = heads * std::ceil(size.queries / kLaneRows);
    return {(scores * score_us + blocks * form.block_us) / machine.sheet.multiprocessors,
            form.block_us + std::min(kLaneRows, size.queries) * keys * score_us};
}

double in_norm(double a, double b, double c, double exponent) {
    return std::pow(std::pow(a, exponent) + std::pow(b, exponent) + std::pow(c, exponent), 1.0 / exponent);
}

}  // namespace

double prefill_us(const Accelerator& machine, const AttentionSize& size) {
    const PrefillForm& form = machine.form.prefill[cache_index(size.kv_bytes)];
    const bool has_window = size.window > 0.0 && size.window <= size.queries;
    const double window = has_window ? size.window : size.queries;
    const BlockTimes blocks = form.odd_lanes > 0.0 && is_odd(size.head_width)
                                  ? on_lanes(machine, form, size, window)
                                  : on_matrix_units(machine, form, size, window);
    const double keys = size.batch * size.queries * size.kv_heads * size.head_width;
    const double queries = size.batch * size.queries * size.heads * size.head_width;
    const double bytes = 2.0 * kWideBytes * queries + (2.0 * size.kv_bytes + 2.0 * kWideBytes) * keys;
    return form.fix_us + form.write_factor * 2.0 * kWideBytes * keys / machine.reached_bytes_per_us() +
           form.request_us * size.batch / machine.sheet.multiprocessors +
           in_norm(blocks.longest_us, blocks.work_us, form.bytes_factor * bytes / machine.reached_bytes_per_us(),
                   form.overlap);
}

double chunk_history_us(const Accelerator& machine, const AttentionSize& chunk, double before) {
    if (before <= 0.0) return 0.0;
    constexpr double kRows = 128.0;
    const PrefillForm& form = machine.form.prefill[cache_index(chunk.kv_bytes)];
    const double keys = chunk.window > 0.0 ? std::min(before, chunk.window) : before;
    return chunk.batch * chunk.heads * std::ceil(chunk.queries / kRows) * std::ceil(keys / kStepKeys) *
           step_us(machine, form, kRows, chunk.head_width) / machine.sheet.multiprocessors;
}

namespace {

// Work of one query of each request.
struct DecodeWork {
    double keys = 0.0;     // met
    double skipped = 0.0;  // before the window
    double units = 0.0;    // key heads times packs of query heads
    double key_cycles = 0.0;
};

DecodeWork decode_work(const DecodeForm& form, double packed, const AttentionSize& size) {
    const double history = size.queries + 1.0;
    const bool has_window = size.window > 0.0 && size.window < history;
    const bool is_wide = form.wide_head > 0.0 && size.head_width > form.wide_head;
    DecodeWork work;
    work.keys = has_window ? std::min(history, size.window + form.window_keys) : history;
    work.skipped = history - work.keys;
    work.units = size.batch * size.kv_heads * std::ceil(size.heads / size.kv_heads / packed);
    work.key_cycles = size.head_width / 128.0 * form.key_cycles * (is_wide ? form.wide_factor : 1.0) *
                      (is_odd(size.head_width) ? form.odd_factor : 1.0);
    return work;
}

// As many blocks of a unit's keys as the kernel's rule says, by the root of the history, whatever the window leaves.
double by_rule(const DecodeForm& form, const DecodeWork& work, double places) {
    const double asked = form.splits_per_root * std::sqrt(work.keys + work.skipped);
    return std::ceil(std::max(1.0, std::min(asked, form.most_waves * places / work.units)));
}

/// A kernel's form on a machine, for one size.
struct Decode {
    const DecodeForm& form;
    const AttentionSize& size;
    const DecodeWork& work;
    double clock_per_us;
    double bandwidth;
    double places;

    double us(double split) const {
        const bool has_rule = form.splits_per_root > 0.0;
        const double part = has_rule ? std::min(work.keys, (work.keys + work.skipped) / split)
                                     : std::ceil(work.keys / split / form.key_block) * form.key_block;
        const double inlet = 2.0 * part * size.head_width * size.kv_bytes / form.inlet_bytes_per_cycle;
        const double stream = std::max(part * work.key_cycles, inlet) * form.resident_blocks;
        const double skipping = work.skipped / split * form.skipped_key_cycles;
        const double block = form.block_us + (stream + skipping) / clock_per_us;
        const double sums = split > 1.0 ? form.partial_factor * kPartialResultBytes * split * size.batch * size.heads *
                                              size.head_width / bandwidth
                                        : 0.0;
        const double memory =
            2.0 * size.batch * work.keys * size.kv_heads * size.head_width * size.kv_bytes / bandwidth + sums;
        return form.fix_us + (split > 1.0 ? form.combine_us : 0.0) +
               overlapped(std::ceil(work.units * split / places) * block, memory, form.overlap);
    }
};

}  // namespace

double decode_us(const Accelerator& machine, const AttentionSize& size) {
    const auto& [single, grouped] = machine.form.decode[cache_index(size.kv_bytes)];
    const double group = size.heads / size.kv_heads;
    // Groups that no pack holds run in the kernel of heads with keys of their own, which finds them in the last cache.
    const bool is_alone = group > 1.0 && grouped.most_packed > 0.0 && group > grouped.most_packed;
    const DecodeForm& form = group > 1.0 && !is_alone ? grouped : single;
    const DecodeWork work = decode_work(form, is_alone ? 1.0 : form.packed_heads, size);
    const double places = machine.sheet.multiprocessors * form.resident_blocks;
    const Decode decode{
        form, size, work, machine.sheet.clock_per_us, machine.reached_bytes_per_us() * form.bandwidth_factor, places};
    if (form.splits_per_root > 0.0) return decode.us(by_rule(form, work, places));
    double best = std::numeric_limits<double>::infinity();
    for (const double split : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0}) {
        if (split > 1.0 && (work.keys < split * form.key_block || work.units * (split / 2.0) >= places)) break;
        best = std::min(best, decode.us(split));
    }
    return best;
}

double latent_decode_us(const Accelerator& machine, const LatentSize& size) {
    constexpr double kLeastHeads = 16.0;  // of a matrix unit
    const LatentForm& form = machine.form.latent[cache_index(size.kv_bytes)];
    const double memory = size.batch * size.history * size.width * size.kv_bytes /
                          (machine.reached_bytes_per_us() * form.bandwidth_factor);
    const double products = 2.0 * size.batch * size.history * std::max(size.heads, kLeastHeads) *
                            (2.0 * size.width - size.rope) /
                            (machine.sheet.operations_per_us * machine.calibrated.rate_share * form.rate_factor);
    const double waves =
        std::ceil(size.batch * std::ceil(size.heads / form.block_heads) / machine.sheet.multiprocessors);
    const double keys = waves * size.history * form.key_us;
    return form.fix_us + form.block_us * waves + overlapped(std::max(memory, keys), products, form.overlap);
}

}  // namespace tilewright::silicon
