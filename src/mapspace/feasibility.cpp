#include "mapspace/feasibility.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostTrials = 4'000'000;  // of splits and of their combinations: tenths of a second
constexpr std::int64_t kNobodyAsks = 1;          // stands for the size of a tile that always fits

// One distribution of a dimension: its part in every memory's tile, and its neighbours at every fan-out.
struct Split {
    std::array<std::int64_t, kMaxMemories> tile;
    std::array<std::int32_t, kMaxMemories> spatial;
};

// The demands in the trials' form: bounds of tiles.
struct Question {
    const Einsum& einsum;
    const Mapspace& mapspace;
    std::vector<Capacity> capacities;  // by memory
    std::vector<std::vector<TileBound>> tile_bounds;
    std::vector<bool> mesh_binds;
};

std::vector<std::int64_t> divisors_of(std::int64_t extent) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d * d <= extent; ++d) {
        if (extent % d != 0) continue;
        divisors.push_back(d);
        if (d * d != extent) divisors.push_back(extent / d);
    }
    std::ranges::sort(divisors);
    return divisors;
}

// The undominated splits of one dimension, built from the innermost loops outwards.
class Splits {
   public:
    Splits(const Question& question, int dimension, std::int64_t& trials)
        : question_(question),
          dimension_(dimension),
          trials_(trials),
          divisors_(divisors_of(question.einsum.dimensions[dimension].extent)),
          reached_(divisors_.size()) {}

    // Nothing once the trials are used up.
    std::optional<std::vector<Split>> find() {
        Split none;
        none.tile.fill(kNobodyAsks);
        none.spatial.fill(1);
        reached_[0] = {none};
        for (int l = question_.mapspace.level_count() - 1; l >= 0; --l) {
            extend({l, true});
            extend({l, false});
            if (trials_ <= 0) return std::nullopt;
            if (question_.capacities[l].usable) note_tiles(l);
            drop_illegal(l);
        }
        return std::move(reached_.back());
    }

   private:
    // Multiplies everything reached by every factor allowed to the slot.
    void extend(const Slot& slot) {
        const FactorBounds bounds = question_.mapspace.factor_bounds(slot, dimension_);
        std::vector<std::vector<Split>> next(divisors_.size());
        for (std::size_t from = 0; from < divisors_.size(); ++from) {
            for (std::size_t to = from; to < divisors_.size() && !reached_[from].empty(); ++to) {
                if (divisors_[to] % divisors_[from] != 0) continue;
                const std::int64_t factor = divisors_[to] / divisors_[from];
                if (!bounds.allows(factor)) continue;
                for (Split split : reached_[from]) {
                    if (slot.spatial) split.spatial[slot.level] = static_cast<std::int32_t>(factor);
                    insert(next[to], split);
                }
            }
        }
        reached_ = std::move(next);
    }

    void note_tiles(int level) {
        for (std::size_t i = 0; i < divisors_.size(); ++i)
            for (Split& split : reached_[i]) split.tile[level] = divisors_[i];
    }

    // Tiles against a rule, if some tensor that it speaks of has to be there.
    void drop_illegal(int level) {
        const TensorSet kept = question_.mapspace.kept_tensors(level);
        for (const TileBound& bound : question_.tile_bounds[level]) {
            if (bound.dimension != dimension_) continue;
            for (std::size_t i = 0; i < divisors_.size(); ++i)
                if (!bound.allows(kept, divisors_[i])) reached_[i].clear();
        }
    }

    bool undercuts(const Split& one, const Split& other) const {
        const bool all_units_count = question_.mapspace.least_units() > 0.0;
        for (int l = 0; l < question_.mapspace.level_count(); ++l) {
            if (one.tile[l] > other.tile[l]) return false;
            if (all_units_count ? one.spatial[l] != other.spatial[l]
                                // A number fits along the axes of a mesh with its divisors.
                                : question_.mesh_binds[l] && other.spatial[l] % one.spatial[l] != 0)
                return false;
        }
        return true;
    }

    void insert(std::vector<Split>& splits, const Split& added) {
        --trials_;
        for (const Split& split : splits)
            if (undercuts(split, added)) return;
        std::erase_if(splits, [&](const Split& split) { return undercuts(added, split); });
        splits.push_back(added);
    }

    const Question& question_;
    int dimension_;
    std::int64_t& trials_;
    std::vector<std::int64_t> divisors_;
    std::vector<std::vector<Split>> reached_;  // by dealt part
};

// Tries combinations of one split per dimension, with compulsory kept tensors only.
class Trials {
   public:
    Trials(const Question& question, std::vector<std::vector<Split>> splits, std::int64_t& left)
        : question_(question),
          splits_(std::move(splits)),
          left_(left),
          point_(question.mapspace.point()),
          kept_(static_cast<std::size_t>(question.mapspace.level_count())),
          tiles_(kept_.size()) {
        for (std::size_t l = 0; l < kept_.size(); ++l) kept_[l] = question.mapspace.kept_tensors(static_cast<int>(l));
        for (std::size_t l = 0; l < kept_.size(); ++l) tiles_[l] = least_tile(static_cast<int>(l));
    }

    // Nothing once the trials are used up.
    std::optional<bool> any_fits() {
        const bool found = place_tensors(0);
        if (!found && left_ <= 0) return std::nullopt;
        return found;
    }

   private:
    Extents least_tile(int level) const {
        Extents tile;
        tile.fill(1);
        for (std::size_t d = 0; d < splits_.size(); ++d) tile[d] = least(level, d);
        return tile;
    }

