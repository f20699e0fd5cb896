// Loops covered by each rank of a format (Timeloop, sparse-analysis/representation-analyzer.cpp).
#include <algorithm>

#include "base/numbers/checked.hpp"
#include "timeloop/sparse/state.hpp"

namespace tilewright::account {
namespace {

/// A relevant loop, and the tile of all loops up to it.
struct Place {
    int dimension = 0;
    std::int64_t bound = 1;
    sparse::Tile tile;
};

struct Assigned {
    std::vector<RankLoops> loops;     ///< innermost rank first
    std::vector<sparse::Tile> tiles;  ///< of each rank
    bool too_few = false;             ///< loops are left
};

const std::vector<int>* list_with(const sparse::FormatRank& rank, int dimension) {
    for (const std::vector<int>& list : rank.flattened)
        if (std::find(list.begin(), list.end(), dimension) != list.end()) return &list;
    return nullptr;
}

bool holds(const std::vector<int>& list, int dimension) {
    return std::find(list.begin(), list.end(), dimension) != list.end();
}

/// Assigns the loops of one tensor at one level to its ranks, from one end, with Timeloop's oddities.
class Assigner {
   public:
    Assigner(const std::vector<Place>& places, const sparse::TensorFormat* format, sparse::Tile scalar)
        : places_(places), format_(format), scalar_(std::move(scalar)) {}

    /// Ranks `inner`.. of `count`.
    Assigned from_outside(int count, int inner) {
        int rank = count;
        at_ = static_cast<int>(places_.size()) - 1;
        while (rank > inner && skip_trivial(-1)) {
            --rank;
            if (!takes(rank)) {  // the rank stays empty, outside the earlier ones
                result_.loops.emplace_back();
                result_.tiles.push_back(places_.front().tile);
                continue;
            }
            const sparse::Tile tile = places_[at_].tile;
            result_.loops.insert(result_.loops.begin(), taken(rank, -1));
            result_.tiles.insert(result_.tiles.begin(), tile);
        }
        for (; rank > inner; --rank) {
            result_.loops.insert(result_.loops.begin(), RankLoops{});
            result_.tiles.insert(result_.tiles.begin(), innermost_tile());
        }
        result_.too_few = any_left(0, at_ + 1);
        return std::move(result_);
    }

    Assigned from_inside(int count, int inner) {
        int rank = inner - 1;
        at_ = 0;
        while (rank < count - 1 && skip_trivial(1)) {
            ++rank;
            if (!takes(rank)) {
                result_.loops.push_back({{format_->ranks[rank].flattened.front().front(), 1}});
                result_.tiles.push_back(scalar_);
                continue;
            }
            const sparse::Tile tile = places_[at_].tile;  // of its innermost loop, however many it takes
            result_.loops.push_back(taken(rank, 1));
            result_.tiles.push_back(tile);
        }
        for (; rank < count - 1; ++rank) {
            result_.loops.emplace_back();
            result_.tiles.push_back(innermost_tile());
        }
        result_.too_few = any_left(at_, static_cast<int>(places_.size()));
        return std::move(result_);
    }

   private:
    bool inside() const { return at_ >= 0 && at_ < static_cast<int>(places_.size()); }

    /// False if nothing is left.
    bool skip_trivial(int step) {
        while (inside() && places_[at_].bound <= 1) at_ += step;
        return inside();
    }

    const std::vector<int>* list_of(int rank) const { return list_with(format_->ranks[rank], places_[at_].dimension); }
    bool has_lists(int rank) const { return format_ != nullptr && !format_->ranks[rank].flattened.empty(); }
    bool takes(int rank) const { return !has_lists(rank) || list_of(rank) != nullptr; }

    RankLoops taken(int rank, int step) {
        const std::vector<int>* list = has_lists(rank) ? list_of(rank) : nullptr;
        RankLoops loops{{places_[at_].dimension, places_[at_].bound}};
        at_ += step;
        if (format_ != nullptr && list == nullptr) return loops;
        while (inside() && (format_ == nullptr || holds(*list, places_[at_].dimension) || places_[at_].bound <= 1)) {
            if (places_[at_].bound > 1) loops.emplace_back(places_[at_].dimension, places_[at_].bound);
            at_ += step;
        }
        return loops;
    }

    sparse::Tile innermost_tile() const { return places_.empty() ? scalar_ : places_.front().tile; }

    bool any_left(int begin, int end) const {
        for (int i = begin; i < end; ++i)
            if (places_[i].bound > 1) return true;
        return false;
    }

