#include "silicon/kernels/attention.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::silicon {
namespace {

constexpr double kLaunches = 3.0;      // copy in, attention, copy out
constexpr double kScorePasses = 16.0;  // bytes of a 32-bit score written, read, written and read

// All sizes as reals, for the formulas below.
struct Sizes {
    explicit Sizes(const Attention& attention)
        : chunk(static_cast<double>(attention.chunk)),
          kept(static_cast<double>(attention.kept)),
          sequences(static_cast<double>(attention.sequences)),
          kept_each(static_cast<double>(attention.kept_each)),
          heads(static_cast<double>(attention.heads)),
          head_width(static_cast<double>(attention.head_width)),
          queries(heads * head_width),
          keys(static_cast<double>(attention.key_heads) * head_width) {}

    double chunk, kept, sequences, kept_each, heads, head_width, queries, keys;
};

double operations(const Sizes& sizes) {
    const double prefill = sizes.chunk * sizes.kept + sizes.chunk * (sizes.chunk + 1.0) / 2.0;
    const double decode = sizes.sequences * sizes.kept_each;
    return 4.0 * (sizes.chunk > 0.0 ? prefill : decode) * sizes.queries;
}

double kept_bytes(const Attention& attention, const KernelMachine& machine) {
    return attention.kept_bytes > 0.0 ? attention.kept_bytes : static_cast<double>(machine.word_bytes);
}

double bytes(const Attention& attention, const Sizes& sizes, const KernelMachine& machine) {
    const auto word = static_cast<double>(machine.word_bytes);
    const double kept = kept_bytes(attention, machine);
    if (sizes.chunk > 0.0)
        return 2.0 * (word * sizes.chunk * sizes.queries + kept * (sizes.chunk + sizes.kept) * sizes.keys);
    return 2.0 * (word * sizes.sequences * sizes.queries + kept * sizes.sequences * sizes.kept_each * sizes.keys);
}

// Keys of a block of query rows.
double span_of(const Sizes& sizes, double rows, AttentionKind kind) {
    const bool whole = kind == AttentionKind::masked || sizes.chunk <= rows;
    return sizes.kept + (whole ? sizes.chunk : (sizes.chunk + rows) / 2.0);
}

double blocks_us(const Attention& attention, const Sizes& sizes, const KernelMachine& machine) {
    const double rate =
        machine.reached_operations_per_us() * machine.plain_rate_share / static_cast<double>(machine.multiprocessors);
    double best = std::numeric_limits<double>::infinity();
    for (const std::int64_t rows : {64, 128}) {
        const std::int64_t blocks = (attention.chunk + rows - 1) / rows * attention.heads;
        const std::int64_t waves = (blocks + machine.multiprocessors - 1) / machine.multiprocessors;
        const auto width = static_cast<double>(rows);
        double each = 4.0 * width * sizes.head_width / rate;
        if (machine.exponentials_per_us > 0.0) each += std::min(width, sizes.chunk) / machine.exponentials_per_us;
        best = std::min(best, static_cast<double>(waves) * span_of(sizes, width, attention.kind) * each);
    }
    return best;
}

double unfused_us(const Attention& attention, const Sizes& sizes, const KernelMachine& machine) {
    const double words = sizes.chunk + sizes.kept + sizes.sequences * sizes.kept_each;
    const double copies = 2.0 * kept_bytes(attention, machine) * words * sizes.queries;
    const double scores = kScorePasses * sizes.heads * sizes.chunk * (sizes.chunk + sizes.kept);
    return machine.calibration.launch_us + operations(sizes) / machine.reached_operations_per_us() +
           (copies + scores) / machine.reached_bytes_per_us();
}

}  // namespace

double attention_us(const Attention& attention, const KernelMachine& machine) {
    const Sizes sizes(attention);
    if (attention.kind == AttentionKind::unfused) return unfused_us(attention, sizes, machine);
    const double memory = bytes(attention, sizes, machine) / machine.reached_bytes_per_us();
    const double launches = kLaunches * machine.calibration.launch_us;
    if (attention.chunk == 0) return launches + memory;
    return launches + overlapped(blocks_us(attention, sizes, machine), memory, machine.overlap_exponent);
}

double ideal_attention_us(const Attention& attention, const KernelMachine& machine) {
    const Sizes sizes(attention);
    return machine.calibration.launch_us + std::max(operations(sizes) / machine.reached_operations_per_us(),
                                                    bytes(attention, sizes, machine) / machine.reached_bytes_per_us());
}

}  // namespace tilewright::silicon
