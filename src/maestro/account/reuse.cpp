#include "maestro/account/reuse.hpp"

#include <algorithm>

namespace tilewright::maestro {
namespace {

using dataflow::Axis;
using dataflow::Level;
using dataflow::Map;

bool has(const std::vector<Axis>& axes, Axis axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

Elements elements_of(const Map& map, std::int64_t extent) {
    const std::int64_t steady = std::max<std::int64_t>((extent - map.size) / map.offset, 0);
    const bool has_edge = steady * map.offset + map.size < extent || map.size > extent;
    std::int64_t rest = extent - (steady + 1) * map.offset;
    if (rest < 0) rest = extent;
    Elements elements;
    elements.mapped = map.size;
    elements.unique = !map.spatial && extent <= map.size ? 0 : std::min(map.size, map.offset);
    elements.mapped_edge = has_edge ? rest : map.size;
    // Also without an edge: the tool means all of the last tile and gets nothing.
    elements.unique_edge = std::max<std::int64_t>(map.offset - (map.size - rest), 0);
    return elements;
}

// Outputs of an image tile under the same level's filter tile; without strides, as in the tool.
Elements outputs_of(const Map& map, const Elements& image, const Elements& filter) {
    Elements outputs;
    outputs.mapped = image.mapped - filter.mapped + 1;
    outputs.unique = std::min(map.offset, map.size);
    outputs.mapped_edge = image.mapped_edge - filter.mapped_edge + 1;
    outputs.unique_edge = std::min(map.offset, outputs.mapped_edge);
    return outputs;
}

std::int64_t or_one(std::int64_t unique) { return unique == 0 ? 1 : unique; }

// Innermost map past its first tile, or -1.
int changing_map(const Case& one) {
    for (int i = static_cast<int>(one.states.size()) - 1; i >= 0; --i)
        if (!one.states[i].is_init()) return i;
    return -1;
}

}  // namespace

Reuse::Reuse(const Level& level, const Coupling& coupling)
    : level_(&level), coupling_(&coupling), edge_(maestro::edge_clusters(level)) {
    for (const Map& map : level.maps) elements_.push_back(elements_of(map, level.extents[map.axis]));
    outputs_ = elements_;
    for (std::size_t i = 0; i < level.maps.size(); ++i) {
        const Map& map = level.maps[i];
        if (map.axis != Axis::Y && map.axis != Axis::X) continue;
        for (std::size_t j = 0; j < level.maps.size(); ++j)
            if (level.maps[j].axis == dataflow::filter_along(map.axis))
                outputs_[i] = outputs_of(map, elements_[i], elements_[j]);
    }
}

bool Reuse::coupled(const std::vector<Axis>& tensor, std::size_t map) const {
    return has(tensor, level_->maps[map].axis);
}

std::int64_t Reuse::first_tile(const Elements& elements, bool spatial, const State& state, Who who) const {
    if (!spatial) return state.init_edge ? elements.mapped_edge : elements.mapped;
    if (!state.is_edge()) return elements.mapped;
    if (edge_ == 1) return who.first || who.partial ? elements.mapped_edge : 1;
    if (edge_ > 1) return who.partial ? elements.mapped_edge : elements.mapped;
    return 1;
}

std::int64_t Reuse::ingress_of(const std::vector<Axis>& tensor, const Case& one, Who who) const {
    const int changing = changing_map(one);
    if (changing >= 0 && !coupled(tensor, changing)) return 0;
    bool wraps = false;  // a coupled inner map restarts
    for (std::size_t i = changing + 1; changing >= 0 && i < one.states.size(); ++i)
        wraps = wraps || (coupled(tensor, i) && one.states[i].is_init() && !one.states[i].unrolled);
    std::int64_t volume = 1;
    for (int i = 0; i < static_cast<int>(one.states.size()); ++i) {
        if (!coupled(tensor, i)) continue;
        const Elements& of = elements_[i];
        const State& state = one.states[i];
        const bool spatial = level_->maps[i].spatial;
        const bool moves = i == changing && !wraps;
        if (changing < 0) {
            volume *= first_tile(of, spatial, state, who);
        } else if (!spatial) {
            if (state.is_init())
                volume *= state.init_edge ? of.mapped_edge : of.mapped;
            else
                volume *= moves ? std::max<std::int64_t>(of.unique, 1) : of.mapped;
        } else {
            const std::int64_t full = who.partial ? of.mapped_edge : of.mapped;
            const std::int64_t unique = who.partial ? of.unique_edge : of.unique;
            const bool shared = state.is_init() ? i > changing : moves;
            volume *= !who.first && shared ? unique : full;
        }
    }
    return volume;
}

std::int64_t Reuse::ingress(const std::vector<Axis>& tensor, const Case& one) const {
    const State* spatial = nullptr;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        if (level_->maps[i].spatial && coupled(tensor, i)) spatial = &one.states[i];
    if (spatial == nullptr) return ingress_of(tensor, one, kFirst);
    if (!spatial->is_edge())
        return ingress_of(tensor, one, kFirst) + (level_->clusters - 1) * ingress_of(tensor, one, kOther);
    const bool partial = spatial->partial_last;
    std::int64_t sum = ingress_of(tensor, one, {true, edge_ == 1 && partial});
    if (edge_ <= 1) return sum;
    sum += std::max<std::int64_t>(edge_ - (partial ? 1 : 0) - 1, 0) * ingress_of(tensor, one, kOther);
    return sum + (partial ? ingress_of(tensor, one, kPartial) : 0);
}

std::int64_t Reuse::reduced(const Elements& of, bool spatial, const State& state, Who who) const {
    if (!spatial) return state.is_edge() ? of.mapped_edge : of.mapped;
    const std::int64_t usual = who.first ? of.mapped : or_one(of.unique);
    if (state.is_init()) return state.is_edge() && who.partial ? of.mapped_edge : usual;
    if (state.position == Position::steady) return usual;
    if (edge_ == 1) return who.first || who.partial ? of.mapped_edge : 1;
    if (edge_ > 1) return who.partial ? of.unique_edge : usual;
    return 1;
}

std::int64_t Reuse::produced(std::size_t map, const State& state, Who who, bool reuse_at_edge) const {
    const Elements& of = outputs_[map];
    const bool spatial = level_->maps[map].spatial;
    if (!spatial) return state.is_edge() ? of.mapped_edge : of.mapped;
    const std::int64_t usual = who.first ? of.mapped : or_one(of.unique);
    if (state.is_init()) {
        if (!state.is_edge() || !who.partial) return usual;
        return edge_ == 1 || !reuse_at_edge ? of.mapped_edge : of.unique_edge;
    }
    if (state.position == Position::steady) return usual;
    if (edge_ == 1) return who.first || who.partial ? elements_[map].mapped_edge : 1;  // the input's tile
    if (edge_ > 1) return who.partial ? of.unique_edge : usual;
    return 1;
}

std::int64_t Reuse::egress_of(const Case& one, bool sums, Who who, bool reuse_at_edge) const {
    std::int64_t volume = 1;
    for (std::size_t i = 0; i < one.states.size(); ++i) {
        if (coupled(coupling_->output, i))
            volume *= produced(i, one.states[i], who, reuse_at_edge);
        else if (sums)
            volume *= reduced(elements_[i], level_->maps[i].spatial, one.states[i], who);
    }
    return volume;
}

std::int64_t Reuse::egress(const Case& one) const {
    const State* spatial = nullptr;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        if (level_->maps[i].spatial && coupled(coupling_->output, i)) spatial = &one.states[i];
    if (spatial == nullptr) return egress_of(one, false, kFirst, true);
    if (!spatial->is_edge())
        return egress_of(one, false, kFirst, true) + (level_->clusters - 1) * egress_of(one, false, kOther, true);
    const bool partial = spatial->partial_last;
    std::int64_t sum = egress_of(one, false, {true, edge_ == 1 && partial}, true);
    if (edge_ <= 1) return sum;
    sum += std::max<std::int64_t>(edge_ - (partial ? 1 : 0) - 1, 0) * egress_of(one, false, kOther, true);
    return sum + (partial ? egress_of(one, false, kPartial, true) : 0);
}

std::int64_t Reuse::critical_operations(const Case& one) const {
    bool partial = false;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        if (level_->maps[i].spatial) partial = one.states[i].is_edge() && one.states[i].partial_last;
    return egress_of(one, true, {true, edge_ == 1 && partial}, true);
}

std::int64_t Reuse::operations(const Case& one) const {
    const State* spatial = nullptr;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        if (level_->maps[i].spatial) spatial = &one.states[i];
    if (spatial == nullptr) return egress_of(one, true, kFirst, true);
    if (!spatial->is_edge()) return level_->clusters * egress_of(one, true, kFirst, true);
    const std::int64_t partial = spatial->partial_last ? 1 : 0;
    return (edge_ - partial) * egress_of(one, true, kFirst, true) + partial * egress_of(one, true, kPartial, false);
}

std::int64_t Reuse::l1_size(const std::vector<Axis>& tensor) const {
    std::int64_t words = 2;
    for (std::size_t i = 0; i < elements_.size(); ++i)
        if (coupled(tensor, i)) words *= elements_[i].mapped;
    return words;
}

dataflow::Extents Reuse::tile(const Case& one, bool partial) const {
    dataflow::Extents tile;
    for (std::size_t i = 0; i < one.states.size(); ++i) {
        const bool edge = one.states[i].is_edge() && (!level_->maps[i].spatial || edge_ == 1 || partial);
        tile[level_->maps[i].axis] = edge ? elements_[i].mapped_edge : elements_[i].mapped;
    }
    return tile;
}

const State& Reuse::spatial_state(const Case& one) const {
    for (std::size_t i = 0; i < one.states.size(); ++i)
        if (level_->maps[i].spatial) return one.states[i];
    return one.states.front();
}

namespace {

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