    const std::vector<Place>& places_;
    const sparse::TensorFormat* format_;
    sparse::Tile scalar_;
    Assigned result_;
    int at_ = 0;
};

/// Relevant loops from storage level `first` to `last`, innermost first.
std::vector<Place> places_of(const SparseState& state, int tensor, int first, int last) {
    std::vector<Place> places;
    for (int storage = first; storage <= last; ++storage)
        for (const FullLoop& loop : state.loops[storage])
            if (state.is_relevant(tensor, loop.dimension))
                places.push_back({loop.dimension, loop.bound, state.tile(tensor, loop.box)});
    return places;
}

/// Each dimension's innermost loop absorbs the loops of the dimension further in.
void widen(const SparseState& state, int first, std::vector<Place>& places) {
    Extents inside = state.one();
    if (first > 0) inside = state.box_inside(first, 0);
    for (Place& place : places) {
        place.bound = checked_mul(place.bound, inside[place.dimension]);
        inside[place.dimension] = 1;
    }
}

int rank_count(const SparseTensor& level) {
    return level.format == nullptr ? 1 : static_cast<int>(level.format->ranks.size());
}

/// Ranks taken over from the child by a compressed level, which is tiled beforehand; 0 otherwise.
int inherited(const SparseState& state, int storage, const SparseTensor& level, const SparseTensor* child) {
    if (!level.compressed || child == nullptr || child->dense.tile_words <= 1) return 0;
    const int ranks = rank_count(*child);
    bool fits = ranks <= rank_count(level);
    for (int r = 0; fits && child->compressed && r < ranks; ++r)
        fits = level.format->ranks[r].format == child->format->ranks[r].format;
    if (!fits)
        state.refuse(storage,
                     "its format does not begin with that of the memory inside, whose tiles it has to hold "
                     "ready; Timeloop exits on it");
    return ranks;
}

void set_ranks(SparseState& state, int tensor, int storage) {
    SparseTensor& level = state.tensors[tensor][storage];
    const SparseTensor* child = level.child < 0 ? nullptr : &state.tensors[tensor][level.child];
    const int first = level.child + 1;
    std::vector<Place> places = places_of(state, tensor, first, storage);
    const int ready = inherited(state, storage, level, child);
    if (ready == 0) widen(state, first, places);
    const sparse::Tile scalar = state.tile(tensor, state.one());
    Assigner assigner(places, level.format, scalar);
    const bool from_inside = level.format != nullptr && level.format->inner_to_outer;
    Assigned assigned =
        from_inside ? assigner.from_inside(rank_count(level), ready) : assigner.from_outside(rank_count(level), ready);
    if (assigned.too_few)
        state.refuse(storage, "'" + state.einsum.tensors[tensor].name +
                                  "' needs more ranks than its format has here; Timeloop exits on it");
    if (ready > 0) {
        level.rank_loops = child->rank_loops;
        level.rank_tiles = child->rank_tiles;
    } else {
        level.rank_tiles = {scalar};
    }
    level.rank_loops.insert(level.rank_loops.end(), assigned.loops.begin(), assigned.loops.end());
    level.rank_tiles.insert(level.rank_tiles.end(), assigned.tiles.begin(), assigned.tiles.end());
    if (static_cast<int>(level.rank_loops.size()) != rank_count(level))
        state.refuse(storage, "the ranks of its format do not fit the loops; Timeloop exits on it");
}

void set_fibres(const SparseState& state, int tensor, SparseTensor& level) {
    const bool from_inside = level.format->inner_to_outer;
    const std::size_t count = level.rank_loops.size();
    for (std::size_t r = 0; r < count; ++r) {
        Extents box = state.one();
        for (const auto& [dimension, bound] : level.rank_loops[r]) box[dimension] = checked_mul(box[dimension], bound);
        const std::int64_t fibre = sparse::elements(state.tile(tensor, box));
        const bool may_be_trivial = from_inside ? r != 0 : r + 1 != count;
        level.ranks.push_back({fibre, level.rank_tiles[r], fibre == 1 && may_be_trivial});
    }
}

}  // namespace

void assign_ranks(SparseState& state) {
    if (!state.design.has_formats()) return;
    for (int t = 0; t < state.tensor_count(); ++t)
        for (int s = 0; s < state.storages(); ++s) {
            SparseTensor& level = state.tensors[t][s];
            if (!level.kept()) continue;
            set_ranks(state, t, s);
            if (level.has_metadata()) set_fibres(state, t, level);
        }
}

}  // namespace tilewright::account
