// Distinct words of a tensor ever held by a memory's instances, and those arriving there from inside: a partial sum's
// first arrival needs no read.
//
// The tiles of one instance are listed as runs: products of evenly spaced positions, one factor per dimension. Two runs
// of one dimension have equal or disjoint positions, so disjoint tiles multiply; only ranks with overlapping tiles
// (transposed convolutions and the like) are handled box by box.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/numbers/checked.hpp"
#include "model/exact/places.hpp"
#include "model/exact/traffic.hpp"

namespace tilewright {
namespace {

struct Segment {
    std::int64_t low = 0;
    std::int64_t high = 0;  // exclusive

    auto operator<=>(const Segment&) const = default;
};

using Boxes = std::vector<std::vector<Segment>>;  // of equally many ranks

std::int64_t union_words(std::vector<Segment> intervals) {
    std::sort(intervals.begin(), intervals.end());
    std::int64_t words = 0;
    std::int64_t covered = intervals.front().low;
    for (const Segment& interval : intervals) {
        words += std::max<std::int64_t>(0, interval.high - std::max(covered, interval.low));
        covered = std::max(covered, interval.high);
    }
    return words;
}

// Union of boxes, rank by rank: between neighbouring borders of the first rank the boxes spanning the gap form a
// problem of one rank less.
std::int64_t union_words(const Boxes& boxes, std::size_t rank) {
    if (boxes.empty()) return 0;
    if (rank == boxes.front().size()) return 1;
    if (rank + 1 == boxes.front().size()) {
        std::vector<Segment> intervals;
        for (const std::vector<Segment>& box : boxes) intervals.push_back(box[rank]);
        return union_words(std::move(intervals));
    }
    std::vector<std::int64_t> borders;
    for (const std::vector<Segment>& box : boxes) {
        borders.push_back(box[rank].low);
        borders.push_back(box[rank].high);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::int64_t words = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        Boxes spanning;
        for (const std::vector<Segment>& box : boxes)
            if (box[rank].low <= borders[i] && box[rank].high >= borders[i + 1]) spanning.push_back(box);
        words = checked_add(words, checked_mul(borders[i + 1] - borders[i], union_words(spanning, rank + 1)));
    }
    return words;
}

// Tile positions of one dimension: at each outer loop one index or, with a count above 1, the first so many.
struct Steps {
    std::int64_t step = 1;
    std::int64_t first = 0;
    std::int64_t count = 1;

    auto operator<=>(const Steps&) const = default;
};

struct IndexRun {
    std::vector<Steps> loops;  // outermost first
    std::int64_t extent = 1;   // of each tile

    auto operator<=>(const IndexRun&) const = default;

    std::int64_t tiles() const {
        std::int64_t product = 1;
        for (const Steps& steps : loops) product = checked_mul(product, steps.count);
        return product;
    }
    std::vector<std::int64_t> positions() const {
        std::vector<std::int64_t> all{0};
        for (const Steps& steps : loops) {
            std::vector<std::int64_t> next;
            for (const std::int64_t outer : all)
                for (std::int64_t i = 0; i < steps.count; ++i) next.push_back(outer + (steps.first + i) * steps.step);
            all = std::move(next);
        }
        return all;
    }
};

// Ranks with possibly overlapping tiles, and their dimensions; ranks sharing a dimension are in one tangle.
struct Tangle {
    std::vector<int> dimensions;
    std::vector<int> ranks;
};

// Dimensions with ranks of their own, whose tiles never overlap, and the others.
struct Parts {
    std::vector<int> apart;
    std::vector<Tangle> tangles;
};

LastMask dimensions_of(const Rank& rank) {
    LastMask dimensions = 0;
    for (const Term& term : rank.terms) dimensions |= LastMask{1} << term.dimension;
    return dimensions;
}

// All dimensions sharing ranks, directly or over others, with `dimensions`.
LastMask tangled_with(const Tensor& tensor, LastMask dimensions) {
    for (std::size_t round = 0; round < tensor.ranks.size(); ++round)  // a chain over all ranks at worst
        for (const Rank& rank : tensor.ranks)
            if ((dimensions_of(rank) & dimensions) != 0) dimensions |= dimensions_of(rank);
    return dimensions;
}

Parts parts_of(const Einsum& einsum, const Tensor& tensor) {
    Parts parts;
    LastMask done = 0;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const LastMask bit = LastMask{1} << d;
        if ((done & bit) != 0 || !is_relevant(tensor, d)) continue;
        const LastMask together = tangled_with(tensor, bit);
        done |= together;
        if (together == bit) {
            parts.apart.push_back(d);
            continue;
        }
        Tangle& tangle = parts.tangles.emplace_back();
        for (int other = d; other < einsum.dimension_count(); ++other)
            if ((together >> other & 1U) != 0) tangle.dimensions.push_back(other);
        for (int r = 0; r < static_cast<int>(tensor.ranks.size()); ++r)
            if ((dimensions_of(tensor.ranks[r]) & together) != 0) tangle.ranks.push_back(r);
    }
    return parts;
}

using Runs = std::vector<IndexRun>;  // by dimension of some list

// Lists the tiles of memory `inner` in one instance of memory `level`: its own (inner == level) or all those inside it.
class InstanceTiles {
   public:
    InstanceTiles(const Nest& nest, int level, int inner, const Tensor& tensor, Fanouts& blocks,
                  const std::vector<std::int64_t>& place)
        : nest_(nest),
          level_(level),
          inner_(inner),
          tensor_(tensor),
          blocks_(blocks),
          place_(place),
          imperfect_(imperfect_inside(nest)),
          parts_(parts_of(*nest.einsum, tensor)),
          runs_(nest.einsum->dimensions.size()) {}

