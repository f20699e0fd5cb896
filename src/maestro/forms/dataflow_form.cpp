#include <algorithm>

#include "base/numbers/checked.hpp"
#include "maestro/dataflow/einsums.hpp"
#include "maestro/dataflow/problem.hpp"
#include "maestro/forms/mapping_form.hpp"

namespace tilewright::dataflow {
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
