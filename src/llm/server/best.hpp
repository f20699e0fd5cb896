// The best server on a number of devices: every layout and every number of requests that fits is evaluated.
//
// Of what meets the limits the most tokens a second win, then the least time per token, then the first in order; so the
// answer is the best of its space by exhaustion. Deterministic. Space: all layouts that cut the model into equal parts
// and use all devices in equal groups; where `apart`, also groups that only prefill (without a pipeline) beside groups
// that decode; and for each every number of requests a rank from one to the most that its memory holds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "llm/server/closed_loop.hpp"
#include "llm/server/requests.hpp"

namespace tilewright::llm {

/// Upper bounds; empty: none.
struct ServiceLimits {
    std::optional<double> tpot_us = {};
    std::optional<double> ttft_us = {};
    std::optional<double> latency_us = {};

    bool met_by(const Served& served, std::int64_t output) const {
        return (!tpot_us || served.tpot_us < *tpot_us) && (!ttft_us || served.ttft_us < *ttft_us) &&
               (!latency_us || served.latency_us(output) < *latency_us);
    }
};

struct Deployment {
    Layout layout;                  ///< decodes, and prefills if nothing else does
    std::optional<Layout> prefill;  ///< groups apart

    bool operator==(const Deployment&) const = default;
    std::int64_t devices() const { return layout.devices() + (prefill ? prefill->devices() : 0); }
};

/// Equal groups on all the devices; in order of a group's devices, pipeline, tensor, expert.
std::vector<Layout> layouts_of(const DecoderSizes& sizes, std::int64_t devices);

/// With groups apart: behind those without.
std::vector<Deployment> deployments_of(const DecoderSizes& sizes, std::int64_t devices, bool apart);

/// What serves on a layout's devices.
struct ServerOf {
    std::function<StepCosts(const Layout&)> costs;                          ///< of one group
    std::function<double(const Layout&)> weight_bytes;                      ///< on each device
    std::function<double(const Layout&, std::int64_t tokens)> cache_bytes;  ///< of a request, on each device
    std::optional<double> memory_bytes;                                     ///< of each device; empty: unknown
    Engine engine;
};

/// Of an accelerator by its kernels. Everything is copied; not thread-safe.
ServerOf kernel_server(const silicon::Accelerator& machine, const DecoderSizes& sizes, const ServedWords& words,
                       const Engine& engine, std::optional<double> memory_bytes);

/// Requests of `tokens` each that one rank holds, at most the engine's places.
std::int64_t most_requests(const ServerOf& server, const Layout& layout, std::int64_t tokens);

/// Blocks of the cache beside the weights, as the engine says or as fit; 0: endless.
std::int64_t cache_blocks(const ServerOf& server, const Layout& layout);

struct ServedCase {
    Deployment deployment;
    Load load;
    Served served;
    std::int64_t most_requests = 0;                ///< that fit, on all ranks
    std::optional<std::int64_t> most_within = {};  ///< the most of them within the limits; empty: not asked
    double weight_bytes = 0.0;                     ///< on each device that decodes
    double cache_bytes = 0.0;                      ///< the same, of its share of the requests
    std::optional<double> memory_bytes = {};

    double tokens_per_second() const;
    /// Of what decodes; empty without a meter's numbers.
    std::optional<double> joules_per_token() const;
};

/// One load on one deployment.
ServedCase served_case(const ServerOf& server, const Deployment& deployment, const Load& load);

/// Requests one by one, dealt to the ranks in turn by arrival.
Simulated serve_requests(const ServerOf& server, const Layout& layout, const std::vector<Request>& requests);

struct BestCounts {
    std::int64_t deployments = 0;  ///< compared
    std::int64_t too_large = 0;    ///< of them: not one request fits
    std::int64_t cases = 0;        ///< deployments and loads: all evaluated
    std::int64_t missed = 0;       ///< of them: beyond a limit
};

struct BestServer {
    std::vector<ServedCase> best;  ///< of each deployment that meets the limits, the best first
    BestCounts counts;
};

/// `load.requests` is ignored: all are tried.
BestServer best_server(const std::vector<Deployment>& deployments, const Load& load, const ServiceLimits& limits,
                       const ServerOf& server);

}  // namespace tilewright::llm
