#include "maestro/dataflow/levels.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::dataflow {
namespace {

// An error in making levels; caught in levels_of().
struct LevelMistake {
    Location where;
    std::string text;
};

std::int64_t number(const Directive& directive, const Size& size, const Extents& extents,
                    const Parameters& parameters) {
    const SizeValue value = value_of(size, extents, parameters);
    if (!value.problem.empty()) throw LevelMistake{directive.where, to_text(directive) + ": " + value.problem};
    if (value.value < 1 || value.value > 2147483647)
        throw LevelMistake{directive.where, to_text(directive) + ": sizes and offsets are from 1 to 2147483647, and " +
                                                to_text(size) + " is " + std::to_string(value.value)};
    return value.value;
}

Map* find(std::vector<Map>& maps, Axis axis) {
    const auto found = std::find_if(maps.begin(), maps.end(), [&](const Map& map) { return map.axis == axis; });
    return found == maps.end() ? nullptr : &*found;
}

class LevelMaker {
   public:
    LevelMaker(const LevelsRequest& request) : request_(request) {}

    // Steps 1 to 4 of a level: output maps, inherited maps, whole dimensions, strides.
    void complete(Level& level, const Level* above) const {
        for (Map& map : level.maps) make_input_centric(map, level.maps);
        if (above != nullptr) inherit(level, *above);
        for (const Axis axis : request_.coupled)
            if (find(level.maps, axis) == nullptr && level.extents[axis] > 0)
                level.maps.push_back({axis, false, level.extents[axis], level.extents[axis], {}, true});
        for (Map& map : level.maps) apply_stride(map, above == nullptr);
        check(level);
    }

    // The level's tiles for the next one, in operand dimensions only.
    Extents extents_below(const Level& level) const {
        Extents below;
        for (const Axis axis : request_.coupled)
            for (const Map& map : level.maps)
                if (map.axis == axis) below[axis] = std::min(map.size, level.extents[axis]);
        return below;
    }

   private:
    std::int64_t reach(Axis image) const {
        const Axis window = filter_along(image);
        return (request_.extents[window] - 1) * request_.dilation[window] + 1;
    }

    void make_input_centric(Map& map, std::vector<Map>& maps) const {
        if (map.axis != Axis::out_y && map.axis != Axis::out_x) return;
        const Axis image = map.axis == Axis::out_y ? Axis::Y : Axis::X;
        if (find(maps, image) != nullptr)
            throw LevelMistake{map.where, "the level maps both " + std::string(name_of(image)) + " and " +
                                              std::string(name_of(map.axis))};
        const Map* window = find(maps, filter_along(image));
        const std::int64_t filter = window != nullptr ? window->size : request_.extents[filter_along(image)];
        map.axis = image;
        if (request_.reading == Reading::public_tool) {
            map.size += filter - 1;
            return;
        }
        const std::int64_t stride = request_.stride[image];
        map.size = (map.size - 1) * stride + (filter - 1) * request_.dilation[filter_along(image)] + 1;
        map.offset *= stride;
    }

    static void inherit(Level& level, const Level& above) {
        for (const Map& map : above.maps)
            if (find(level.maps, map.axis) == nullptr)
                level.maps.insert(level.maps.begin(), {map.axis, false, map.size, map.offset, {}, true});
    }

    void apply_stride(Map& map, bool top) const {
        if (!window_of(map.axis) || request_.stride[map.axis] == 1) return;
        if (map.inherited && request_.reading == Reading::exact) return;
        const std::int64_t stride = request_.stride[map.axis];
        const std::int64_t filter = reach(map.axis);
        if (map.size < filter) return;
        const std::int64_t outputs = (map.size + stride - filter) / stride;
        map.offset = outputs * stride;
        if (request_.reading == Reading::exact) {
            map.size = (outputs - 1) * stride + filter;
            return;
        }
        map.size = outputs * std::min(stride, filter) + std::max<std::int64_t>(filter - stride, 0);
        if (!top && filter < stride) map.offset = outputs * filter;
    }

    static void check(const Level& level) {
        for (std::size_t i = 0; i < level.maps.size(); ++i) {
            const Map& map = level.maps[i];
            if (level.extents[map.axis] == 0)
                throw LevelMistake{map.where, to_text(map) + ": there is no dimension " +
                                                  std::string(name_of(map.axis)) + " at this cluster level"};
            for (std::size_t j = 0; j < i; ++j)
                if (level.maps[j].axis == map.axis)
                    throw LevelMistake{map.where,
                                       to_text(map) + ": the level maps " + std::string(name_of(map.axis)) + " twice"};
        }
    }

    const LevelsRequest& request_;
};

// The directives cut at the Clusters, with numbers. The caller sets the first level's clusters.
std::vector<Level> cut(const Dataflow& dataflow, const Parameters& parameters, const Extents& extents) {
    std::vector<Level> levels(1);
    for (const Directive& directive : dataflow.directives) {
        const std::int64_t size = number(directive, directive.size, extents, parameters);
        if (directive.kind == DirectiveKind::cluster) {
            levels.emplace_back();
            levels.back().clusters = size;
            levels.back().kind = directive.cluster;
            continue;
        }
        const std::int64_t offset = number(directive, directive.offset, extents, parameters);
        levels.back().maps.push_back(
            {directive.axis, directive.kind == DirectiveKind::spatial, size, offset, directive.where, false});
    }
    return levels;
}

std::int64_t clusters_at_top(const std::vector<Level>& levels, std::int64_t units) {
    std::int64_t size = 1;
    for (std::size_t i = 1; i < levels.size(); ++i) size = saturating_mul(size, levels[i].clusters);
    if (size > units)
        throw LevelMistake{
            {}, "the clusters need " + std::to_string(size) + " units, and there are " + std::to_string(units)};
    return units / size;
}

}  // namespace

std::string to_text(const Map& map) {
    return std::string(map.spatial ? "SpatialMap(" : "TemporalMap(") + std::to_string(map.size) + "," +
           std::to_string(map.offset) + ") " + std::string(name_of(map.axis));
}

std::vector<Axis> operand_axes(LayerType type) {
    using enum Axis;
    switch (type) {
        case LayerType::depthwise: return {C, N, R, S, X, Y};
        case LayerType::pool: return {C, K, N, R, S, X, Y};
        case LayerType::grouped: return {C, G, K, N, R, S, X, Y};
        case LayerType::gemm: return {K, M, N};
        default: return {C, K, N, R, S, X, Y};
    }
}

LevelsResult levels_of(const Dataflow& dataflow, const Parameters& parameters, const LevelsRequest& request) {
    LevelsResult result;
    try {
        result.levels = cut(dataflow, parameters, request.extents);
        result.levels[0].clusters = clusters_at_top(result.levels, request.units);
        result.levels[0].extents = request.extents;
        const LevelMaker maker(request);
        for (std::size_t i = 0; i < result.levels.size(); ++i) {
            if (i > 0) result.levels[i].extents = maker.extents_below(result.levels[i - 1]);
            maker.complete(result.levels[i], i > 0 ? &result.levels[i - 1] : nullptr);
        }
    } catch (const LevelMistake& problem) {
        result = {{}, problem.where, problem.text};
    }
    return result;
}

}  // namespace tilewright::dataflow
