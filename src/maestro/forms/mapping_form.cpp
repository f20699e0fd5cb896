#include "maestro/forms/mapping_form.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "maestro/analysis/motion.hpp"
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

namespace {

// Reason for no dataflow; caught in dataflow_form().
struct NoDataflow {
    std::string reason;
};

class DataflowFormer {
   public:
    DataflowFormer(const Layer& layer, const Einsum& einsum) : problem_(problem_of(layer)), tile_(problem_.extents) {
        for (Axis axis : problem_.coupled) {
            const int dimension = find_dimension(einsum, dimension_of(axis, layer.type));
            if (problem_.windows && axis == Axis::Y) axis = Axis::out_y;
            if (problem_.windows && axis == Axis::X) axis = Axis::out_x;
            check_reach(axis);
            if (dimension >= 0) axes_.push_back({dimension, axis});
        }
    }

    DataflowForm run(const std::vector<MappingLevel>& levels) {
        for (std::size_t i = 0; i + 1 < levels.size(); ++i) add_level(levels[i]);
        if (!levels.back().spatial.empty())
            throw NoDataflow{"the innermost memory hands tiles on to several units, whose tiles are single elements"};
        return std::move(form_);
    }

   private:
    struct Known {
        int dimension;
        Axis axis;
    };

    bool is_filter_side(Axis axis) const { return problem_.windows && (axis == Axis::R || axis == Axis::S); }
    static Axis slid_by(Axis window) { return window == Axis::R ? Axis::out_y : Axis::out_x; }

    void check_reach(Axis axis) const {
        if (axis != Axis::out_y && axis != Axis::out_x) return;
        const Axis image = axis == Axis::out_y ? Axis::Y : Axis::X;
        const Axis window = filter_along(image);
        const std::int64_t reach = (problem_.extents[window] - 1) * problem_.dilation[window] + 1;
        if ((problem_.extents[axis] - 1) * problem_.stride[image] + reach != problem_.extents[image])
            throw NoDataflow{"no window reaches the end of " + std::string(name_of(image))};
    }

    Axis axis_of(const Loop& loop) const {
        if (!loop.is_perfect()) throw NoDataflow{"a loop leaves a remainder"};
        for (const Known& known : axes_)
            if (known.dimension == loop.dimension) return known.axis;
        throw NoDataflow{"a dimension of the einsum is none of the notation's"};
    }

    // Without single-step loops.
    std::vector<Loop> moving(const std::vector<Loop>& loops) const {
        std::vector<Loop> left;
        for (const Loop& loop : loops)
            if (axis_of(loop); loop.extent > 1) left.push_back(loop);
        return left;
    }

    void add_level(const MappingLevel& level) {
        const std::vector<Loop> temporal = moving(level.temporal);
        std::vector<Loop> spatial = moving(level.spatial);
        open_level();
        bool empty = temporal.empty();
        if (const bool plain = !spatial.empty() && !is_filter_side(axis_of(spatial.front())); plain || !empty) {
            add_maps(temporal, plain ? &spatial.front() : nullptr);
            if (plain) spatial.erase(spatial.begin());
            empty = false;
        }
        for (const Loop& loop : spatial) {
            if (!empty) open_level();
            empty = false;
            const Axis axis = axis_of(loop);
            if (is_filter_side(axis))
                add_diagonal(axis, loop.extent);
            else
                add_maps({}, &loop);
        }
    }

    // The Cluster above a level: its size follows from the level's spatial maps, once added.
    void open_level() {
        if (!form_.dataflow.directives.empty() || opened_) {
            Directive cluster;
            cluster.kind = DirectiveKind::cluster;
            cluster.cluster = ClusterKind::physical;
            cluster.size = Size::number(1);
            cluster_ = form_.dataflow.directives.size();
            form_.dataflow.directives.push_back(std::move(cluster));
        }
        opened_ = true;
    }

    void set_clusters(std::int64_t count) {
        form_.units = checked_mul(form_.units, count);
        if (cluster_) form_.dataflow.directives[*cluster_].size = Size::number(count);
    }

    void add_maps(const std::vector<Loop>& temporal, const Loop* spatial) {
        std::vector<Axis> seen;
        bool placed = spatial == nullptr;
        for (const Loop& loop : temporal) {
            const Axis axis = axis_of(loop);
            if (is_filter_side(axis)) throw NoDataflow{"the filter's rows or columns move over time"};
            if (std::find(seen.begin(), seen.end(), axis) != seen.end())
                throw NoDataflow{"a memory has two loops over " + std::string(name_of(axis))};
            seen.push_back(axis);
            const bool folded = spatial != nullptr && axis_of(*spatial) == axis;
            add_map(folded, axis, loop.extent * (folded ? spatial->extent : 1));
            placed = placed || folded;
        }
        if (!placed) add_map(true, axis_of(*spatial), spatial->extent);
        if (spatial != nullptr) set_clusters(spatial->extent);
    }

    void add_map(bool spatial, Axis axis, std::int64_t steps) {
        tile_[axis] /= steps;
        put(spatial, axis, tile_[axis], tile_[axis]);
    }

    void put(bool spatial, Axis axis, std::int64_t size, std::int64_t offset) {
        Directive directive;
        directive.kind = spatial ? DirectiveKind::spatial : DirectiveKind::temporal;
        directive.axis = axis;
        directive.size = Size::number(size);
        directive.offset = Size::number(offset);
        form_.dataflow.directives.push_back(std::move(directive));
    }

    // A filter row with its image row in each unit, all for one row of outputs.
    void add_diagonal(Axis window, std::int64_t units) {
        if (tile_[window] != units || tile_[slid_by(window)] != 1)
            throw NoDataflow{"the filter is split among units that do not share a row of outputs"};
        put(true, window == Axis::R ? Axis::Y : Axis::X, 1, problem_.dilation[window]);
        put(true, window, 1, 1);
        tile_[window] = 1;
        set_clusters(units);
    }

    CompleteLayer problem_;
    Extents tile_;  ///< of the present level; of images in outputs
    std::vector<Known> axes_;
    DataflowForm form_;
    std::optional<std::size_t> cluster_;  ///< of the present level; none at the top
    bool opened_ = false;
};

}  // namespace

std::variant<DataflowForm, std::string> dataflow_form(const Layer& layer, const Einsum& einsum, const Mapping& mapping,
                                                      int memories) {
    if (layer.type == LayerType::lstm) return std::string("an LSTM layer joins two dimensions of its einsum");
    if (layer.type == LayerType::pool) return std::string("pooling multiplies nothing");
    if (!is_even(mapping, memories)) return std::string("its tensors are stored at different places of the nest");
    const std::vector<MappingLevel> levels = tilewright::levels_of(mapping, memories);
    for (const MappingLevel& level : levels)
        if (level.keep != TensorSet::all(einsum.tensor_count())) return std::string("a tensor bypasses a memory");
    try {
        return DataflowFormer(layer, einsum).run(levels);
    } catch (const NoDataflow& refusal) {
        return refusal.reason;
    }
}

}  // namespace tilewright::dataflow
