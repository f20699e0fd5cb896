// ZigZag's own counting (`--account zigzag`), to the digit: word accesses, energy, utilisation, double buffering,
// stalls, loading and unloading of one layer under an uneven mapping.
//
// Closed form over each operand's loops: energy from a fractional spatial mapping, latency from its truncation.
// docs/zigzag.md lists the departures from real hardware; the exact model (model/exact/model.hpp) shares nothing with
// this one. ZigZag 3.8.5: zigzag/cost_model/cost_model.py.
//
// Pure functions of values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zigzag/accounting/array.hpp"
#include "zigzag/accounting/movement.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/accounting/port_time.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

/// One operand at one memory level, all instances.
struct LevelCost {
    int memory = 0;                    ///< index into Accelerator::memories
    PerDirection<std::int64_t> words;  ///< accesses of port-wide words
    PerDirection<double> energy_pj_by_direction;
    double energy_pj = 0.0;
    // Shares of one instance:
    double utilization = 0.0;
    double shared_utilization = 0.0;     ///< with the other operands of the memory
    double effective_utilization = 0.0;  ///< of the data needed at a time
    double effective_shared_utilization = 0.0;
    double buffered_utilization = 0.0;  ///< effective and shared, with the second halves of double buffers
    bool double_buffered = false;
    // Per period of the flow:
    PerDirection<std::int64_t> transfer_cycles;
    PerDirection<std::int64_t> allowed_cycles;
    PerDirection<double> loading_cycles;  ///< exposed part of a first load or a last store
};

/// One flow on one port.
struct PortActivity {
    int operand = 0;  ///< of the layer
    int level = 0;
    Direction direction = Direction::read_down;
    Activity transfer;
};

struct PortCost {
    int memory = 0;
    int port = 0;
    std::vector<PortActivity> activities;
    std::int64_t window_cycles = 0;  ///< union of the activities' windows; 0 for a single activity
    std::int64_t stall_cycles = 0;   ///< negative: slack
};

struct Latency {
    std::int64_t ideal_cycles = 0;           ///< with every unit busy
    std::int64_t ideal_temporal_cycles = 0;  ///< of the temporal loops
    std::int64_t stall_cycles = 0;
    double onloading_cycles = 0.0;
    double offloading_cycles = 0.0;

    std::int64_t spatial_stall_cycles() const { return ideal_temporal_cycles - ideal_cycles; }
    std::int64_t computation() const { return ideal_temporal_cycles + stall_cycles; }
    double with_onloading() const { return static_cast<double>(computation()) + onloading_cycles; }
    double total() const { return with_onloading() + offloading_cycles; }
    /// Busy share of the units' time over `cycles`.
    double utilization(double cycles) const { return static_cast<double>(ideal_cycles) / cycles; }
};

struct Result {
    /// Set if the accelerator cannot run the mapping; the fields below are then meaningless.
    std::string refusal;

    Nest nest;
    std::vector<OperandMovement> movement;        ///< by operand, fractional unrolling
    std::vector<OperandMovement> movement_whole;  ///< by operand, whole unrolling
    std::vector<std::vector<LevelCost>> levels;   ///< [operand][level]
    std::vector<PortCost> ports;                  ///< those in use
    std::vector<Onloading> onloading;             ///< by input: Layer::operands without the result
    double mac_energy_pj = 0.0;
    std::optional<ArrayEnergy> array;  ///< of arrays computing in memory: mac_energy_pj by part, with precharging
    double memory_energy_pj = 0.0;
    Latency latency;

    double energy_pj() const { return memory_energy_pj + mac_energy_pj; }
};

/// Both readings of one unrolling.
struct SpatialPair {
    SpatialMapping fractional;
    SpatialMapping whole;
    ArrayUnrolling unrolling;
};

SpatialPair spatial_pair(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling);

/// Reason why the layer cannot run on this accelerator, or not with this mapping; or "".
std::string refusal_of(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping);

/// Requires derived values. An unsuitable layer or mapping gives a result with `refusal`. Throws OverflowError.
Result evaluate(const Accelerator& accelerator, const Layer& layer, const SpatialPair& spatial,
                const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
