// Which einsums of a cascade are attention: the statistics of a softmax over keys, and around them the contractions
// that make the scores and that mix the values.
//
// Nothing goes by names: softmax is what declares its statistics `online`; from there it goes back through elementwise
// einsums to the contractions that make its operands, and on to those that read its results. Pure; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::llm {

/// Scores, softmax and mix of one attention that a single kernel may run: one contraction makes the scores, one mixes.
struct Attention {
    std::vector<int> einsums;  ///< ascending
    int scores = 0;            ///< the contraction
    int mix = 0;               ///< likewise
    std::int64_t groups = 1;   ///< of keys: heads of keys and values of all prompts
    std::int64_t rows = 1;     ///< of queries that meet the same keys
    std::int64_t keys = 1;     ///< that each row meets
    std::int64_t width = 1;    ///< of a key, and of a value
    bool has_cache = false;    ///< keys lie in a cache: a query meets those before it only

    bool operator==(const Attention&) const = default;
};

/// By einsum.
std::vector<bool> attention_einsums(const Cascade& cascade);

/// Those that have the form of an Attention; keys and values of other widths than each other have not.
std::vector<Attention> plain_attentions(const Cascade& cascade);

}  // namespace tilewright::llm
