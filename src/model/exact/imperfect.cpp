#include "model/exact/imperfect.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/numbers/checked.hpp"
#include "model/exact/fanout.hpp"
#include "model/exact/multicast_groups.hpp"
#include "model/exact/places.hpp"

namespace tilewright {
namespace {

using Position = TileOffset;

struct Box {
    Position low{};
    Position high{};  // exclusive

    auto operator<=>(const Box&) const = default;
};

// What a neighbour remembers: its last tile and the last movement it was reused over.
struct Held {
    bool any = false;
    bool moving = false;
    Box tile;
    Position movement{};

    bool operator==(const Held&) const = default;
};

std::int64_t half_away(std::int64_t doubled) { return doubled >= 0 ? (doubled + 1) / 2 : (doubled - 1) / 2; }

// The neighbours below one memory, by kind: what one of a kind is sent, shifted, is what the others of its kind are
// sent.
class Neighbourhood {
   public:
    Neighbourhood(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks)
        : nest_(nest), level_(level), tensor_(tensor), blocks_(blocks) {
        const std::vector<NumberKind> kinds = number_kinds(nest, level, tensor, blocks);
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            first_.push_back(kinds[kind].first());
            for (const NumberKind::Run& run : kinds[kind].runs) runs_.push_back({run.first, run.count, kind});
        }
        std::ranges::sort(runs_, {}, &Run::first);
    }

    std::size_t kinds() const { return first_.size(); }

    // The neighbour that stands for a kind, now.
    struct Standing {
        bool exists = false;
        LastMask last = 0;    // bits that the block decides
        TileOffset offset{};  // of its tile
    };
    // By kind.
    const std::vector<Standing>& standing(LastMask last) {
        auto [at, fresh] = standing_.try_emplace(last & blocks_.relevant(level_));
        if (fresh) at->second = stand(last);
        return at->second;
    }
    LastMask inside(LastMask last, const Standing& one) const { return blocks_.inside(level_, last, one.last); }

    // A kind of which the one that stands for it is sent words that start at a position.
    struct Sent {
        std::size_t kind = 0;
        Position start{};
    };

    // The multicasts of one word per neighbour when these kinds are sent sets of the same shape.
    const Traffic& multicasts(LastMask last, const std::vector<Sent>& sent) {
        std::vector<std::int64_t> key;
        for (const Sent& each : sent) {
            key.push_back(static_cast<std::int64_t>(each.kind));
            for (std::size_t r = 0; r < tensor_.ranks.size(); ++r) key.push_back(each.start[r] - sent.front().start[r]);
        }
        auto [at, fresh] = known_.try_emplace(std::move(key));
        if (fresh) at->second = count(last, sent);
        return at->second;
    }

   private:
    struct Run {
        std::int64_t first = 0;
        std::int64_t count = 0;
        std::size_t kind = 0;
    };

    std::vector<Standing> stand(LastMask last) {
        std::vector<Standing> all(first_.size());
        FanoutWalk walk(blocks_.at(level_, last), nest_, level_, tensor_);
        for (std::size_t kind = 0; kind < first_.size(); ++kind) {
            walk.seek(first_[kind]);
            if (walk.exists()) all[kind] = {true, walk.last(), walk.offset()};
        }
        return all;
    }

    Traffic count(LastMask last, const std::vector<Sent>& sent) {
        const std::vector<Standing>& standing = this->standing(last);
        std::vector<const Sent*> by_kind(first_.size(), nullptr);
        for (const Sent& each : sent) by_kind[each.kind] = &each;
        std::int64_t neighbours = 0;
        for (const Run& run : runs_) neighbours += by_kind[run.kind] == nullptr ? 0 : run.count;
        MulticastGroups groups(grid_of(nest_.levels[level_]), tensor_.ranks.size(), neighbours);
        FanoutWalk walk(blocks_.at(level_, last), nest_, level_, tensor_);
        for (const Run& run : runs_) {
            const Sent* each = by_kind[run.kind];
            if (each == nullptr) continue;
            throw_if_stopped(nest_.stop);
            walk.seek(run.first);
            for (std::int64_t i = 0; i < run.count; ++i, walk.advance()) {
                TileOffset start = walk.offset();
                for (std::size_t r = 0; r < tensor_.ranks.size(); ++r)
                    start[r] += each->start[r] - standing[run.kind].offset[r];
                groups.add(start, walk.number());
            }
        }
        return groups.traffic();
    }

