#include "maestro/account/cases.hpp"

namespace tilewright::maestro {
namespace {

using dataflow::Level;
using dataflow::Map;

std::vector<State> temporal_states(const Map& map, std::int64_t extent) {
    const std::int64_t steady = (extent - map.size) / map.offset;
    State first;
    first.unrolled = extent <= map.size;
    first.init_edge = extent < map.size;
    std::vector<State> states{first};
    if (map.size < extent && steady > 0) states.push_back({Position::steady, false, false, false, steady});
    if (!first.init_edge && steady * map.offset + map.size < extent)
        states.push_back({Position::edge, false, false, false, 1});
    return states;
}

std::vector<State> spatial_states(const Map& map, std::int64_t extent, std::int64_t clusters) {
    const std::int64_t covered = map.size + map.offset * (clusters - 1);
    const std::int64_t steady = ((extent - map.size) / map.offset + 1) / clusters - 1;
    State first;
    first.unrolled = extent <= covered;
    first.init_edge = first.partial_last = extent < covered;
    std::vector<State> states{first};
    if (covered < extent && steady > 0) states.push_back({Position::steady, false, false, false, steady});
    const std::int64_t fold = map.offset * clusters;
    if (extent > covered && (steady + 1) * fold + covered > extent && steady * fold + covered != extent) {
        const std::int64_t rest = extent - (steady + 1) * fold;
        const std::int64_t active = rest < map.size ? 1 : (rest - map.size) / map.offset + 1;
        const bool partial = map.offset * (active - 1) + map.size < rest;
        states.push_back({Position::edge, false, false, partial, 1});
    }
    return states;
}

// The tool advances every counter after case numbers divisible by the cases inside it.
std::size_t state_index(std::size_t number, std::size_t inside, std::size_t states) {
    return (number + inside - 1) / inside % states;
}

}  // namespace

std::int64_t edge_clusters(const Level& level) {
    for (const Map& map : level.maps) {
        if (!map.spatial) continue;
        const std::int64_t extent = level.extents[map.axis];
        const std::int64_t covered = map.offset * (level.clusters - 1) + map.size;
        if (extent > covered) {
            const std::int64_t steady = ((extent - map.size) / map.offset + 1) / level.clusters - 1;
            const std::int64_t rest = extent - (steady + 1) * map.offset * level.clusters;
            return rest < map.size ? 1 : (rest - map.size) / map.offset + 1;
        }
        if (extent <= map.size) return 1;
        const std::int64_t whole = (extent - map.size) / map.offset + 1;
        return map.offset * (whole - 1) + map.size < extent ? whole + 1 : whole;
    }
    return 0;
}

std::vector<Case> cases_of(const Level& level, const dataflow::Extents& extents) {
    std::vector<std::vector<State>> states;
    for (const Map& map : level.maps)
        states.push_back(map.spatial ? spatial_states(map, extents[map.axis], level.clusters)
                                     : temporal_states(map, extents[map.axis]));
    std::size_t total = 1;
    for (const auto& of_map : states) total *= of_map.size();
    std::vector<Case> cases(total);
    for (std::size_t number = 0; number < total; ++number) {
        std::uint32_t product = 1;
        std::size_t inside = total;
        for (const auto& of_map : states) {
            inside /= of_map.size();
            cases[number].states.push_back(of_map[state_index(number, inside, of_map.size())]);
            product *= static_cast<std::uint32_t>(cases[number].states.back().count);
        }
        cases[number].occurrences = static_cast<std::int32_t>(product);
    }
    return cases;
}

}  // namespace tilewright::maestro
