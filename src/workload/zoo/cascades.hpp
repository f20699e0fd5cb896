// Cascades by name: language models and encoders as one workload each, in the phase of prefill or decode.
//
//     const Cascade decode = zoo_cascade("llama3-8b", {{"batch", 8}, {"context", 8191}}, Phase::decode);
//
// A block stands there once, with a count. KV caches have a batch axis; grouped queries are an axis of their own,
// folded into rows in a separately mapped layer (cascade/layers.hpp). Once-per-row finishing of statistics (a root, a
// reciprocal) is not counted. Causal masks are not exploited; under sliding windows a prompt of more than two windows
// is cut into windows of queries, each over its own tokens and the previous window. Experts: the expected number of
// chosen ones, with equal shares of tokens. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright {

enum class Phase {
    prefill,  ///< a prompt at once; the only phase of encoders
    decode,   ///< one token of every prompt, after the context's
};

/// Language models and encoders; every image network (zoo.hpp) is a cascade too, under the same name.
/// ZooEntry::dimensions are those of either phase.
std::vector<ZooEntry> zoo_cascades();
bool is_zoo_cascade(std::string_view name);
/// The zoo's name for a written one: "Meta-Llama-3.1-8B-Instruct" is llama3-8b. Unchanged without a match.
std::string zoo_name_of(std::string_view written);
/// Whether it has both phases.
bool is_zoo_language_model(std::string_view name);

/// `extents`: "batch" (prompts at once, default 1), "sequence" (tokens of each computed now: 2048 in prefill, 512 of
/// bert-base, 1 in decode) and "context" (tokens of each in the cache: 0 in prefill, 2047 in decode). Default phase:
/// prefill. Throws InputError: unknown_name, with the choices, for an unknown network, dimension or phase; bad_value
/// for an extent outside 1 to kMostZooExtent; overflow.
Cascade zoo_cascade(std::string_view name, const std::map<std::string, std::int64_t>& extents = {},
                    std::optional<Phase> phase = std::nullopt);

/// Latent attention (DeepSeek): keys and values of every head come from one latent vector, kept beside a rotated key
/// common to all heads.
struct LatentSizes {
    std::int64_t query_rank = 0;  ///< of the queries' own latent; 0: they are projected at once
    std::int64_t rank = 512;
    std::int64_t rotated = 64;  ///< words of a query and of the common key
    std::int64_t plain = 128;   ///< the other words of a query and of a head's key
    std::int64_t value = 128;   ///< of a head

    bool operator==(const LatentSizes&) const = default;
    /// Words kept of a token, in each block.
    std::int64_t kept() const { return rank + rotated; }
};

/// Sizes of a decoder: grouped queries or latent attention, gated feed-forward parts or experts, root-mean-square
/// norms. Local blocks stand before the others, whatever their order in the model: costs are the same.
struct DecoderSizes {
    std::int64_t blocks = 1;
    std::int64_t width = 1;
    std::int64_t kv_heads = 1;
    std::int64_t query_heads = 1;  ///< a multiple of kv_heads
    std::int64_t head = 1;         ///< words of one; of latent attention unused
    std::int64_t hidden = 1;       ///< of the feed-forward part, or of each expert
    std::int64_t vocabulary = 1;
    bool norms_heads = false;       ///< queries and keys, before rotation
    bool tied = false;              ///< the head shares its weights with the embedding
    std::int64_t local_blocks = 0;  ///< blocks with queries over the last `window` tokens only
    std::int64_t window = 0;
    std::int64_t experts = 0;  ///< per block, `chosen` by each token; none: one feed-forward part
    std::int64_t chosen = 0;
    bool sinks = false;                      ///< one more learned term per head in the softmax sum
    bool norms_results = false;              ///< of attention and feed-forward part, before their addition
    bool gelu = false;                       ///< gates by gelu, not silu
    std::int64_t shared_hidden = 0;          ///< of the experts that every token takes, together
    std::int64_t plain_blocks = 0;           ///< the first ones, with a feed-forward part in place of experts
    std::int64_t plain_hidden = 0;           ///< of that part
    std::optional<LatentSizes> latent = {};  ///< attention by latent vectors

    bool operator==(const DecoderSizes&) const = default;
};

struct DecoderPoint {
    std::int64_t batch = 1;
    std::int64_t tokens = 1;   ///< of each prompt, computed now
    std::int64_t context = 0;  ///< in the cache
};

/// Throws InputError(overflow); unsupported for plain blocks beside experts without latent attention.
Cascade decoder_cascade(const std::string& name, const DecoderSizes& sizes, const DecoderPoint& point);

/// The sizes of one of the zoo; empty for a network of another kind.
std::optional<DecoderSizes> zoo_decoder(std::string_view name);

/// A written name of a model in the form that names are compared in: letters and digits, without publisher, kind of
/// training and widths of words.
std::string plain_model_name(std::string_view written);

/// Words of all weights, times block repeats: the model's parameters. Throws OverflowError.
std::int64_t parameter_count(const Cascade& cascade);

}  // namespace tilewright
