// MapOptions: how a layer is mapped. The defaults are those of `tilewright map`.
//
//     MapOptions options;  // the best energy-delay product, proven where that is quick
//     options.objective = {.kind = ObjectiveKind::latency};
//     options.mapper = MapperKind::hybrid;
//     options.evaluations = 20'000;
//
// Plain values, read by all and changed by none: threads may share them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mapspace/factors/factor_rule.hpp"
#include "model/objective.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

class Mapper;

/// Who searches. `automatic` is `optimal` where its proof may be expected within seconds a layer, and `hybrid` in its
/// place elsewhere. All others are the strategies of mapper/mapper.hpp.
enum class MapperKind {
    automatic,
    optimal,
    hybrid,
    anneal,
    genetic,
    random,
    linear_pruned,
    exhaustive,
    loma,
    salsa,
    cosa,
    timeloop_hybrid,
    timeloop_random,
    timeloop_random_pruned,
    timeloop_linear_pruned
};

/// "optimal", "linear-pruned", ...: as make_mapper() has them; "automatic".
std::string_view name_of(MapperKind mapper);
/// Reads one of these; nothing for any other text.
std::optional<MapperKind> mapper_kind_named(std::string_view name);

/// Whether the optimal mapper has a proof for a factor rule, however many mappings there are.
bool always_provable(FactorRule rule);
/// Likewise, though it may take so long that it has to be asked for.
bool sometimes_provable(FactorRule rule);

/// Whether a mapper comes to an end that no limit sets.
bool ends_by_itself(MapperKind mapper);

/// Whether it is one of Timeloop's own searches (mapper/timeloop/timeloop.hpp).
bool is_timeloops(MapperKind mapper);

struct MapOptions {
    MapperKind mapper = MapperKind::automatic;
    Objective objective;
    FactorRule factors = FactorRule::perfect;  ///< `padded`: the layer and all forms padded to fill a fan-out
    bool uneven = false;                       ///< uneven mappings too: of the optimal mapper

    std::uint64_t seed = 1;
    int threads = 0;  ///< 0: all there are; does not change the answer
    /// Mappings to cost per layer at most; the optimal mapper ends with its proof instead.
    std::optional<std::int64_t> evaluations;
    /// Legal mappings in a row without improvement after which a layer is done; 0: never; empty: the mapper's own.
    std::optional<std::int64_t> victory;
    std::int64_t largest_space = 100'000'000;  ///< that exhaustive does not refuse; 0: takes any
    /// Of Timeloop's searches: how many of its threads there are, each with its share of the factorisations, and after
    /// how many illegal mappings in a row one gives up (0: never); empty: 1 and 1000.
    std::optional<std::int64_t> streams;
    std::optional<std::int64_t> timeout;
    /// Of wall clock, for all layers together; the answer then depends on the machine's speed.
    std::optional<double> time_limit_seconds;
    /// Likewise, for each layer.
    std::optional<double> layer_time_limit_seconds;
    /// Where the mapper finds no legal mapping, the optimal one searches after it.
    bool optimal_after_failure = false;

    /// Makes the mapper that `mapper` names, for a layer: for those with options of their own (CoSA's weights, the
    /// lengths of SALSA's chains). Empty: as make_mapper() does. Called from any thread.
    std::function<std::unique_ptr<Mapper>(const Einsum&)> made_by;
};

/// `automatic` as one of the others: the mapper that is meant before any layer is looked at.
MapperKind intended_mapper(const MapOptions& options);

/// What the search of one layer may take: the shorter of both limits.
std::optional<double> seconds_of_layer(const MapOptions& options);

/// What stands against these options, in one sentence, or "": uneven mappings of a mapper that knows none, say.
std::string problem_with(const MapOptions& options);

/// "energy", "latency", "edp", "pareto", "energy^2*latency^1", "edp,latency": parse_objective() reads it back.
std::string objective_text(const Objective& objective);

}  // namespace tilewright
