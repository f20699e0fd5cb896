#include "timeloop/account/walk.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

using Words = std::array<std::int64_t, kMaxTensors>;
using Deltas = std::array<TensorDelta, kMaxTensors>;

struct StorageWalk {
    std::optional<BlockRules> rules;
    Deltas deltas;  ///< of the latest invocation
    int place = 0;  ///< position in the array: index into the states of this storage's levels
    std::unordered_map<std::uint64_t, int> places;  ///< by place of the outer storage and element of its block
};

class Walker {
   public:
    Walker(const Einsum& einsum, const Nest& nest, const std::vector<LevelOptions>& switches,
           const TimeloopOptions& options)
        : nest_(nest),
          switches_(switches),
          options_(options),
          tensors_(einsum.tensor_count()),
          dimensions_(einsum.dimension_count()),
          index_(nest.loops.size(), 0),
          states_(nest.loops.size()),
          storages_(nest.storages.size()) {
        for (const Tensor& tensor : einsum.tensors) projections_.emplace_back(tensor, dimensions_);
        for (std::size_t s = 0; s < storages_.size(); ++s)
            if (const auto& block = nest.storages[s].block)
                storages_[s].rules.emplace(nest, *block, projections_, switches[s].no_multicast,
                                           switches[s].no_link_transfer);
    }

    WalkCounts run() {
        enter_storage(static_cast<int>(storages_.size()) - 1, 0);
        return collect();
    }

   private:
    // --- temporal loops ---

    /// Runs storage level `storage` once, as `element` of the outer block, and sets its deltas.
    void enter_storage(int storage, std::int64_t element) {
        StorageWalk& here = storages_[storage];
        here.place = place_of(storage, element);
        const int boundary = nest_.storages[storage].boundary;
        LevelState& level = state(boundary);
        run_loop(boundary);
        const bool with_boxes = options_.link_transfers || !options_.spatial_extrapolation;
        const Iteration extent = reach(boundary);
        for (int t = 0; t < tensors_; ++t) {
            const Box tile = projections_[t].box(at_, extent);
            const int ranks = projections_[t].ranks();
            TensorState& tensor = level.tensors[t];
            tensor.most_words = std::max(tensor.most_words, words(tile, ranks));
            const ReuseRule rule{!switches_[storage].no_temporal_reuse.has(t), options_.reuse_after_pause};
            advance(tensor, tile, ranks, rule, with_boxes, here.deltas[t]);
        }
    }

    void run_loop(int level) {
        const NestLoop& entry = nest_.loops[level];
        if (entry.loop.is_spatial()) return run_block(entry.storage);
        const std::int64_t trips = trips_of(level);
        if (level == 0) return compute(trips);
        Words sent{};
        if (options_.temporal_extrapolation)
            sample(level, trips, sent);
        else
            for (std::int64_t i = 0; i < trips; ++i) accumulate(sent, step(level, 1), 1);
        rewind(level);
        if (!nest_.loops[level - 1].closes_storage) return;
        LevelState& here = state(level);
        for (int t = 0; t < tensors_; ++t)
            add(here.tensors[t].traffic, {1, 1, static_cast<double>(checked_mul(sent[t], epochs_)), 0.0, 0.0});
    }

    /// Iteration 0; iteration 1 for the middle ones; the last ones only if an inner loop of this dimension has a
    /// remainder. The last one's own words are dropped if there is a middle one to repeat.
    void sample(int level, std::int64_t trips, Words& sent) {
        const Loop& loop = nest_.loops[level].loop;
        const bool last = nest_.innermost_imperfect[loop.dimension] < level && is_last_outside(level, loop.dimension);
        const bool second_last = last && !loop.is_perfect();
        Words latest = step(level, 1);
        accumulate(sent, latest, 1);
        const std::int64_t middle = trips - 1 - (last ? 1 : 0) - (second_last ? 1 : 0);
        if (middle >= 1) {
            latest = step(level, middle);
            accumulate(sent, latest, middle);
        }
        if (second_last && trips >= 3) {
            const Words own = step(level, 1);
            if (trips == 3) latest = own;
            accumulate(sent, latest, 1);
        }
        if (last && trips >= 2) {
            const Words own = step(level, 1);
            accumulate(sent, !second_last && trips >= 3 ? latest : own, 1);
        }
    }