    std::int64_t least(int level, std::size_t dimension) const {
        std::int64_t size = splits_[dimension].front().tile[level];
        for (const Split& split : splits_[dimension]) size = std::min(size, split.tile[level]);
        return size;
    }

    // A tensor without a compulsory memory goes to an optional one.
    bool place_tensors(int tensor) {
        if (tensor == question_.einsum.tensor_count()) return tiles_fit() && choose(0);
        const auto has_it = [&](const TensorSet& kept) { return kept.has(tensor); };
        if (std::ranges::any_of(kept_, has_it)) return place_tensors(tensor + 1);
        for (int l = 0; l < question_.mapspace.level_count(); ++l) {
            if (!question_.mapspace.free_tensors(l).has(tensor)) continue;
            kept_[l].add(tensor);
            const bool found = place_tensors(tensor + 1);
            kept_[l].remove(tensor);
            if (found || left_ <= 0) return found;
        }
        return false;
    }

    bool tiles_fit() const {
        for (std::size_t l = 0; l < tiles_.size(); ++l) {
            const Capacity& capacity = question_.capacities[l];
            if (!capacity.usable) continue;
            std::int64_t used = 0;
            for (int t = 0; t < question_.einsum.tensor_count(); ++t) {
                if (!kept_[l].has(t)) continue;
                const std::int64_t words = box_words(question_.einsum.tensors[t], tiles_[l]);
                const std::int64_t chunks = ceil_div(saturating_mul(words, capacity.per_word[t]), capacity.multiple[t]);
                const std::int64_t units = saturating_mul(chunks, capacity.multiple[t]);
                if (__builtin_add_overflow(used, units, &used)) return false;
            }
            if (used > *capacity.usable) return false;
        }
        return true;
    }

    bool meshes_fit() {
        for (int l = 0; l < question_.mapspace.level_count(); ++l)
            if (question_.mesh_binds[l] && !question_.mapspace.lay_out(point_, l)) return false;
        return true;
    }

    void put(std::size_t dimension, const Split& split) {
        for (int l = 0; l < question_.mapspace.level_count(); ++l) {
            point_[l].spread(static_cast<int>(dimension), split.spatial[l], 1);
            tiles_[l][dimension] = split.tile[l];
        }
    }

    // Dimensions without a split yet count as minimal in every tile, and not spread.
    bool choose(std::size_t dimension) {
        if (dimension == splits_.size()) return question_.mapspace.parallel_enough(point_);
        for (const Split& split : splits_[dimension]) {
            if (--left_ <= 0) return false;
            put(dimension, split);
            if (tiles_fit() && meshes_fit() && choose(dimension + 1)) return true;
        }
        for (int l = 0; l < question_.mapspace.level_count(); ++l) {
            point_[l].spread(static_cast<int>(dimension), 1, 1);
            tiles_[l][dimension] = least(l, dimension);
        }
        return false;
    }

    const Question& question_;
    std::vector<std::vector<Split>> splits_;
    std::int64_t& left_;
    TilingPoint point_;
    std::vector<TensorSet> kept_;
    std::vector<Extents> tiles_;
};

// A memory with a rule for tiles is one of several that may keep a tensor: drop_illegal() did not see it there.
bool has_open_rules(const Question& question) {
    TensorSet settled;
    for (int l = 0; l < question.mapspace.level_count(); ++l)
        settled = TensorSet::from_bits(settled.bits() | question.mapspace.kept_tensors(l).bits());
    for (int l = 0; l < question.mapspace.level_count(); ++l)
        for (const TileBound& bound : question.tile_bounds[l])
            if ((question.mapspace.free_tensors(l).bits() & bound.tensors.bits() & ~settled.bits()) != 0) return true;
    return false;
}

bool told(const std::vector<bool>& given, int level) { return !given.empty() && given[level]; }

Question question_of(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                     const Relaxation& relaxation) {
    Question question{einsum, mapspace, {}, {}, {}};
    for (int l = 0; l < mapspace.level_count(); ++l) {
        question.capacities.push_back(capacity_of(architecture.memories[l], einsum));
        question.tile_bounds.push_back(tile_bounds(architecture.memories[l], einsum));
        if (told(relaxation.capacity, l)) question.capacities.back().usable.reset();
        question.mesh_binds.push_back(architecture.fanout(l).size() > 1 && !told(relaxation.mesh, l));
    }
    return question;
}

}  // namespace

Feasibility feasibility(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                        const Relaxation& relaxation) {
    const auto has_to_be_filled = [](const Memory& memory) { return memory.min_utilization > 0.0; };
    if (mapspace.has_remainders() || std::ranges::any_of(architecture.memories, has_to_be_filled))
        return Feasibility::undecided;
    if (!mapspace.problem().empty()) return Feasibility::infeasible;
    const Question question = question_of(einsum, architecture, mapspace, relaxation);
    std::int64_t trials = kMostTrials;
    std::vector<std::vector<Split>> splits;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::optional<std::vector<Split>> found = Splits(question, d, trials).find();
        if (!found) return Feasibility::undecided;
        if (found->empty()) return Feasibility::infeasible;
        splits.push_back(std::move(*found));
    }
    const std::optional<bool> fits = Trials(question, std::move(splits), trials).any_fits();
    if (!fits || (*fits && has_open_rules(question))) return Feasibility::undecided;
    return *fits ? Feasibility::feasible : Feasibility::infeasible;
}

}  // namespace tilewright