    std::int64_t words() {
        list(0, 0, imperfect_[0]);
        std::int64_t words = 0;
        for (const auto& [apart, tangled] : found_)
            words = checked_add(words, checked_mul(apart_words(apart), tangled_words(tangled)));
        return words;
    }

   private:
    // `memory`: of loop k; `last`: the mask there.
    void list(int memory, int k, LastMask last) {
        if (memory == inner_) return found(last);
        if (memory < level_ && k == nest_.levels[memory].spatial) return enter(memory, last);
        if (k == nest_.levels[memory].end) return list(memory + 1, k, last);
        const NestLoop& loop = nest_.loops[k];
        if (memory >= level_ && !is_relevant(tensor_, loop.dimension)) return list(memory, k + 1, last);
        const LastMask bit = LastMask{1} << loop.dimension;
        const bool at_last = (last & bit) != 0;
        const std::int64_t trips = at_last ? loop.remainder : loop.extent;
        if (!at_last || (imperfect_[k + 1] & bit) == 0) return advance(memory, k, {loop.step, 0, trips}, last);
        if (trips > 1) advance(memory, k, {loop.step, 0, trips - 1}, last & ~bit);
        advance(memory, k, {loop.step, trips - 1, 1}, last);
    }

    void advance(int memory, int k, const Steps& steps, LastMask last) {
        std::vector<Steps>& loops = runs_[nest_.loops[k].dimension].loops;
        loops.push_back(steps);
        list(memory, k + 1, last & imperfect_[k + 1]);
        loops.pop_back();
    }

    void enter(int memory, LastMask last) {
        const Neighbour* neighbour = blocks_.find(memory, last, place_[memory]);
        if (neighbour == nullptr) return;
        const NestLevel& level = nest_.levels[memory];
        for (int k = level.spatial; k < level.end; ++k) {
            const NestLoop& loop = nest_.loops[k];
            runs_[loop.dimension].loops.push_back({loop.step, neighbour->index[k - level.spatial], 1});
        }
        list(memory + 1, level.end, blocks_.inside(memory, last, *neighbour) & imperfect_[level.end]);
        for (int k = level.spatial; k < level.end; ++k) runs_[nest_.loops[k].dimension].loops.pop_back();
    }

    void found(LastMask last) {
        throw_if_stopped(nest_.stop);
        const auto extent = [&](int d) -> std::int64_t {
            if (inner_ == nest_.level_count()) return 1;
            const NestLevel& level = nest_.levels[inner_];
            return (last >> d & 1U) != 0 ? level.last[d] : level.full[d];
        };
        const auto chosen = [&](const std::vector<int>& dimensions) {
            Runs runs;
            for (const int d : dimensions) {
                runs.push_back(runs_[d]);
                runs.back().extent = extent(d);
            }
            return runs;
        };
        std::vector<Runs> tangled;
        tangled.reserve(parts_.tangles.size());
        for (const Tangle& tangle : parts_.tangles) tangled.push_back(chosen(tangle.dimensions));
        found_[chosen(parts_.apart)].insert(std::move(tangled));
    }

    // A coefficient above 1 leaves gaps inside each tile's box.
    std::int64_t apart_words(const std::vector<IndexRun>& runs) const {
        std::int64_t words = 1;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            words = checked_mul(words, runs[i].tiles());
            for (const Rank& rank : tensor_.ranks)
                if (!rank.terms.empty() && rank.terms.front().dimension == parts_.apart[i])
                    words = checked_mul(words, checked_add(1, checked_mul(std::abs(rank.terms.front().coefficient),
                                                                          runs[i].extent - 1)));
        }
        return words;
    }