    /// Evaluates the body of loop `level` once, for `repeats` iterations, and advances past them. Returns the words
    /// sent to the storage level directly inside (meaningless if none).
    Words step(int level, std::int64_t repeats) {
        const std::int64_t epochs = epochs_;
        epochs_ = checked_mul(epochs_, repeats);
        const NestLoop& inner = nest_.loops[level - 1];
        Words sent{};
        if (inner.closes_storage) {
            enter_storage(inner.storage, 0);
            for (int t = 0; t < tensors_; ++t) sent[t] = storages_[inner.storage].deltas[t].words;
        } else {
            run_loop(level - 1);
        }
        epochs_ = epochs;
        move(level, repeats);
        return sent;
    }

    void accumulate(Words& total, const Words& sent, std::int64_t scale) const {
        for (int t = 0; t < tensors_; ++t) total[t] = checked_add(total[t], checked_mul(sent[t], scale));
    }

    /// The innermost loop, if temporal: one access per operation and operand.
    void compute(std::int64_t trips) {
        const std::int64_t operations = checked_mul(trips, epochs_);
        LevelState& here = state(0);
        here.compute_elements = 1;
        computes_ = checked_add(computes_, operations);
        for (int t = 0; t < tensors_; ++t)
            add(here.tensors[t].traffic, {1, 1, static_cast<double>(operations), 0.0, 0.0});
    }

    // --- spatial blocks ---

    const SpatialBlock& block_of(int storage) const {
        const std::optional<SpatialBlock>& block = nest_.storages[storage].block;
        if (!block) throw std::logic_error("a storage level without a spatial block");
        return *block;
    }

    BlockRules& rules_of(int storage) {
        std::optional<BlockRules>& rules = storages_[storage].rules;
        if (!rules) throw std::logic_error("a storage level without a spatial block");
        return *rules;
    }

    void run_block(int storage) {
        const SpatialBlock& block = block_of(storage);
        LevelState& here = state(block.master);
        const Iteration extent = reach(block.master);
        for (int t = 0; t < tensors_; ++t) {
            TensorState& tensor = here.tensors[t];
            tensor.most_words =
                std::max(tensor.most_words, words(projections_[t].box(at_, extent), projections_[t].ranks()));
        }
        if (block.first == 0 || options_.spatial_extrapolation)
            run_alike(storage, here);
        else
            run_each(storage, here);
    }

    /// All elements get displaced copies of element 0's part.
    void run_alike(int storage, LevelState& here) {
        const SpatialBlock& block = block_of(storage);
        const BlockPattern& pattern = rules_of(storage).pattern(dimensions_at_last(block.master));
        BlockContents contents{.pattern = &pattern, .elements = pattern.elements, .sets = {}};
        Words sent{};
        if (block.first == 0) {
            here.compute_elements = std::max(here.compute_elements, pattern.elements);
            computes_ = checked_add(computes_, checked_mul(pattern.elements, epochs_));
            for (int t = 0; t < tensors_; ++t) sent[t] = 1;
        } else {
            enter_storage(storage - 1, 0);
            for (int t = 0; t < tensors_; ++t) sent[t] = storages_[storage - 1].deltas[t].words;
        }
        std::array<TrafficTable, kMaxTensors> traffic;
        for (int t = 0; t < tensors_; ++t)
            for (const MulticastGroups& groups : pattern.groups[t])
                if (sent[t] > 0) add(traffic[t], groups.traffic(sent[t], epochs_));
        if (options_.link_transfers) {
            for (int t = 0; t < tensors_; ++t)
                contents.sets[t] = {block.first == 0 ? BoxSet{projections_[t].box(at_, {})}
                                                     : storages_[storage - 1].deltas[t].boxes};
            link(storage, std::move(contents), here, traffic);
        }
        charge(here, traffic);
    }

    /// Every element is evaluated separately.
    void run_each(int storage, LevelState& here) {
        BlockContents contents;
        visit_elements(block_of(storage).master, storage, 0, contents);
        std::array<TrafficTable, kMaxTensors> traffic;
        for (int t = 0; t < tensors_; ++t)
            for (const MulticastGroups& groups : rules_of(storage).groups(contents, t, {}))
                add(traffic[t], groups.traffic(1, epochs_));
        if (options_.link_transfers) link(storage, std::move(contents), here, traffic);
        charge(here, traffic);
    }

