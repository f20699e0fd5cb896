// Outputs that stay: which tensors wait in the scratchpad for the layers that read them, and where (docs/schedule.md).
//
//     std::vector<NetworkStep> steps = ...;  // the layers in the order in which they run
//
//     std::vector<StayingTensor> tensors = tensors_that_may_stay(steps, machine);
//
//     std::optional<StayingPlan> plan = best_staying(steps, tensors, machine, objective, {}, costs);
//
// A tensor that stays is whole: from the first operation of the layer that makes it to the last of the layers that read
// it. The layers in between have less room. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "schedule/problem/layer.hpp"
#include "schedule/problem/machine.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

/// One layer of a network, where it runs.
struct NetworkStep {
    ConvLayer layer;           ///< one image, one group
    std::int64_t groups = 1;   ///< that run one after the other; the tensors of the step hold all of them
    std::int64_t images = 1;   ///< each of which goes through all layers before the next one
    std::int64_t repeats = 1;  ///< of the layer in the network
    std::vector<int> reads =
        {};  ///< the steps whose results are its input: one, or several that are concatenated or added
};

/// A step's output, and who reads it.
struct StayingTensor {
    int step = 0;
    std::vector<int> readers = {};  ///< ascending; never empty
    std::int64_t bytes = 0;         ///< of all channels of one image
    int set = 0;                    ///< tensors that some step reads together stay together
    std::int64_t address = 0;       ///< where it stays; 0 until that is decided

    bool operator==(const StayingTensor&) const = default;
};

/// Outputs that only layers read which take nothing else: the sizes say that nothing was pooled or added in between,
/// and several sources are concatenated. None where outputs and inputs differ in bytes per element.
std::vector<StayingTensor> tensors_that_may_stay(const std::vector<NetworkStep>& steps, const MultiNpu& machine);

/// What a layer costs when it runs once.
struct LayerCost {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;

    bool operator==(const LayerCost&) const = default;
};
/// Of layers, Kept::below_bytes being 0, all of one step together; nothing for one that cannot be scheduled.
using LayerCosts = std::function<std::vector<std::optional<LayerCost>>(const std::vector<ConvLayer>&)>;

struct StayingPlan {
    std::vector<Kept> kept;              ///< by step
    std::vector<StayingTensor> tensors;  ///< those that stay
    LayerCost cost;                      ///< of the network, repeats counted, without what was given beside it
};

/// The choice of tensors and places that minimises the objective over the whole network, `beside` added. Dynamic
/// programming over the steps: of equal tensors, places that take more of either end at some later time and cost no
/// less are dropped, and so are all but 1,024 of the pairs of latency and traffic that are worth carrying on, where
/// there are more. `costs` is asked step by step, for what is left alone. Nothing when a layer cannot be scheduled by
/// itself.
std::optional<StayingPlan> best_staying(const std::vector<NetworkStep>& steps,
                                        const std::vector<StayingTensor>& tensors, const MultiNpu& machine,
                                        const Objective& objective, const LayerCost& beside, const LayerCosts& costs);

/// The least latency and the least traffic, each over all choices by itself: with lower bounds of layers as costs, what
/// no network undercuts whatever stays. Requires bounds that do not fall when less of the scratchpad is left.
LayerCost least_staying(const std::vector<NetworkStep>& steps, const std::vector<StayingTensor>& tensors,
                        const MultiNpu& machine, const LayerCosts& bounds);

/// The same schedule with its blocks `bytes` further up.
Schedule moved_up(Schedule schedule, std::int64_t bytes);

}  // namespace tilewright::schedule
