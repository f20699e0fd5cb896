#include "maestro/forms/mapping_form.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "maestro/analysis/motion.hpp"
#include "maestro/dataflow/einsums.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {
namespace {

// Reason for no mapping; caught in mapping_form().
struct Refusal {
    std::string reason;
};

class Former {
   public:
    Former(const Layer& layer, const Einsum& einsum) : layer_(layer), problem_(problem_of(layer)), einsum_(einsum) {
        extents_ = problem_.extents;  // of the current tile; of images in outputs
        if (!problem_.windows) return;
        extents_[Axis::Y] = outputs(Axis::Y, Axis::out_y);
        extents_[Axis::X] = outputs(Axis::X, Axis::out_x);
    }

    MappingForm run(const std::vector<Level>& levels) {
        std::vector<MappingLevel> made;
        MappingForm form;
        form.einsum = einsum_;
        std::int64_t instances = 1;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            add_memory("level " + std::to_string(i), instances, form.architecture);
            made.push_back(level_of(levels[i]));
            instances *= levels[i].clusters;
        }
        add_memory("unit", instances, form.architecture);
        form.architecture.name = "levels";
        form.architecture.compute.instances = instances;
        form.architecture.compute.mesh = {instances, 1};
        made.push_back(innermost());
        form.mapping = tilewright::mapping_of(made);
        return form;
    }

   private:
    std::int64_t outputs(Axis image, Axis out) const {
        const Axis window = filter_along(image);
        const std::int64_t reach = (problem_.extents[window] - 1) * problem_.dilation[window] + 1;
        const std::int64_t count = problem_.extents[out];
        if ((count - 1) * problem_.stride[image] + reach != problem_.extents[image])
            throw Refusal{"no window reaches the end of " + std::string(name_of(image))};
        return count;
    }

    void add_memory(const std::string& name, std::int64_t instances, Architecture& architecture) const {
        Memory memory;
        memory.name = name;
        memory.instances = instances;
        memory.mesh = {instances, 1};
        architecture.memories.push_back(std::move(memory));
    }

    Loop loop(Axis axis, std::int64_t extent, LoopKind kind) const {
        const int dimension = find_dimension(einsum_, dimension_of(axis, layer_.type));
        if (dimension < 0) throw Refusal{"the einsum has no dimension for " + std::string(name_of(axis))};
        return {dimension, extent, extent, kind};
    }

    MappingLevel level_of(const Level& level) {
        MappingLevel made;
        made.keep = TensorSet::all(einsum_.tensor_count());
        const std::vector<Axis> diagonal = diagonal_of(level);
        for (const Map& map : level.maps) {
            if (std::find(diagonal.begin(), diagonal.end(), map.axis) != diagonal.end()) continue;
            add_map(level, map, made);
        }
        for (const Axis axis : diagonal)
            if (axis == Axis::R || axis == Axis::S) {
                made.spatial.push_back(loop(axis, extents_[axis], LoopKind::spatial_x));
                extents_[axis] = 1;
            }
        if (made.spatial.size() > 1) throw Refusal{"several spatial maps of a level move together"};
        return made;
    }

    // Image and filter moving together, a row each: the units share their outputs.
    std::vector<Axis> diagonal_of(const Level& level) const {
        std::vector<Axis> spatial;
        for (const Map& map : level.maps)
            if (map.spatial && map.size == 1) spatial.push_back(map.axis);
        if (spatial.size() != 2 || !problem_.windows) return {};
        if (window_of(spatial[1]) == spatial[0]) std::swap(spatial[0], spatial[1]);
        if (window_of(spatial[0]) != spatial[1] || extents_[spatial[0]] != 1) return {};
        return extents_[spatial[1]] <= level.clusters ? spatial : std::vector<Axis>{};
    }

    // Elements of the map's tile, of images in outputs.
    std::int64_t tile_of(const Level& level, const Map& map) const {
        const std::int64_t size = std::min(map.size, level.extents[map.axis]);
        if (!problem_.windows || !window_of(map.axis)) return std::min(size, extents_[map.axis]);
        const Axis window = filter_along(map.axis);
        const std::int64_t reach = (extents_[window] - 1) * problem_.dilation[window] + 1;
        if (size < reach) throw Refusal{to_text(map) + " makes no output"};
        return std::min((size - reach) / problem_.stride[map.axis] + 1, extents_[map.axis]);
    }

    void add_map(const Level& level, const Map& map, MappingLevel& made) {
        const std::int64_t tile = tile_of(level, map);
        const std::int64_t count = extents_[map.axis] / tile;
        if (extents_[map.axis] % tile != 0) throw Refusal{to_text(map) + " does not divide its dimension"};
        const bool image = problem_.windows && window_of(map.axis).has_value();
        const std::int64_t step = image ? tile * problem_.stride[map.axis] : tile;
        if (count > 1 && map.offset != step) throw Refusal{to_text(map) + " repeats or skips"};
        extents_[map.axis] = tile;
        if (walk_of(map, level.extents[map.axis], level.clusters).positions != count)
            throw Refusal{to_text(map) + " has a tile without output"};
        if (count == 1) return;
        if (!map.spatial) return made.temporal.push_back(loop(map.axis, count, LoopKind::temporal));
        if (count > level.clusters && count % level.clusters != 0)
            throw Refusal{to_text(map) + " leaves units idle in its last fold"};
        if (count > level.clusters) made.temporal.push_back(loop(map.axis, count / level.clusters, LoopKind::temporal));
        made.spatial.push_back(loop(map.axis, std::min(count, level.clusters), LoopKind::spatial_x));
    }

    MappingLevel innermost() const {
        MappingLevel made;
        made.keep = TensorSet::all(einsum_.tensor_count());
        for (const Axis axis : problem_.coupled)
            if (extents_[axis] > 1) made.temporal.push_back(loop(axis, extents_[axis], LoopKind::temporal));
        return made;
    }

    const Layer& layer_;
    CompleteLayer problem_;
    const Einsum& einsum_;
    Extents extents_;
};

}  // namespace

std::variant<MappingForm, std::string> mapping_form(const Layer& layer, const std::vector<Level>& levels) {
    if (layer.type == LayerType::lstm) return std::string("an LSTM layer joins two dimensions of its einsum");
    const auto einsum = einsum_of(layer);
    if (const auto* reason = std::get_if<std::string>(&einsum)) return *reason;
    try {
        return Former(layer, std::get<Einsum>(einsum)).run(levels);
    } catch (const Refusal& refusal) {
        return refusal.reason;
    }
}

}  // namespace tilewright::dataflow
