// Values of a server of a language model: the engine's constants, the layout on devices, the words' widths.
//
// Times in us, sizes in bytes. Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "silicon/accelerator/form.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::llm {

/// Software around the kernels: data/serving/engines.yaml.
struct Engine {
    std::string name;
    double host_us = 0.0;         ///< between two steps; the device waits
    double mix = 1.0;             ///< share of a batch's prompts between the tokens of a request
    double burst = 0.0;           ///< share of the others' prompts before a first token
    double prompt_step_us = 0.0;  ///< least time of a step with a prompt
    double front_us = 0.0;        ///< to the first step
    std::int64_t step_tokens = 8192;
    std::int64_t places = 1024;      ///< requests running at once
    std::int64_t block_tokens = 16;  ///< of the cache
    std::int64_t blocks = 0;         ///< of the cache; 0: as many as the memory has
    double memory_share = 0.9;       ///< of the device's, for weights and cache
    double skew = 1.2;               ///< of the experts' loads: exponent of a power law
    double network_bytes_us = 50e3;  ///< of a device, between groups
    double stage_us = 5.0;           ///< between two stages of a pipeline

    bool operator==(const Engine&) const = default;
};

/// One group of devices with the whole model. Attention is cut over `tensor` devices, `data` such ranks attend to
/// requests of their own; experts lie on `expert` ranks, each expert cut over `expert_tensor` devices.
struct Layout {
    std::int64_t tensor = 1;
    std::int64_t data = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1;
    std::int64_t groups = 1;  ///< alike, each with requests of its own

    bool operator==(const Layout&) const = default;
    std::int64_t devices() const { return tensor * data * pipeline * groups; }
    /// Ranks with requests of their own.
    std::int64_t ranks() const { return data * groups; }
};

/// Widths and arithmetic of products; a precision names both (int4_weights: stored in 4 bits, computed in 16).
struct ServedWords {
    silicon::Precision products = silicon::Precision::bfloat16;
    silicon::Precision experts = silicon::Precision::bfloat16;
    double kv_bytes = 2.0;  ///< of a cached word

    bool operator==(const ServedWords&) const = default;
};

// Room of weights and caches on each device of a layout.
//
// Counted: weights as cut by the layout (layers over the pipeline; heads of keys and values copied where devices exceed
// them; latent projections on every rank), and each request's cache in whole blocks. Activations are not: the engine's
// memory_share leaves them the rest. Pure; thread-safe.

/// On each device.
double weight_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words);

/// Of a request of `tokens`, on each device; whole blocks of `block_tokens`.
double cache_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words, std::int64_t tokens,
                   std::int64_t block_tokens);

/// Why the layout does not cut the model into equal parts; "" if it does.
std::string layout_problem(const DecoderSizes& sizes, const Layout& layout);

}  // namespace tilewright::llm