    void visit_elements(int level, int storage, std::int64_t base, BlockContents& contents) {
        const std::int64_t trips = trips_of(level);
        base *= trips;
        for (std::int64_t i = 0; i < trips; ++i) {
            if (level > block_of(storage).first)
                visit_elements(level - 1, storage, base + i, contents);
            else
                visit_element(storage, base + i, contents);
            move(level, 1);
        }
        rewind(level);
    }

    void visit_element(int storage, std::int64_t element, BlockContents& contents) {
        enter_storage(storage - 1, element);
        contents.elements = std::max(contents.elements, static_cast<int>(element + 1));
        for (int t = 0; t < tensors_; ++t) {
            contents.sets[t].resize(static_cast<std::size_t>(contents.elements));
            contents.sets[t][element] = storages_[storage - 1].deltas[t].boxes;
        }
    }

    /// Serves elements from their neighbours' previous parts, where this saves accesses.
    void link(int storage, BlockContents&& now, LevelState& here, std::array<TrafficTable, kMaxTensors>& traffic) {
        const BlockRules& rules = rules_of(storage);
        if (rules.no_links() == TensorSet::all(tensors_)) return;
        std::vector<char> served;
        for (int t = 0; t < tensors_; ++t) {
            if (rules.no_links().has(t)) continue;
            const std::int64_t passed = rules.passed_on(now, here.earlier, t, served);
            if (passed == 0) continue;
            TrafficTable rest;
            for (const MulticastGroups& groups : rules.groups(now, t, served)) add(rest, groups.traffic(1, epochs_));
            if (std::trunc(total_accesses(rest)) >= std::trunc(total_accesses(traffic[t]))) continue;
            std::int64_t& transfers = here.tensors[t].link_transfers;
            transfers = checked_add(transfers, checked_mul(passed, epochs_));
            traffic[t] = std::move(rest);
        }
        here.earlier = std::move(now);
    }

    void charge(LevelState& here, const std::array<TrafficTable, kMaxTensors>& traffic) const {
        for (int t = 0; t < tensors_; ++t)
            for (const Traffic& entry : traffic[t]) add(here.tensors[t].traffic, entry);
    }

    // --- position of the walk ---

    void move(int level, std::int64_t iterations) {
        at_[nest_.loops[level].loop.dimension] += nest_.loops[level].stride * iterations;
        index_[level] += iterations;
    }

    void rewind(int level) { move(level, -index_[level]); }

    bool is_last_outside(int level, int dimension) const {
        for (int outer = level + 1; outer < nest_.size(); ++outer) {
            const Loop& loop = nest_.loops[outer].loop;
            if (loop.dimension == dimension && index_[outer] + 1 < loop.remainder) return false;
        }
        return true;
    }

    std::uint32_t dimensions_at_last(int level) const {
        std::uint32_t bits = 0;
        for (int d = 0; d < dimensions_; ++d)
            if (nest_.imperfect && is_last_outside(level, d)) bits |= 1U << d;
        return bits;
    }

    std::int64_t trips_of(int level) const {
        const Loop& loop = nest_.loops[level].loop;
        return !loop.is_perfect() && is_last_outside(level, loop.dimension) ? loop.remainder : loop.extent;
    }

    Iteration reach(int level) const {
        const NestLoop& entry = nest_.loops[level];
        if (!nest_.imperfect) return entry.full_reach;
        Iteration reach = entry.full_reach;
        for (int d = 0; d < dimensions_; ++d)
            if (is_last_outside(level, d)) reach[d] = entry.last_reach[d];
        return reach;
    }

    int place_of(int storage, std::int64_t element) {
        const int outer = storage + 1 < static_cast<int>(storages_.size()) ? storages_[storage + 1].place : 0;
        if (outer == 0 && element == 0) return 0;
        auto& places = storages_[storage].places;
        const std::uint64_t key = static_cast<std::uint64_t>(outer) << 32U | static_cast<std::uint64_t>(element);
        return places.try_emplace(key, static_cast<int>(places.size()) + 1).first->second;
    }

    LevelState& state(int level) {
        std::vector<LevelState>& states = states_[level];
        const auto place = static_cast<std::size_t>(storages_[nest_.loops[level].storage].place);
        if (place >= states.size()) states.resize(place + 1);
        return states[place];
    }