    const Nest& nest_;
    const int level_;
    const Tensor& tensor_;
    Fanouts& blocks_;
    std::vector<std::int64_t> first_;  // by kind
    std::vector<Run> runs_;            // ascending
    std::map<LastMask, std::vector<Standing>> standing_;
    std::map<std::vector<std::int64_t>, Traffic> known_;
};

// Walks the temporal loops around memory `level` for one of its instances.
class InstanceWalk {
   public:
    InstanceWalk(const Nest& nest, int level, int tensor, Fanouts& blocks, Neighbourhood& neighbourhood,
                 std::vector<std::int64_t> place)
        : nest_(nest),
          level_(nest.levels[level]),
          child_(nest.levels[level + 1]),
          tensor_(nest.einsum->tensors[tensor]),
          index_(level),
          ranks_(static_cast<int>(tensor_.ranks.size())),
          place_(std::move(place)),
          imperfect_inside_(imperfect_inside(nest)),
          blocks_(blocks),
          neighbourhood_(neighbourhood),
          held_(neighbourhood.kinds()),
          touched_(neighbourhood.kinds(), 0) {
        for (const NestLoop& loop : nest.loops) {
            Position shift{};
            for (int r = 0; r < ranks_; ++r)
                shift[r] = nest.shift(static_cast<int>(&loop - nest.loops.data()), tensor_.ranks[r]);
            shifts_.push_back(shift);
        }
        for (int outer = 0; outer <= level; ++outer) memory_of_.resize(nest.levels[outer].end, outer);
    }

    Traffic run() { return walk(0, 0, imperfect_inside_[0]); }

   private:
    struct Outcome {
        Traffic traffic;
        std::vector<std::pair<int, Held>> held;  // of the touched neighbours, relative to the origin
    };

    // `outer` is the memory that loop k belongs to.
    Traffic walk(int outer, int k, LastMask last) {
        if (k == level_.spatial && outer == index_) return step(last);
        if (k == nest_.levels[outer].spatial) return enter(outer, last);
        const NestLoop& loop = nest_.loops[k];
        const LastMask bit = LastMask{1} << loop.dimension;
        const bool at_last = (last & bit) != 0;
        return remembered(k, last, at_last ? loop.remainder : loop.extent);
    }

    // The block below `outer`: on into the neighbour that leads to this instance, if it exists now.
    Traffic enter(int outer, LastMask last) {
        const Neighbour* neighbour = blocks_.find(outer, last, place_[outer]);
        if (neighbour == nullptr) return {};
        const NestLevel& level = nest_.levels[outer];
        const Position before = origin_;
        for (std::size_t i = 0; i < neighbour->index.size(); ++i)
            move(origin_, shifts_[level.spatial + i], neighbour->index[i]);
        Traffic traffic =
            walk(outer + 1, level.end, blocks_.inside(outer, last, *neighbour) & imperfect_inside_[level.end]);
        origin_ = before;
        return traffic;
    }

    // Iteration i of loop k.
    Traffic iterate(int k, std::int64_t i, LastMask last) {
        const Position before = origin_;
        move(origin_, shifts_[k], i);
        Traffic traffic = walk(memory_of_[k], k + 1, last & imperfect_inside_[k + 1]);
        origin_ = before;
        return traffic;
    }

    // A temporal loop, looked up when the same situation was met before.
    Traffic remembered(int k, LastMask last, std::int64_t trips) {
        throw_if_stopped(nest_.stop);
        std::string key = situation(k, last);
        if (const auto known = known_.find(key); known != known_.end()) {
            for (const auto& [n, held] : known->second.held) {
                held_[n] = moved(held, origin_, 1);
                touched_[n] = 1;
            }
            return known->second.traffic;
        }
        const std::vector<char> outside = std::exchange(touched_, std::vector<char>(touched_.size(), 0));
        Outcome outcome{repeat(k, last, trips), {}};
        for (std::size_t n = 0; n < held_.size(); ++n)
            if (touched_[n] != 0) outcome.held.emplace_back(static_cast<int>(n), moved(held_[n], origin_, -1));
        for (std::size_t n = 0; n < touched_.size(); ++n) touched_[n] = static_cast<char>(touched_[n] | outside[n]);
        Traffic traffic = outcome.traffic;
        if (known_.size() < kMaxKnown) known_.emplace(std::move(key), std::move(outcome));
        return traffic;
    }

