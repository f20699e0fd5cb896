// Spatial skipping: empty tiles reduce the instances in use (Timeloop, storage-gs-analyzer.cpp, from
// InitializeSpatialInstances to SummarizeAndPropagateSpatialCapacityReduction). Position 0 is the compute units,
// position i + 1 is storage level i.
#include <algorithm>
#include <cmath>

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

class Instances {
   public:
    explicit Instances(SparseState& state) : state_(state) {
        const auto positions = static_cast<std::size_t>(state.storages()) + 1;
        for (int t = 0; t < state.tensor_count(); ++t) {
            used_.emplace_back(1, state.compute.expansion);
            for (const SparseTensor& level : state.tensors[t]) used_.back().push_back(level.expansion);
            share_.emplace_back(positions, 1.0);
            reduced_.emplace_back(positions, 0);
        }
    }

    void run() {
        for (int t = 0; t < state_.tensor_count(); ++t)
            for (int s = 0; s < state_.storages(); ++s) leave_out_empty(t, s);
        for (int t = 0; t < state_.tensor_count(); ++t) push_representation(t);
        for (int s = 0; s < state_.storages(); ++s)
            for (const sparse::OptionGroup& group : state_.built(s).spatial_skipping) skip(s, group.front());
        for (int t = 0; t < state_.tensor_count(); ++t) summarize(t);
        for (int t = 0; t < state_.tensor_count(); ++t) check_fanouts(t);
    }

   private:
    static std::int64_t scaled(std::int64_t count, double ratio) { return counted(static_cast<double>(count) * ratio); }

    int keeper_from(int tensor, int storage) const {
        while (storage < state_.storages() - 1 && !state_.tensors[tensor][storage].kept()) ++storage;
        return storage;
    }

    /// Stored elements of a fibre of `bound` tiles.
    double elements_in(int tensor, const Extents& inside, const FullLoop& loop) const {
        Extents fibre_box = inside;
        fibre_box[loop.dimension] *= loop.bound;
        const sparse::Tile fibre = state_.tile(tensor, fibre_box);
        const sparse::Tile element = state_.tile(tensor, inside);
        const std::int64_t parts = sparse::elements(fibre) / sparse::elements(element);
        const sparse::Occupancy& occupancy = *state_.occupancy[tensor];
        const std::int64_t most = occupancy.most(fibre);
        if (!occupancy.name().starts_with("banded")) {
            if (sparse::elements(fibre) % sparse::elements(element) != 0)
                state_.refuse(-1, "a fibre is no whole number of tiles; Timeloop exits on it");
            return static_cast<double>(std::min(parts, most));
        }
        // Timeloop takes the probability of an empty tile, where a non-empty one is meant.
        const double empty = occupancy.probability_within(element, 0, {fibre, sparse::elements(fibre), most});
        return std::ceil(static_cast<double>(parts) * empty);
    }

    static void shrink(Mesh& used, LoopKind kind, double ratio) {
        std::int64_t& axis = kind == LoopKind::spatial_x ? used.x : used.y;
        axis = scaled(axis, ratio);
    }

    /// Empty tiles of a compressed tensor go to no instance.
    void leave_out_empty(int tensor, int storage) {
        if (!state_.tensors[tensor][keeper_from(tensor, storage)].has_metadata()) return;
        double effectual = 1.0;
        bool first = true;
        const std::vector<FullLoop>& level = state_.loops[storage];
        for (int j = 0; j < static_cast<int>(level.size()); ++j) {
            const FullLoop& loop = level[j];
            if (!loop.is_spatial() || loop.bound <= 1 || !state_.is_relevant(tensor, loop.dimension)) continue;
            const Extents inside = state_.box_inside(storage, j);
            if (first) effectual = 1.0 - state_.occupancy[tensor]->empty(state_.tile(tensor, inside));
            first = false;
            shrink(used_[tensor][storage], loop.kind,
                   elements_in(tensor, inside, loop) / static_cast<double>(loop.bound));
        }
        share_[tensor][storage] = effectual;
        reduced_[tensor][storage] = effectual != 1.0 ? 1 : 0;
    }

    void push_representation(int tensor) {
        for (int position = state_.storages(); position > 0; --position) {
            SparseTensor& level = state_.tensors[tensor][position - 1];
            const double x = ratio(used_[tensor][position].x, level.expansion.x);
            const double y = ratio(used_[tensor][position].y, level.expansion.y);
            if (x == 1.0 && y == 1.0) continue;
            level.expansion = used_[tensor][position];
            level.instances = level.dense.replication * share_[tensor][position - 1];
            push_inwards(tensor, position, x, y, [&](int inner) { return reduced_[tensor][inner] != 0; });
        }
        state_.compute.expansion = used_[tensor][0];
        state_.compute.instances = share_[tensor][0];
    }

    static double ratio(std::int64_t part, std::int64_t whole) {
        return quotient(static_cast<double>(part), static_cast<double>(whole));
    }

