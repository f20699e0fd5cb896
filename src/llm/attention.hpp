// Attention in a cascade: the statistics of a softmax over keys, with the contractions for the scores and for the mix
// of values.
//
// Independent of names: softmax is recognised by its `online` statistics; from there backwards through elementwise
// einsums to the contractions of its operands, and forwards to the readers of its results. Pure; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::llm {

/// Scores, softmax and mix of one attention for a single kernel: one contraction each for scores and mix.
struct Attention {
    std::vector<int> einsums;  ///< ascending
    int scores = 0;            ///< the contraction
    int mix = 0;               ///< likewise
    std::int64_t groups = 1;   ///< of keys: heads of keys and values of all prompts
    std::int64_t rows = 1;     ///< queries over the same keys
    std::int64_t keys = 1;     ///< per row
    std::int64_t width = 1;    ///< of a key, and of a value
    bool has_cache = false;    ///< keys lie in a cache: a query sees earlier ones only

    bool operator==(const Attention&) const = default;
};

/// By einsum.
std::vector<bool> attention_einsums(const Cascade& cascade);

/// Those in the form of an Attention: keys and values of equal width.
std::vector<Attention> plain_attentions(const Cascade& cascade);

}  // namespace tilewright::llm
