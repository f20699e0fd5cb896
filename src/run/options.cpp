#include "run/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/threads.hpp"
#include "mapper/by_name/by_name.hpp"
#include "run/composition.hpp"

namespace tilewright {
namespace {

struct Known {
    MapperKind kind;
    std::string_view name;
    bool ends_by_itself;
};

// A mapper is a file of its own, a line in make_mapper() and one here.
constexpr std::array kMappers{Known{MapperKind::automatic, "automatic", true},
                              Known{MapperKind::optimal, "optimal", true},
                              Known{MapperKind::hybrid, "hybrid", false},
                              Known{MapperKind::anneal, "anneal", false},
                              Known{MapperKind::genetic, "genetic", false},
                              Known{MapperKind::random, "random", false},
                              Known{MapperKind::linear_pruned, "linear-pruned", true},
                              Known{MapperKind::exhaustive, "exhaustive", true},
                              Known{MapperKind::loma, "loma", true},
                              Known{MapperKind::salsa, "salsa", true},
                              Known{MapperKind::cosa, "cosa", true},
                              Known{MapperKind::timeloop_hybrid, "timeloop-hybrid", false},
                              Known{MapperKind::timeloop_random, "timeloop-random", false},
                              Known{MapperKind::timeloop_random_pruned, "timeloop-random-pruned", false},
                              Known{MapperKind::timeloop_linear_pruned, "timeloop-linear-pruned", false}};

const Known& known(MapperKind mapper) { return *std::ranges::find(kMappers, mapper, &Known::kind); }

// What stands against the options of Timeloop's searches, or "".
std::string problem_with_timeloops(const MapOptions& options, MapperKind mapper) {
    constexpr std::int64_t kMostStreams = 65536;
    if (!is_timeloops(mapper))
        return options.streams || options.timeout ? "streams and timeout are for the mappers timeloop-..." : "";
    if (options.streams && (*options.streams < 1 || *options.streams > kMostStreams))
        return fmt::format("streams are 1 to {}, not {}", kMostStreams, *options.streams);
    if (options.timeout && *options.timeout < 0) return "timeout is not negative";
    return "";
}

}  // namespace

bool is_timeloops(MapperKind mapper) { return name_of(mapper).starts_with("timeloop-"); }

std::string_view name_of(MapperKind mapper) { return known(mapper).name; }

std::optional<MapperKind> mapper_kind_named(std::string_view name) {
    const auto* const found = std::ranges::find(kMappers, name, &Known::name);
    if (found == kMappers.end()) return std::nullopt;
    return found->kind;
}

bool always_provable(FactorRule rule) { return rule == FactorRule::perfect || rule == FactorRule::padded; }

bool sometimes_provable(FactorRule rule) { return always_provable(rule) || rule == FactorRule::ruby_s; }

bool ends_by_itself(MapperKind mapper) { return known(mapper).ends_by_itself; }

MapperKind intended_mapper(const MapOptions& options) {
    if (options.mapper != MapperKind::automatic) return options.mapper;
    return sometimes_provable(options.factors) ? MapperKind::optimal : MapperKind::hybrid;
}

std::string problem_with(const MapOptions& options) {
    const MapperKind mapper = intended_mapper(options);
    if (std::string problem = problem_with_threads(options.threads); !problem.empty()) return problem;
    if (std::string problem = refusal(capabilities_of(options)); !problem.empty()) return problem;
    if (mapper == MapperKind::cosa && options.factors != FactorRule::perfect)
        return fmt::format("the mapper cosa knows perfect factors only, not {}", name_of(options.factors));
    if (const std::string problem = problem_with_timeloops(options, mapper); !problem.empty()) return problem;
    if (options.evaluations.value_or(0) < 0 || options.victory.value_or(0) < 0 || options.largest_space < 0)
        return "evaluations, victory and largest_space are not negative";
    for (const std::optional<double>& limit : {options.time_limit_seconds, options.layer_time_limit_seconds})
        if (limit && !(*limit >= 0.0)) return "a time limit is a number and not negative";
    return "";
}

std::optional<double> seconds_of_layer(const MapOptions& options) {
    if (!options.layer_time_limit_seconds) return options.time_limit_seconds;
    return std::min(*options.layer_time_limit_seconds,
                    options.time_limit_seconds.value_or(*options.layer_time_limit_seconds));
}

std::string objective_text(const Objective& objective) {
    const char* const ties = objective.faster_of_equals ? ",latency" : "";
    if (objective.kind != ObjectiveKind::weighted) return std::string(objective_name(objective.kind)) + ties;
    return fmt::format("energy^{}*latency^{}{}", objective.energy_weight, objective.latency_weight, ties);
}

}  // namespace tilewright