    // `all`: combinations by tangle. If they are complete, tangles multiply.
    std::int64_t tangled_words(const std::set<std::vector<Runs>>& all) const {
        std::vector<std::set<Runs>> each(parts_.tangles.size());
        for (const std::vector<Runs>& together : all)
            for (std::size_t i = 0; i < each.size(); ++i) each[i].insert(together[i]);
        std::size_t combinations = 1;
        for (const std::set<Runs>& runs : each) combinations *= runs.size();
        if (combinations != all.size()) return joint_words(all);
        std::int64_t words = 1;
        for (std::size_t i = 0; i < each.size(); ++i) {
            Boxes boxes;
            for (const Runs& runs : each[i]) append(boxes, boxes_of(parts_.tangles[i], runs));
            words = checked_mul(words, union_words(boxes, 0));
        }
        return words;
    }

    std::int64_t joint_words(const std::set<std::vector<Runs>>& all) const {
        Boxes boxes;
        for (const std::vector<Runs>& together : all) {
            Boxes joint{{}};
            for (std::size_t i = 0; i < together.size(); ++i) {
                Boxes next;
                for (const std::vector<Segment>& more : boxes_of(parts_.tangles[i], together[i]))
                    for (std::vector<Segment> box : joint) {
                        box.insert(box.end(), more.begin(), more.end());
                        next.push_back(std::move(box));
                    }
                joint = std::move(next);
            }
            append(boxes, joint);
        }
        return union_words(boxes, 0);
    }

    static void append(Boxes& boxes, const Boxes& more) { boxes.insert(boxes.end(), more.begin(), more.end()); }

    IndexRun merged(const Tangle& tangle, int dimension, IndexRun run) const {
        std::int64_t reach = 0;
        for (const int r : tangle.ranks)
            for (const Term& term : tensor_.ranks[r].terms)
                if (term.dimension == dimension) reach += std::abs(term.coefficient);
        while (reach == 1 && !run.loops.empty() && run.loops.back().step == run.extent && run.loops.back().first == 0) {
            run.extent = checked_mul(run.extent, run.loops.back().count);
            run.loops.pop_back();
        }
        return run;
    }

    Boxes boxes_of(const Tangle& tangle, const Runs& runs) const {
        Boxes tiles{std::vector<Segment>(tangle.ranks.size(), Segment{0, 1})};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            Boxes next;
            const IndexRun run = merged(tangle, tangle.dimensions[i], runs[i]);
            for (const std::int64_t position : run.positions()) {
                throw_if_stopped(nest_.stop);
                for (std::vector<Segment> tile : tiles) {
                    move(tile, tangle, tangle.dimensions[i], position, run.extent);
                    next.push_back(std::move(tile));
                }
            }
            std::sort(next.begin(), next.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            tiles = std::move(next);
        }
        return tiles;
    }

    void move(std::vector<Segment>& tile, const Tangle& tangle, int dimension, std::int64_t position,
              std::int64_t extent) const {
        for (std::size_t r = 0; r < tile.size(); ++r)
            for (const Term& term : tensor_.ranks[tangle.ranks[r]].terms) {
                if (term.dimension != dimension) continue;
                const std::int64_t first = checked_mul(term.coefficient, position);
                const std::int64_t last = checked_mul(term.coefficient, position + extent - 1);
                tile[r].low = checked_add(tile[r].low, std::min(first, last));
                tile[r].high = checked_add(tile[r].high, std::max(first, last));
            }
    }

    const Nest& nest_;
    const int level_;
    const int inner_;
    const Tensor& tensor_;
    Fanouts& blocks_;
    const std::vector<std::int64_t>& place_;
    const std::vector<LastMask> imperfect_;
    const Parts parts_;
    std::vector<IndexRun> runs_;                         // by dimension, at the current loop
    std::map<Runs, std::set<std::vector<Runs>>> found_;  // tangled runs by disjoint ones
};

}  // namespace

std::int64_t distinct_words(const Nest& nest, int level, int tensor) {
    return arriving_words(nest, level, level, tensor);
}

std::int64_t arriving_words(const Nest& nest, int level, int inner, int tensor) {
    const Tensor& t = nest.einsum->tensors[tensor];
    if (is_gapless(t)) inner = level;
    Fanouts blocks(nest);
    std::int64_t words = 0;
    for (const PlaceKind& kind : place_kinds(nest, level, t, blocks))
        words = checked_add(words,
                            checked_mul(kind.count, InstanceTiles(nest, level, inner, t, blocks, kind.place).words()));
    return words;
}

bool is_gapless(const Tensor& tensor) {
    LastMask seen = 0;
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms) {
            const LastMask bit = LastMask{1} << term.dimension;
            if (std::abs(term.coefficient) != 1 || (seen & bit) != 0) return false;
            seen |= bit;
        }
    return true;
}

int asking_level(const std::vector<bool>& keeps, int level) {
    int inner = level + 1;
    while (inner < static_cast<int>(keeps.size()) && !keeps[inner]) ++inner;
    return inner;
}

}  // namespace tilewright
