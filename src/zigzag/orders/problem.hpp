// Searching loop orders: the problem, what a search may spend, and what it found.
//
// ZigZag, LOMA and SALSA fix the spatial mapping and search only the order of the temporal loops' prime factors; which
// memory keeps which loops follows from the order (zigzag/accounting/allocation.hpp). Not every mapping is an
// allocated order, but every order is one mapping, even or uneven.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/count.hpp"
#include "base/stop.hpp"
#include "mapspace/order_chain.hpp"
#include "model/objective.hpp"
#include "zigzag/accounting/allocation.hpp"
#include "zigzag/lean/order_evaluator.hpp"
#include "zigzag/search/given_order.hpp"

namespace tilewright::orders {

/// Energies are ZigZag's either way.
enum class LatencyModel {
    zigzag,
    stalls  ///< ours (zigzag/stalls/stalls.hpp); it honours forced double buffers
};

struct OrderProblem {
    zigzag::Accelerator accelerator;
    zigzag::Layer layer;
    zigzag::SpatialMapping fractional;
    zigzag::SpatialMapping whole;
    zigzag::Evenness evenness = zigzag::Evenness::uneven;
    zigzag::ArrayUnrolling unrolling;  ///< only for LatencyModel::stalls
    LatencyModel latency = LatencyModel::zigzag;
    zigzag::GivenOrder given;  ///< the only orders that are searched begin and end so
};

struct Settings {
    Objective objective{ObjectiveKind::energy};
    int lpf_limit = 6;                       ///< loma: prime factors to be ordered at most (but one for each dimension)
    Cooling cooling;                         ///< salsa
    std::optional<std::int64_t> iterations;  ///< of one chain of annealing; empty: 1000 for salsa, 20000 for anneal
    std::int64_t chains = 1;                 ///< annealing: independent runs, of which the best counts
    /// Longer enumerations are not begun.
    std::int64_t most_orders = 1'000'000'000;
    std::uint64_t seed = 1;
    int threads = 1;  ///< 0: all there are; does not change the result
    const StopSource* stop = nullptr;
    std::optional<double> seconds;  ///< for all layers together; search_layers() gives each its share as a deadline
    Deadline deadline = std::nullopt;

    /// Whether to end with what there is. A search asks at least ten times a second.
    bool ended() const { return (stop != nullptr && stop->requested()) || passed(deadline); }
};

/// The best order found and how.
struct Found {
    zigzag::LoopOrder order;  ///< empty when no order that was seen fits
    Score score;
    std::int64_t evaluations = 0;
    std::int64_t fitting = 0;  ///< evaluated orders that the memories can hold
    bool complete = false;     ///< no order is better: all were seen, or none of the others can be
    bool interrupted = false;

    /// Takes over what `later` found, unless this one is as good.
    void merge(const Found& later);
};

}  // namespace tilewright::orders
