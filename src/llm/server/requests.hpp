// Requests one by one through a server with continuous batching, in vLLM's order (version 1 of its scheduler).
//
// A step has a budget of tokens. Running requests come first, in the order in which they began; then waiting ones by
// arrival, while budget, places and blocks of the cache last. Prompts are computed in chunks. Without a block the
// youngest running request gives up its cache and waits again, before all others; a step that takes a cache away begins
// nothing. Deterministic; no state beside the arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "llm/server/step.hpp"

namespace tilewright::llm {

struct Request {
    double arrival_s = 0.0;
    std::int64_t prompt = 1;
    std::int64_t output = 1;

    bool operator==(const Request&) const = default;
};

struct RequestTimes {
    double first_s = 0.0;  ///< first token
    double last_s = 0.0;
    std::int64_t preempted = 0;

    bool operator==(const RequestTimes&) const = default;
};

struct QueueLimits {
    std::int64_t places = 256;
    std::int64_t step_tokens = 2048;
    std::int64_t blocks = 0;  ///< 0: endless
    std::int64_t block_tokens = 16;
    bool finds_again = true;  ///< a request that gave up its cache finds the blocks not taken since (prefix caching)
};

struct Simulated {
    std::vector<RequestTimes> requests;  ///< in the order given
    std::int64_t steps = 0;
    std::int64_t preemptions = 0;

    bool operator==(const Simulated&) const = default;
};

/// Time of a step, us.
using StepUs = std::function<double(const Step&)>;

/// Throws InputError(bad_value) for a request that all blocks together do not hold.
Simulated simulate(const std::vector<Request>& requests, const QueueLimits& limits, const StepUs& step_us);

}  // namespace tilewright::llm
