// Cascades by name: language models and encoders as one workload each, in the phase of prefill or decode.
//
//     const Cascade decode = zoo_cascade("llama3-8b", {{"batch", 8}, {"context", 8191}}, Phase::decode);
//
// A block stands there once, with a count. KV caches have a batch axis; grouped queries are an axis of their own that
// folds into rows where a layer is mapped alone (cascade/layers.hpp). What is done once for a row when its statistics
// end (a root, a reciprocal) is not counted. Causal masks are not exploited. Of experts as many run as tokens can
// choose, each for the same share of tokens. Thread-safe.
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
    prefill,  ///< a prompt at once; encoders know no other
    decode,   ///< one token of every prompt, after those of the context
};

/// ZooEntry::dimensions are those of either phase.
std::vector<ZooEntry> zoo_cascades();
bool is_zoo_cascade(std::string_view name);

/// `extents`: "batch" (prompts at once, default 1), "sequence" (tokens of each that are computed now: 2048 in prefill,
/// 512 of bert-base, 1 in decode) and "context" (tokens of each that are in the cache already: 0 in prefill, 2047 in
/// decode). No phase: prefill. Throws InputError: unknown_name, with what there is, for a network, a dimension or a
/// phase that it does not have; bad_value for an extent that is not from 1 to kMostZooExtent; overflow.
Cascade zoo_cascade(std::string_view name, const std::map<std::string, std::int64_t>& extents = {},
                    std::optional<Phase> phase = std::nullopt);

/// Words of all weights, those of a block as often as it runs: the parameters of the model. Throws OverflowError.
std::int64_t parameter_count(const Cascade& cascade);

}  // namespace tilewright
