// A server with a fixed number of requests under way: time per token, time to the first, throughput.
//
//     ClosedLoop loop(costs, engine, layout);
//     const Served served = loop.served({.requests = 64, .prompt = 1024, .output = 1024});
//
// While a request makes its tokens the others' prompts pass once: `mix` of them between its tokens, the rest before
// first tokens. Disaggregated, prompts wait for groups of their own and the cache moves over the network. Step costs
// are remembered; not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "llm/server/step.hpp"

namespace tilewright::llm {

struct Load {
    std::int64_t requests = 1;  ///< under way in all groups together
    std::int64_t prompt = 1024;
    std::int64_t output = 128;

    bool operator==(const Load&) const = default;
};

struct Served {
    double tpot_us = 0.0;
    double ttft_us = 0.0;
    double step_us = 0.0;                      ///< of decodes alone
    double requests_per_us = 0.0;              ///< of all groups: Little's law
    double busy = 0.0;                         ///< of the groups that prefill; 0: they decode, too
    std::optional<double> watts = {};          ///< mean of one device while it decodes
    std::optional<double> prefill_watts = {};  ///< mean of one device of the groups that only prefill

    double latency_us(std::int64_t output) const { return ttft_us + static_cast<double>(output - 1) * tpot_us; }
};

/// Groups that only prefill.
struct PrefillGroups {
    Layout layout;  ///< `groups` of them
    StepCosts costs;
    double cache_bytes = 0.0;  ///< of a prompt, on all devices of a group together
};

class ClosedLoop {
   public:
    ClosedLoop(StepCosts costs, const Engine& engine, const Layout& layout)
        : costs_(std::move(costs)), engine_(engine), layout_(layout) {}

    Served served(const Load& load);
    Served served_apart(const Load& load, const PrefillGroups& prefill);

    /// Of one rank and micro-batch, us: a step of decodes; the time that one prompt adds to the steps that it shares
    /// with `batch` decodes, of which `batch` / `output` end in a step.
    StepCost step(std::int64_t batch, std::int64_t prompt, std::int64_t output);
    double prompt_us(std::int64_t batch, std::int64_t prompt, std::int64_t output);

   private:
    std::int64_t micro_batch(const Load& load) const;

    StepCosts costs_;
    Engine engine_;
    Layout layout_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, double> prompts_;
};

}  // namespace tilewright::llm
