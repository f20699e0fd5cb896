// Schedule: operations of every core and transfers of the DMA engine, with times and addresses. A schedule is data;
// validate() judges it whatever its origin (validate.hpp).
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

/// Timing of transfers (Flexer, section 3.2, and the rule of real DMA engines).
/// - sum: a set's transfers run one at a time with all cores idle; the set starts after them, and the next one is
/// chosen
///   once all cores are free.
/// - overlap: transfers and operations run side by side as far as data, addresses and channels allow.
enum class LatencyRule { sum, overlap };
inline constexpr std::array<const char*, 2> kLatencyRuleNames{"sum", "overlap"};

/// load: an input, a weight, or a spilled partial sum. spill: a partial sum, out. store: a final output.
enum class TransferKind { load, spill, store };
inline constexpr std::array<const char*, 3> kTransferKindNames{"load", "spill", "store"};

struct Transfer {
    TransferKind kind = TransferKind::load;
    Operand operand = Operand::input;
    int index = 0;  ///< of the tile, numbered as in graph.hpp
    int channel = 0;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;

    bool operator==(const Transfer&) const = default;
};

/// The address of a tile in a kept tensor, without a block of its own.
inline constexpr std::int64_t kNoBlock = -1;

/// One operation on one core, with its operands' block addresses.
struct Execution {
    int operation = 0;  ///< numbered as graph.hpp says
    int core = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::array<std::int64_t, kOperands> address{};

    bool operator==(const Execution&) const = default;
};

struct Schedule {
    LatencyRule rule = LatencyRule::overlap;
    std::vector<Transfer> transfers;
    std::vector<Execution> executions;
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;

    bool operator==(const Schedule&) const = default;
};

/// Minimised by a search: latency^latency_weight * traffic^traffic_weight.
struct Objective {
    double latency_weight = 1.0;
    double traffic_weight = 1.0;

    double value(double latency_cycles, double traffic_bytes) const {
        if (latency_weight == 1.0 && traffic_weight == 1.0) return latency_cycles * traffic_bytes;
        return std::pow(latency_cycles, latency_weight) * std::pow(traffic_bytes, traffic_weight);
    }
    bool operator==(const Objective&) const = default;
};

/// Reads "latency", "traffic", "latency*traffic", "latency^2*traffic", ...: weights non-negative, not both 0.
std::optional<Objective> parse_objective(std::string_view text);
std::string to_text(const Objective& objective);

/// Smaller is better; the factors outside the objective break ties.
struct Score {
    double value = 0.0;
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;

    auto operator<=>(const Score&) const = default;
};

Score score_of(const Objective& objective, const Schedule& schedule);

// Residences: tiles in the scratchpad with address and time. For pictures and traces; validate.hpp judges
// independently.

/// A block with a tile: from the load, or the first operation of an output's chain, to its last use.
struct Residence {
    int tile = 0;  ///< of OperationGraph::tiles
    std::int64_t address = 0;
    std::int64_t begin = 0;  ///< cycles
    std::int64_t end = 0;
    std::uint64_t cores = 0;  ///< one bit per core using it
};

/// In the order of their ends. Requires a schedule accepted by validate().
std::vector<Residence> residences(const OperationGraph& graph, const Schedule& schedule);

}  // namespace tilewright::schedule
