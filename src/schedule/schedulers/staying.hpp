// Outputs that stay: tensors kept in the scratchpad for their consumer layers, with addresses (docs/schedule.md).
//
//     std::vector<NetworkStep> steps = ...;  // the layers in execution order
//
//     std::vector<StayingTensor> tensors = tensors_that_may_stay(steps, machine);
//
//     std::optional<StayingPlan> plan = best_staying(steps, tensors, machine, objective, {}, costs);
//
// A staying tensor is whole: from its producer's first operation to its consumers' last. Layers in between have less
// room. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "schedule/problem/layer.hpp"
#include "schedule/problem/machine.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

/// One layer of a network, in its place.
struct NetworkStep {
    ConvLayer layer;              ///< one image, one group
    std::int64_t groups = 1;      ///< run in sequence; the step's tensors hold all of them
    std::int64_t images = 1;      ///< each of which goes through all layers before the next one
    std::int64_t repeats = 1;     ///< of the layer in the network
    std::vector<int> reads = {};  ///< producers of its input: one, or several concatenated or added
};

/// A step's output, and its consumers.
struct StayingTensor {
    int step = 0;
    std::vector<int> readers = {};  ///< ascending; never empty
    std::int64_t bytes = 0;         ///< of all channels of one image
    int set = 0;                    ///< tensors read together stay together
    std::int64_t address = 0;       ///< its address; 0 until decided

    bool operator==(const StayingTensor&) const = default;
};

/// Outputs with consumers of nothing else: the sizes exclude pooling or addition in between, and several sources are
/// concatenated. None if outputs and inputs differ in bytes per element.
std::vector<StayingTensor> tensors_that_may_stay(const std::vector<NetworkStep>& steps, const MultiNpu& machine);

struct LayerCost {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;

    bool operator==(const LayerCost&) const = default;
};
/// Costs of all layers of one step together, with Kept::below_bytes 0; empty for an unschedulable one.
using LayerCosts = std::function<std::vector<std::optional<LayerCost>>(const std::vector<ConvLayer>&)>;

struct StayingPlan {
    std::vector<Kept> kept;              ///< by step
    std::vector<StayingTensor> tensors;  ///< the staying ones
    LayerCost cost;                      ///< of the network, repeats counted, without `beside`
};

/// The tensors and places of minimum objective over the whole network, `beside` added. Dynamic programming over the
/// steps: among equal tensors, places never smaller and not cheaper are dropped, and so are all but 1,024 useful pairs
/// of latency and traffic. `costs` is asked step by step. Empty if a layer is unschedulable by itself.
std::optional<StayingPlan> best_staying(const std::vector<NetworkStep>& steps,
                                        const std::vector<StayingTensor>& tensors, const MultiNpu& machine,
                                        const Objective& objective, const LayerCost& beside, const LayerCosts& costs);

/// Minimum latency and minimum traffic, separately over all choices: with lower bounds as costs, a bound on the network
/// whatever stays. Requires bounds that never fall with less scratchpad.
LayerCost least_staying(const std::vector<NetworkStep>& steps, const std::vector<StayingTensor>& tensors,
                        const MultiNpu& machine, const LayerCosts& bounds);

/// The same schedule with its blocks `bytes` further up.
Schedule moved_up(Schedule schedule, std::int64_t bytes);

}  // namespace tilewright::schedule