    // Runs iterations until one ends as it began, one step further on; the others then cost the same.
    Traffic repeat(int k, LastMask last, std::int64_t trips) {
        const LastMask bit = LastMask{1} << nest_.loops[k].dimension;
        const bool ends_imperfect = (last & bit & imperfect_inside_[k + 1]) != 0;
        const std::int64_t alike = ends_imperfect ? trips - 1 : trips;
        Traffic total;
        for (std::int64_t i = 0; i < alike; ++i) {
            const std::vector<Held> before = held_;
            const std::vector<char> outside = std::exchange(touched_, std::vector<char>(touched_.size(), 0));
            const Traffic traffic = iterate(k, i, last & ~bit);
            total.add(traffic, 1);
            if (ended_as_begun(before, shifts_[k])) {
                const std::int64_t rest = alike - 1 - i;
                total.add(traffic, rest);
                for (std::size_t n = 0; n < held_.size(); ++n)
                    if (touched_[n] != 0) held_[n] = moved(held_[n], shifts_[k], rest);
                i = alike;
            }
            for (std::size_t n = 0; n < touched_.size(); ++n) touched_[n] = static_cast<char>(touched_[n] | outside[n]);
        }
        if (ends_imperfect) total.add(iterate(k, trips - 1, last), 1);
        return total;
    }

    bool ended_as_begun(const std::vector<Held>& before, const Position& shift) const {
        for (std::size_t n = 0; n < held_.size(); ++n)
            if (touched_[n] != 0 && !(before[n].any && moved(before[n], shift, 1) == held_[n])) return false;
        return true;
    }

    // One moment: every neighbour that exists gets its next tile.
    Traffic step(LastMask last) {
        std::map<std::vector<Box>, std::vector<Neighbourhood::Sent>> sent;  // by shape: as if it started at the origin
        const std::vector<Neighbourhood::Standing>& standing = neighbourhood_.standing(last);
        for (std::size_t kind = 0; kind < held_.size(); ++kind) {
            const Neighbourhood::Standing& one = standing[kind];
            if (!one.exists) continue;
            touched_[kind] = 1;
            std::vector<Box> missing = deliver(held_[kind], tile_of(one.offset, neighbourhood_.inside(last, one)));
            if (missing.empty()) continue;
            const Position start = missing.front().low;
            for (Box& box : missing) {
                for (int r = 0; r < ranks_; ++r) box.low[r] -= start[r];
                for (int r = 0; r < ranks_; ++r) box.high[r] -= start[r];
            }
            sent[std::move(missing)].push_back({kind, start});
        }
        Traffic traffic;
        for (const auto& [shape, kinds] : sent) {
            std::int64_t words = 0;
            for (const Box& box : shape) words = checked_add(words, size_of(box));
            traffic.add(neighbourhood_.multicasts(last, kinds), words);
        }
        return traffic;
    }

    // The stride rule (docs/model.md, rule 2).
    std::vector<Box> deliver(Held& held, const Box& tile) const {
        if (!held.any) {
            held = {true, false, tile, {}};
            return {tile};
        }
        Position movement{};
        bool moves = false;
        for (int r = 0; r < ranks_; ++r) {
            movement[r] = half_away(tile.low[r] + tile.high[r] - held.tile.low[r] - held.tile.high[r]);
            moves = moves || movement[r] != 0;
        }
        if (moves && held.moving && movement != held.movement) {
            held = {true, false, tile, {}};
            return {tile};
        }
        std::vector<Box> missing = difference(tile, held.tile);
        held.tile = tile;
        if (moves) {
            held.moving = true;
            held.movement = movement;
        }
        return missing;
    }

