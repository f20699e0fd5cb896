// Room of weights and caches on each device of a layout.
//
// Counted: weights as cut by the layout (layers over the pipeline; heads of keys and values copied where devices exceed
// them; latent projections on every rank), and each request's cache in whole blocks. Activations are not: the engine's
// memory_share leaves them the rest. Pure; thread-safe.
#pragma once

#include "llm/server/engine.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::llm {

/// On each device.
double weight_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words);

/// Of a request of `tokens`, on each device; whole blocks of `block_tokens`.
double cache_bytes(const DecoderSizes& sizes, const Layout& layout, const ServedWords& words, std::int64_t tokens,
                   std::int64_t block_tokens);

/// Why the layout does not cut the model into equal parts; "" if it does.
std::string layout_problem(const DecoderSizes& sizes, const Layout& layout);

}  // namespace tilewright::llm
