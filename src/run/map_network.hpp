// Maps a network: every distinct layer once, side by side on all threads.
//
//     AnswerCache cache;                                                   // shared by as many runs as there are
//     const NetworkProblem problem = network_problem(network, architecture);
//     const NetworkAnswer answer = map_network(problem, {}, {.cache = &cache});
//     const std::optional<NetworkTotals> all = totals(problem, answer);    // 1.2e9 pJ, 3,456,789 cycles
//
// Values in, values out: any number of threads may call map_network() at once, with one cache for all of them. The
// answers are the same on any number of threads, but for a time limit and a stop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapspace/constraints.hpp"
#include "run/answer_cache.hpp"
#include "run/map_layer.hpp"
#include "run/options.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// A layer shape, and all layers of the network that have it.
struct ShapeProblem {
    std::vector<std::string> names;  ///< of the layers, in network order; never empty
    std::string op;                  ///< of the first of them
    std::int64_t repeats = 1;        ///< summed over the layers
    LayerProblem layer;
};

/// All shapes of a network on one machine. Owns all of it.
struct NetworkProblem {
    std::string name;
    std::vector<ShapeProblem> shapes;  ///< in order of first appearance
};

/// What mappings of a layer have to be like, on the machine of the problem; throws what it likes.
using ConstraintsOf = std::function<Constraints(const Einsum&)>;

/// What decides what a layer costs besides its einsum and the machine: what LayerProblem says of the same name.
struct LayerDetails {
    Words words = {};
    std::optional<sparse::Design> zeros = {};

    bool operator==(const LayerDetails&) const = default;
};

/// By layer of the network.
using DetailsOf = std::function<LayerDetails(std::size_t layer)>;

/// The distinct layers of a network on a machine. `constraints`: asked once for each, in order; empty: there are none.
/// `details`: layers of one einsum whose details differ are several shapes; empty: there are none.
NetworkProblem network_problem(const Network& network, const Architecture& architecture,
                               const ConstraintsOf& constraints = {}, const DetailsOf& details = {});

/// How far map_network() is.
struct NetworkProgress {
    enum class Event { begins, searches, ends };
    Event event = Event::begins;
    std::size_t shape = 0;                  ///< whose event this is
    std::size_t done = 0;                   ///< shapes that have ended
    std::size_t shapes = 0;                 ///< of the network
    const LayerProgress* search = nullptr;  ///< of `searches`: what the mapper has found so far
};

/// Maps a shape of the problem in the place of map_layer(), or gives nothing and leaves it to that; called from any
/// thread.
using MapsShape = std::function<std::optional<LayerAnswer>(std::size_t shape, const MapOptions&, const SearchControl&)>;

/// What a run shares with others, how it is watched and stopped.
struct NetworkControl {
    AnswerCache* cache = nullptr;
    const StopSource* stop = nullptr;  ///< once requested, layers that were begun have their best so far as answers
    std::function<void(const NetworkProgress&)> progress = {};  ///< calls come one at a time, but from any thread
    MapsShape map_shape = {};  ///< asked before the cache, which knows answers of map_layer() only; empty: map_layer()
};

struct NetworkAnswer {
    std::vector<LayerAnswer> layers;  ///< by shape of the problem
    bool interrupted = false;         ///< stopped: every answer is the best so far, or says that it was not searched
};

/// Maps every shape, in order as threads become free; layers share the threads, and so do the parts of each. Under a
/// time limit a legal mapping of every shape is drawn first (but on sparse machines, and for mappers with cost models
/// of their own), and then the searches share what is left as they begin. Throws what map_layer() throws, OverflowError
/// as an InputError(overflow) that names the layer; where one layer throws, no other begins.
NetworkAnswer map_network(const NetworkProblem& problem, const MapOptions& options = {},
                          const NetworkControl& control = {});

/// Sums over a network, each layer as often as it runs.
struct NetworkTotals {
    double energy_pj = 0.0;
    std::int64_t cycles = 0;  ///< one layer after the other
};

/// Nothing where a layer has no mapping. Throws OverflowError.
std::optional<NetworkTotals> totals(const NetworkProblem& problem, const NetworkAnswer& answer);

}  // namespace tilewright