    // a \ b as disjoint boxes: per rank the slices left and right of b, then the middle.
    std::vector<Box> difference(const Box& a, const Box& b) const {
        for (int r = 0; r < ranks_; ++r)
            if (a.high[r] <= b.low[r] || b.high[r] <= a.low[r]) return {a};
        std::vector<Box> rest;
        Box middle = a;
        for (int r = 0; r < ranks_; ++r) {
            if (middle.low[r] < b.low[r]) {
                rest.push_back(middle);
                rest.back().high[r] = b.low[r];
                middle.low[r] = b.low[r];
            }
            if (middle.high[r] > b.high[r]) {
                rest.push_back(middle);
                rest.back().low[r] = b.high[r];
                middle.high[r] = b.high[r];
            }
        }
        std::sort(rest.begin(), rest.end());
        return rest;
    }

    Box tile_of(const TileOffset& offset, LastMask last) const {
        Position corner = origin_;
        move(corner, offset, 1);
        Box box;
        for (int r = 0; r < ranks_; ++r) {
            std::int64_t below = 0;
            std::int64_t above = 0;
            for (const Term& term : tensor_.ranks[r].terms) {
                const int d = term.dimension;
                const std::int64_t extent = (last >> d & 1U) != 0 ? child_.last[d] : child_.full[d];
                const std::int64_t reach = checked_mul(term.coefficient, extent - 1);
                (reach < 0 ? below : above) += reach;
            }
            box.low[r] = corner[r] + below;
            box.high[r] = corner[r] + above + 1;
        }
        return box;
    }

    std::int64_t size_of(const Box& box) const {
        std::int64_t words = 1;
        for (int r = 0; r < ranks_; ++r) words = checked_mul(words, box.high[r] - box.low[r]);
        return words;
    }

    void move(Position& position, const Position& shift, std::int64_t times) const {
        for (int r = 0; r < ranks_; ++r) position[r] += shift[r] * times;
    }

    Held moved(Held held, const Position& shift, std::int64_t times) const {
        move(held.tile.low, shift, times);
        move(held.tile.high, shift, times);
        return held;
    }

    // Everything the traffic of loop k depends on, relative to the origin.
    std::string situation(int k, LastMask last) const {
        std::string key;
        key.reserve(held_.size() * static_cast<std::size_t>(3 * ranks_ + 1) * sizeof(std::int64_t) + 16);
        const auto add = [&key](std::int64_t number) {
            key.append(reinterpret_cast<const char*>(&number), sizeof number);
        };
        add(k);
        add(last);
        for (const Held& held : held_) {
            key.push_back(static_cast<char>((held.any ? 1 : 0) + (held.moving ? 2 : 0)));
            if (!held.any) continue;
            for (int r = 0; r < ranks_; ++r) {
                add(held.tile.low[r] - origin_[r]);
                add(held.tile.high[r] - held.tile.low[r]);
                if (held.moving) add(held.movement[r]);
            }
        }
        return key;
    }

    static constexpr std::size_t kMaxKnown = 1U << 14;

    const Nest& nest_;
    const NestLevel& level_;
    const NestLevel& child_;
    const Tensor& tensor_;
    const int index_;
    const int ranks_;
    const std::vector<std::int64_t> place_;         // by memory outside: this instance's number in the block below it
    const std::vector<LastMask> imperfect_inside_;  // by loop
    Fanouts& blocks_;
    Neighbourhood& neighbourhood_;
    std::vector<Held> held_;        // by kind of neighbour, for the one that stands for it
    std::vector<char> touched_;     // by kind: reached since the flag was cleared
    std::vector<Position> shifts_;  // by loop
    std::vector<int> memory_of_;    // by loop
    Position origin_{};
    std::unordered_map<std::string, Outcome> known_;
};

}  // namespace

Traffic imperfect_traffic(const Nest& nest, int level, int tensor) {
    Traffic total;
    Fanouts blocks(nest);
    Neighbourhood neighbourhood(nest, level, nest.einsum->tensors[tensor], blocks);
    for (const PlaceKind& kind : place_kinds(nest, level, nest.einsum->tensors[tensor], blocks))
        total.add(InstanceWalk(nest, level, tensor, blocks, neighbourhood, kind.place).run(), kind.count);
    return total;
}

}  // namespace tilewright