    // --- results ---

    StorageCounts counts_of(const StorageSpan& span, int tensor) const {
        const int inner = span.block ? span.block->master : span.first;
        const std::vector<LevelState>& outer_states = states_[span.boundary];
        const std::vector<LevelState>& inner_states = states_[inner];
        StorageCounts counts;
        for (const LevelState& state : outer_states) counts.tile_words += state.tensors[tensor].most_words;
        counts.tile_words /= static_cast<std::int64_t>(outer_states.size());
        counts.replication = static_cast<std::int64_t>(nest_.loops[span.boundary].utilization);
        counts.has_block = span.block.has_value();
        counts.fanout = span.block ? span.block->fanout : 1;
        for (const LevelState& state : inner_states) {
            const TensorState& from = state.tensors[tensor];
            for (const Traffic& traffic : from.traffic) add(counts.traffic, traffic);
            counts.link_transfers += from.link_transfers;
            counts.block_words += from.most_words;
        }
        const auto visited = static_cast<double>(inner_states.size());
        counts.link_transfers /= static_cast<std::int64_t>(inner_states.size());
        counts.block_words /= static_cast<std::int64_t>(inner_states.size());
        for (Traffic& traffic : counts.traffic) {
            traffic.accesses /= visited;
            traffic.hops /= visited;
            traffic.unicast_hops /= visited;
        }
        return counts;
    }

    WalkCounts collect() const {
        WalkCounts result;
        for (const StorageSpan& span : nest_.storages) {
            std::vector<StorageCounts>& tensors = result.storages.emplace_back();
            for (int t = 0; t < tensors_; ++t) tensors.push_back(counts_of(span, t));
        }
        const StorageSpan& innermost = nest_.storages.front();
        const int level = innermost.block ? innermost.block->master : 0;
        double elements = 0.0;
        for (const LevelState& state : states_[level]) elements += state.compute_elements;
        result.computes_per_instance = static_cast<double>(computes_) / elements;
        const double fanout = innermost.block ? static_cast<double>(innermost.block->fanout) : 1.0;
        result.compute_instances = static_cast<std::int64_t>(nest_.loops[level].utilization * fanout);
        return result;
    }

    const Nest& nest_;
    const std::vector<LevelOptions>& switches_;
    TimeloopOptions options_;
    int tensors_;
    int dimensions_;
    std::vector<Projection> projections_;
    Iteration at_{};                   ///< lowest iteration of the current tile
    std::vector<std::int64_t> index_;  ///< current iteration of every loop
    std::int64_t epochs_ = 1;          ///< multiplicity of the current iteration
    std::int64_t computes_ = 0;
    std::vector<std::vector<LevelState>> states_;  ///< by loop, by place
    std::vector<StorageWalk> storages_;
};

}  // namespace

WalkCounts walk(const Einsum& einsum, const Nest& nest, const std::vector<LevelOptions>& switches,
                const TimeloopOptions& options) {
    return Walker(einsum, nest, switches, options).run();
}

namespace {

/// Updates the remembered movement; true if the last tile's words stay resident.
bool keeps_last(TensorState& state, const Box& tile, int ranks, bool after_pause) {
    if (!state.last_tile) return true;
    const Point move = translation(*state.last_tile, tile, ranks);
    if (after_pause && move == Point{}) return true;
    if (!state.last_move) {
        state.last_move = move;
        return true;
    }
    if (move == *state.last_move) return true;
    state.last_move.reset();
    return false;
}

}  // namespace

void advance(TensorState& state, const Box& tile, int ranks, ReuseRule rule, bool with_boxes, TensorDelta& delta) {
    const bool keeps = rule.reuse && keeps_last(state, tile, ranks, rule.after_pause) && state.last_tile;
    delta.words = words(tile, ranks) - (keeps ? common_words(tile, *state.last_tile, ranks) : 0);
    delta.boxes.clear();
    if (with_boxes && keeps) {
        subtract(tile, *state.last_tile, ranks, delta.boxes);
        std::sort(delta.boxes.begin(), delta.boxes.end());
    } else if (with_boxes) {
        delta.boxes.push_back(tile);
    }
    if (rule.reuse) state.last_tile = tile;
}

}  // namespace tilewright::account
