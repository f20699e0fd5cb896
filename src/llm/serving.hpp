// Serving a language model: demands on a machine, and costs, by phase.
//
// Values; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workload/zoo/cascades.hpp"

namespace tilewright::llm {

/// One phase of serving: `tokens` of every prompt are computed at once, after `context` cached ones.
struct Point {
    Phase phase = Phase::prefill;
    std::int64_t batch = 1;    ///< prompts at once
    std::int64_t tokens = 1;   ///< of each prompt: all of it in prefill, one in decode
    std::int64_t context = 0;  ///< of each prompt
    std::int64_t devices = 1;  ///< sharing each block (tensor parallel)

    bool operator==(const Point&) const = default;
    /// Tokens made or taken in by a run of the phase.
    std::int64_t all_tokens() const { return batch * tokens; }
};

/// The model at a point. Throws as zoo_cascade(): for a name that is no language model, for an unknown extent.
Cascade cascade_at(const std::string& model, const Point& point);

/// A cascade's text with a point's numbers: "@batch", "@tokens" and "@context", "@all" for context and tokens together,
/// "@last" for the last of the tokens. Throws OverflowError.
std::string at_point(std::string text, const Point& point);

/// A language model: its name, and its cascade at a point.
struct Model {
    std::string name;
    std::function<Cascade(const Point&)> at;

    /// Of the zoo.
    Model(const std::string& zoo_name)
        : name(zoo_name), at([zoo_name](const Point& point) { return cascade_at(zoo_name, point); }) {}
    Model(const char* zoo_name) : Model(std::string(zoo_name)) {}
    Model(std::string its_name, std::function<Cascade(const Point&)> cascade)
        : name(std::move(its_name)), at(std::move(cascade)) {}
};

/// Share of the time by bound: "memory", "compute", ...
struct BoundShare {
    std::string bound;
    double share = 0.0;  ///< of all seconds

    bool operator==(const BoundShare&) const = default;
};

/// What einsums that share loops (fusion) bring to a run.
struct FusedPhase {
    double unfused_seconds = 0.0;    ///< einsum by einsum; 0: that has no cost
    double unfused_energy_pj = 0.0;  ///< likewise
    /// What no fused mapping is below, in seconds or pJ as the objective has it; empty: of a product.
    std::optional<double> bound = {};

    bool operator==(const FusedPhase&) const = default;
};

/// Cost of one run of the phase: time to first token in prefill, time per output token in decode.
struct PhaseCosts {
    Point point;
    double weight_bytes = 0.0;             ///< on each device
    double cache_bytes = 0.0;              ///< on each device: keys and values, or states, after the run
    std::optional<double> capacity_bytes;  ///< of each device; empty: not given
    double seconds = 0.0;
    double energy_pj = 0.0;  ///< of all devices and their links
    /// By the energies of the machine's file, if above the power limit: `energy_pj` is then the devices' energy at the
    /// limit.
    std::optional<double> unlimited_energy_pj = {};
    double attention_seconds = 0.0;        ///< of scores, softmax and the mix of values
    double collective_seconds = 0.0;       ///< of sums over the devices
    std::int64_t collectives = 0;          ///< how many of them
    std::vector<BoundShare> bounds;        ///< the largest first
    std::optional<FusedPhase> fused = {};  ///< where fusion was asked for
    double cell_writes = 0.0;  ///< into each programmed cell (Memory::write_stall_cycles), the mean of all; 0: none is
    std::vector<std::string> failures = {};  ///< einsums without a cost, with reasons; the sums above exclude them

    bool is_complete() const { return failures.empty() && seconds > 0.0 && energy_pj > 0.0; }
    /// Empty with a missing cost: a partial cost is not that of serving.
    std::optional<double> tokens_per_second() const {
        if (!is_complete()) return std::nullopt;
        return static_cast<double>(point.all_tokens()) / seconds;
    }
    std::optional<double> tokens_per_joule() const {
        if (!is_complete()) return std::nullopt;
        return static_cast<double>(point.all_tokens()) / (energy_pj * 1e-12);
    }
    double attention_share() const { return seconds > 0.0 ? attention_seconds / seconds : 0.0; }
    double collective_share() const { return seconds > 0.0 ? collective_seconds / seconds : 0.0; }
    double room_bytes() const { return weight_bytes + cache_bytes; }
    /// Weights and cache fit in the memory; empty for an unknown size.
    std::optional<bool> fits() const {
        if (!capacity_bytes) return std::nullopt;
        return room_bytes() <= *capacity_bytes;
    }
};

}  // namespace tilewright::llm
