// Times of single kernels on an accelerator, us (docs/silicon.md).
//
// Sizes are doubles: shares of a layer on several devices need not be whole. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "silicon/accelerator/accelerator.hpp"

namespace tilewright::silicon {

/// x[m, k] times weights[n, k].
struct ProductSize {
    double m = 1.0;
    double n = 1.0;
    double k = 1.0;

    bool operator==(const ProductSize&) const = default;
};

/// The product alone. `copies` of the weights pass in turn (caches); 0: the measuring program's; infinite: never
/// cached. `rate_share`: of the machine's rate.
double product_us(const Accelerator& machine, Precision precision, const ProductSize& size, double copies = 0.0,
                  double rate_share = 1.0);

/// As an engine runs it by itself: activations are narrowed first.
double layer_us(const Accelerator& machine, Precision precision, const ProductSize& size);

/// In a server: weights never cached, narrowing fused into the kernel before.
double served_product_us(const Accelerator& machine, Precision precision, const ProductSize& size);

/// Attention of `queries` of each request, causal, nothing cached before. `kv_bytes`: of a cached word.
struct AttentionSize {
    double batch = 1.0;
    double queries = 1.0;  ///< decode: tokens in the cache before the one query
    double heads = 1.0;
    double kv_heads = 1.0;
    double head_width = 128.0;
    double window = 0.0;  ///< 0: none
    double kv_bytes = 2.0;

    bool operator==(const AttentionSize&) const = default;
};
double prefill_us(const Accelerator& machine, const AttentionSize& size);
/// One query of each request against `queries` + 1 keys.
double decode_us(const Accelerator& machine, const AttentionSize& size);

/// Queries of one request against `before` cached tokens, without the kernel's own launch: rows of a later chunk.
double chunk_history_us(const Accelerator& machine, const AttentionSize& chunk, double before);

/// One query of each request against latent words (DeepSeek) of `width`, `rope` of them without value.
struct LatentSize {
    double batch = 1.0;
    double history = 1.0;
    double heads = 1.0;
    double kv_bytes = 2.0;
    double width = 576.0;
    double rope = 64.0;
};
double latent_decode_us(const Accelerator& machine, const LatentSize& size);

/// Rows of the experts on the most loaded rank.
inline constexpr std::array<std::int64_t, 6> kExpertTileRows{8, 16, 32, 64, 128, 256};
struct ExpertSpread {
    std::int64_t experts_in_use = 0;
    std::int64_t rows = 0;
    std::array<std::int64_t, kExpertTileRows.size()> row_tiles{};  ///< by height

    bool operator==(const ExpertSpread&) const = default;
};

/// `power_law`: exponent of the experts' loads; 0: balanced.
ExpertSpread spread_of(std::int64_t tokens, std::int64_t experts, std::int64_t topk, std::int64_t ranks,
                       double power_law);

struct ExpertsSize {
    double tokens = 1.0;
    double hidden = 1.0;
    double inter = 1.0;
    double topk = 1.0;
    double experts = 1.0;
    double tp = 1.0;  ///< devices sharing an expert
    double ep = 1.0;  ///< ranks sharing the experts
};
double experts_us(const Accelerator& machine, const ExpertsForm& form, Precision precision, const ExpertsSize& size,
                  const ExpertSpread& spread);

/// The form of the kernel of that name, else the usual one of the precision.
const ExpertsForm& experts_form(const Form& form, Precision precision, const std::string& kernel = "");

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };

/// NCCL: the best of its protocols. `bytes`: of the whole message. Requires at least two devices.
double collective_us(const Accelerator& machine, Collective what, double devices, double bytes);
/// The engine's own up to 8 MiB, else NCCL's; 0 for one device.
double all_reduce_us(const Accelerator& machine, double devices, double bytes);

/// A norm, an activation: its words moved once, `bytes_per_word` each, mostly in the cache.
double pointwise_us(const Accelerator& machine, double words, double bytes_per_word);

/// Power of operations and bytes alone, while they take `us`, and what the limit leaves for it. Require
/// Accelerator::power.
double dynamic_watts(const Accelerator& machine, Precision precision, double operations, double bytes, double us);
double available_watts(const Accelerator& machine);

/// Mean power while kernels of this work and time run one after the other, W. `seconds` of running: a meter with a lag
/// reads less; 0: long. Requires Accelerator::power.
double power_watts(const Accelerator& machine, Precision precision, double operations, double bytes, double us,
                   double seconds = 0.0);

}  // namespace tilewright::silicon