    /// Fewer outer instances leave fewer inner ones: the share, up to a level with its own.
    template <typename HasOwn>
    void push_inwards(int tensor, int position, double x, double y, const HasOwn& has_own) {
        bool crossed = false;
        const double share = share_[tensor][position];
        for (int inner = position - 1; inner >= 0; --inner) {
            used_[tensor][inner].x = scaled(used_[tensor][inner].x, x);
            used_[tensor][inner].y = scaled(used_[tensor][inner].y, y);
            crossed = crossed || has_own(inner);
            if (!crossed) share_[tensor][inner] *= share;
        }
    }

    /// All temporal loops inside the target's first relevant one: the target is stationary under them.
    void widen_by_stay(int target, int storage, Extents& inside) const {
        for (int s = storage; s <= keeper_from(target, storage); ++s)
            for (const FullLoop& loop : state_.loops[s]) {
                if (loop.is_spatial() || loop.bound <= 1) continue;
                if (state_.is_relevant(target, loop.dimension)) return;
                inside[loop.dimension] *= loop.bound;
            }
    }

    void skip(int storage, const sparse::Option& option) {
        double share = 1.0;
        int counter = -1;  // carried from one condition to the next
        for (const int condition : option.conditions) share *= share_with(storage, option, condition, counter);
        share_[option.target][storage] = share;
        state_.avoided[option.target][storage].spatially = true;
    }

    double share_with(int storage, const sparse::Option& option, int condition, int& counter) {
        const int target = option.target;
        int holder = storage;
        while (holder < state_.storages() && !state_.tensors[condition][holder].kept()) ++holder;
        if (holder == state_.storages() || !state_.tensors[condition][holder].has_metadata()) return 1.0;
        std::optional<double> share;
        for (const FullLoop& loop : state_.loops[storage]) {
            ++counter;
            if (!loop.is_spatial() || loop.bound <= 1 || !state_.is_relevant(condition, loop.dimension)) continue;
            if (counter > static_cast<int>(state_.loops[storage].size()))
                state_.refuse(storage,
                              "Timeloop reads past the loops of this level for the second condition of its "
                              "spatial skipping: its result is undefined");
            Extents inside = state_.box_inside(storage, counter);
            if (child_below(target, storage) && state_.is_relevant(target, loop.dimension))
                widen_by_stay(target, storage, inside);
            if (!share) share = 1.0 - state_.occupancy[condition]->empty(state_.tile(condition, inside));
            shrink(used_[target][storage], loop.kind,
                   elements_in(condition, inside, loop) / static_cast<double>(loop.bound));
        }
        return share.value_or(1.0);
    }

    bool child_below(int tensor, int storage) const {
        for (int s = storage - 1; s >= 0; --s)
            if (state_.tensors[tensor][s].kept()) return true;
        return false;
    }

    void summarize(int tensor) {
        std::vector<Mesh> before;
        for (const SparseTensor& level : state_.tensors[tensor]) before.push_back(level.expansion);
        for (int position = state_.storages(); position >= 0; --position) {
            double x = 1.0;
            double y = 1.0;
            if (position > 0) {
                SparseTensor& level = state_.tensors[tensor][position - 1];
                level.expansion = used_[tensor][position];
                level.instances = level.dense.replication * share_[tensor][position];
                x = ratio(used_[tensor][position].x, before[position - 1].x);
                y = ratio(used_[tensor][position].y, before[position - 1].y);
            } else {
                summarize_computes(tensor);
            }
            if (position < state_.storages())
                state_.avoided[tensor][position].spatial_share = 1.0 - share_[tensor][position];
            if (x != 1.0 || y != 1.0)
                push_inwards(tensor, position, x, y,
                             [&](int inner) { return state_.avoided[tensor][inner].spatially; });
        }
    }

    void summarize_computes(int tensor) {
        SparseCompute& compute = state_.compute;
        const Mesh& used = used_[tensor][0];
        const double instances = state_.replication * share_[tensor][0];
        if (tensor == 0) {
            compute.expansion = used;
            compute.instances = instances;
            return;
        }
        compute.expansion = {std::max(compute.expansion.x, used.x), std::max(compute.expansion.y, used.y)};
        compute.instances = std::max(compute.instances, instances);
    }

    void check_fanouts(int tensor) const {
        for (int position = 0; position < state_.storages(); ++position) {
            const Mesh fanout = state_.architecture.fanout(state_.storages() - 1 - position);
            const Mesh& inner = used_[tensor][position];
            const Mesh& outer = used_[tensor][position + 1];
            if (outer.x == 0 || outer.y == 0)
                state_.refuse(position, "spatial skipping leaves it no instance; Timeloop divides by 0");
            if (inner.x / outer.x > fanout.x || inner.y / outer.y > fanout.y)
                state_.refuse(position, "it would need a larger fan-out than it has; Timeloop refuses it");
        }
    }

    SparseState& state_;
    std::vector<std::vector<Mesh>> used_;     ///< by tensor, by position
    std::vector<std::vector<double>> share_;  ///< likewise, of non-empty tiles
    std::vector<std::vector<char>> reduced_;
};

}  // namespace

void skip_instances(SparseState& state) {
    for (int s = 0; s < state.storages(); ++s)
        if (!state.built(s).spatial_skipping.empty()) return Instances(state).run();
}

}  // namespace tilewright::account
