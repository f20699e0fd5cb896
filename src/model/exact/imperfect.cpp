#include "model/exact/traffic.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/numbers/checked.hpp"
#include "model/exact/fanout.hpp"
#include "model/exact/places.hpp"

namespace tilewright {
namespace {

using Position = TileOffset;

struct Box {
    Position low{};
    Position high{};  // exclusive

    auto operator<=>(const Box&) const = default;
};

// A neighbour's state: its last tile and the last movement with reuse.
struct Held {
    bool any = false;
    bool moving = false;
    Box tile;
    Position movement{};

    bool operator==(const Held&) const = default;
};

std::int64_t half_away(std::int64_t doubled) { return doubled >= 0 ? (doubled + 1) / 2 : (doubled - 1) / 2; }

// The neighbours below one memory, by kind: equal words up to a shift.
class Neighbourhood {
   public:
    Neighbourhood(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks)
        : nest_(nest), level_(level), tensor_(tensor), blocks_(blocks) {
        const std::vector<NumberKind> kinds = number_kinds(nest, level, tensor, blocks);
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            first_.push_back(kinds[kind].first());
            counts_.push_back(kinds[kind].count());
            for (const NumberKind::Run& run : kinds[kind].runs) runs_.push_back({run.first, run.count, kind});
        }
        std::ranges::sort(runs_, {}, &Run::first);
    }

    std::size_t kinds() const { return first_.size(); }
    std::int64_t count(std::size_t kind) const { return counts_[kind]; }

    // The current representative of a kind.
    struct Standing {
        bool exists = false;
        LastMask last = 0;    // bits decided by the block
        TileOffset offset{};  // of its tile
    };
    // By kind.
    const std::vector<Standing>& standing(LastMask last) {
        auto [at, fresh] = standing_.try_emplace(last & blocks_.relevant(level_));
        if (fresh) at->second = stand(last);
        return at->second;
    }
    LastMask inside(LastMask last, const Standing& one) const { return blocks_.inside(level_, last, one.last); }

    // A kind, with the start of its representative's words.
    struct Sent {
        std::size_t kind = 0;
        Position start{};
    };

    // The multicasts of one word per neighbour for kinds with sets of the same shape, and the start of each multicast's
    // sets relative to the first kind's.
    struct Multicasts {
        Traffic traffic;
        std::vector<TileOffset> starts;
    };
    const Multicasts& multicasts(LastMask last, const std::vector<Sent>& sent) {
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

    Multicasts count(LastMask last, const std::vector<Sent>& sent) {
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
                    start[r] += each->start[r] - standing[run.kind].offset[r] - sent.front().start[r];
                groups.add(start, walk.number());
            }
        }
        return {groups.traffic(), groups.positions()};
    }

    const Nest& nest_;
    const int level_;
    const Tensor& tensor_;
    Fanouts& blocks_;
    std::vector<std::int64_t> first_;   // by kind
    std::vector<std::int64_t> counts_;  // by kind
    std::vector<Run> runs_;             // ascending
    std::map<LastMask, std::vector<Standing>> standing_;
    std::map<std::vector<std::int64_t>, Multicasts> known_;
};

// Numbers the requests of a step, up to their start: a set of words, or several if passed on by a bypassed memory.
class Requests {
   public:
    struct Request {
        int number = 0;
        Position start{};
    };
    // Part of a request: a set of words.
    using Part = std::pair<int, Position>;

    // `set`: as if it started at the origin.
    int of_set(std::vector<Box> set, std::int64_t words) {
        const auto [at, fresh] = sets_.try_emplace(std::move(set), static_cast<int>(requests_.size()));
        if (fresh) requests_.push_back({std::vector<Part>{Part{at->second, Position{}}}, words});
        return at->second;
    }

    Request of_parts(std::vector<Part> parts) {
        std::ranges::sort(parts);
        const Position start = parts.front().second;
        std::int64_t words = 0;
        for (Part& part : parts) {
            words = checked_add(words, requests_[part.first].words);
            for (std::size_t r = 0; r < start.size(); ++r) part.second[r] -= start[r];
        }
        if (parts.size() == 1) return {parts.front().first, start};
        const auto [at, fresh] = several_.try_emplace(std::move(parts), static_cast<int>(requests_.size()));
        if (fresh) requests_.push_back({at->first, words});
        return {at->second, start};
    }

    std::int64_t words(int number) const { return requests_[number].words; }

    // Adds the sets of a request with this start.
    void add_parts(int number, const Position& start, std::vector<Part>& parts) const {
        for (const Part& part : requests_[number].parts) {
            Part& added = parts.emplace_back(part);
            for (std::size_t r = 0; r < start.size(); ++r) added.second[r] += start[r];
        }
    }

   private:
    struct Numbered {
        std::vector<Part> parts;
        std::int64_t words = 0;
    };
    std::map<std::vector<Box>, int> sets_;
    std::map<std::vector<Part>, int> several_;
    std::vector<Numbered> requests_;
};

// Walks the temporal loops around the requesters, for one instance of the memory they request from. All instances of
// bypassed memories between step on together.
class InstanceWalk {
   public:
    // By memory, from the requested one inwards.
    using Neighbourhoods = std::vector<Neighbourhood>;
    using Traffics = std::vector<Traffic>;

    InstanceWalk(const Nest& nest, int level, int asking, int tensor, Fanouts& blocks, Neighbourhoods& neighbourhoods,
                 std::vector<std::int64_t> place)
        : nest_(nest),
          tensor_(nest.einsum->tensors[tensor]),
          index_(level),
          asking_(asking),
          ranks_(static_cast<int>(tensor_.ranks.size())),
          place_(std::move(place)),
          imperfect_inside_(imperfect_inside(nest)),
          blocks_(blocks),
          neighbourhoods_(neighbourhoods),
          entered_(neighbourhoods.size()) {
        counts_.push_back({1});
        for (const Neighbourhood& below : neighbourhoods) {
            std::vector<std::int64_t> counts;
            for (const std::int64_t outside : counts_.back())
                for (std::size_t kind = 0; kind < below.kinds(); ++kind)
                    counts.push_back(checked_mul(outside, below.count(kind)));
            counts_.push_back(std::move(counts));
        }
        held_.resize(asks_are_units() ? 0 : counts_.back().size());
        touched_.resize(held_.size(), 0);
        for (const NestLoop& loop : nest.loops) {
            Position shift{};
            for (int r = 0; r < ranks_; ++r)
                shift[r] = nest.shift(static_cast<int>(&loop - nest.loops.data()), tensor_.ranks[r]);
            shifts_.push_back(shift);
        }
    }

    Traffics run() { return walk(0, 0, {{true, imperfect_inside_[0], {}}}); }

   private:
    // One kind of instances at some point of the nest, as far as it is determined: one outside the requested memory, as
    // many as kinds of neighbours inside the block below it, and so on.
    struct Standing {
        bool exists = false;
        LastMask last = 0;
        TileOffset offset{};  // of its tile, from the origin
    };
    using Standings = std::vector<Standing>;

    struct Outcome {
        Traffics traffic;
        std::vector<std::pair<int, Held>> held;  // of the touched neighbours, relative to the origin
    };

    bool asks_are_units() const { return asking_ == nest_.level_count(); }
    Traffics nothing() const { return Traffics(neighbourhoods_.size()); }
    static void add(Traffics& all, const Traffics& more, std::int64_t times) {
        for (std::size_t i = 0; i < all.size(); ++i) all[i].add(more[i], times);
    }

    Traffics walk(int outer, int k, const Standings& now) {
        if (k < nest_.levels[outer].spatial) return remembered(outer, k, now);
        if (outer < index_) return enter(outer, now.front().last);
        entered_[outer - index_] = now;
        Standings inside = spread(outer, now);
        return outer + 1 == asking_ ? step(inside) : walk(outer + 1, nest_.levels[outer].end, inside);
    }

    // The block below `outer`: into the neighbour leading to this instance, if present.
    Traffics enter(int outer, LastMask last) {
        const Neighbour* neighbour = blocks_.find(outer, last, place_[outer]);
        if (neighbour == nullptr) return nothing();
        const NestLevel& level = nest_.levels[outer];
        const Position before = origin_;
        for (std::size_t i = 0; i < neighbour->index.size(); ++i)
            move(origin_, shifts_[level.spatial + i], neighbour->index[i]);
        const LastMask inside = blocks_.inside(outer, last, *neighbour) & imperfect_inside_[level.end];
        Traffics traffic = walk(outer + 1, level.end, {{true, inside, {}}});
        origin_ = before;
        return traffic;
    }

    Standings spread(int outer, const Standings& outside) {
        Neighbourhood& below = neighbourhoods_[outer - index_];
        Standings inside;
        inside.reserve(outside.size() * below.kinds());
        for (const Standing& parent : outside) {
            if (!parent.exists) {
                inside.resize(inside.size() + below.kinds());
                continue;
            }
            for (const Neighbourhood::Standing& one : below.standing(parent.last)) {
                Standing& child = inside.emplace_back();
                if (!one.exists) continue;
                child = {true, below.inside(parent.last, one) & imperfect_inside_[nest_.levels[outer].end],
                         parent.offset};
                move(child.offset, one.offset, 1);
            }
        }
        return inside;
    }

    Traffics iterate(int outer, int k, std::int64_t i, const Standings& inside) {
        const Position before = origin_;
        move(origin_, shifts_[k], i);
        Traffics traffic = walk(outer, k + 1, inside);
        origin_ = before;
        return traffic;
    }

    // A temporal loop, looked up if the situation is known.
    Traffics remembered(int outer, int k, const Standings& now) {
        throw_if_stopped(nest_.stop);
        std::string key = situation(k, now);
        if (const auto known = known_.find(key); known != known_.end()) {
            for (const auto& [n, held] : known->second.held) {
                held_[n] = moved(held, origin_, 1);
                touched_[n] = 1;
            }
            return known->second.traffic;
        }
        const std::vector<char> outside = std::exchange(touched_, std::vector<char>(touched_.size(), 0));
        Outcome outcome{run_loop(outer, k, now), {}};
        for (std::size_t n = 0; n < held_.size(); ++n)
            if (touched_[n] != 0) outcome.held.emplace_back(static_cast<int>(n), moved(held_[n], origin_, -1));
        for (std::size_t n = 0; n < touched_.size(); ++n) touched_[n] = static_cast<char>(touched_[n] | outside[n]);
        Traffics traffic = outcome.traffic;
        if (known_.size() < kMaxKnown) known_.emplace(std::move(key), std::move(outcome));
        return traffic;
    }

    // Kinds in their last chunk run fewer iterations, the last of them with the last chunk inside. So the iterations
    // are: those before, that one, and those after with work for the others only.
    Traffics run_loop(int outer, int k, const Standings& now) {
        const NestLoop& loop = nest_.loops[k];
        const LastMask bit = LastMask{1} << loop.dimension;
        const bool matters = (imperfect_inside_[k + 1] & bit) != 0;
        bool some_last = false;
        bool some_full = false;
        for (const Standing& one : now) {
            const bool at_last = (one.last & bit) != 0;
            some_last = some_last || (one.exists && at_last);
            some_full = some_full || (one.exists && !at_last);
        }
        const bool ends_apart = some_last && matters;
        const std::int64_t together = some_last ? loop.remainder - (ends_apart ? 1 : 0) : loop.extent;
        Traffics total = nothing();
        repeat(outer, k, 0, together, inside_loop(k, now, ~bit, ~LastMask{0}), total);
        if (ends_apart) add(total, iterate(outer, k, together, inside_loop(k, now, ~LastMask{0}, ~LastMask{0})), 1);
        if (some_last && some_full)
            repeat(outer, k, loop.remainder, loop.extent, inside_loop(k, now, ~bit, ~bit), total);
        return total;
    }

    // Kinds with a mask inside `working`; `kept`: bits left by an iteration of loop k.
    Standings inside_loop(int k, const Standings& now, LastMask kept, LastMask working) const {
        Standings inside = now;
        for (Standing& one : inside) {
            one.exists = one.exists && (one.last & ~working) == 0;
            one.last = one.exists ? one.last & kept & imperfect_inside_[k + 1] : 0;
            if (!one.exists) one.offset = {};
        }
        return inside;
    }

    // Runs iterations until one ends as it began, one step further on; the others then cost the same.
    void repeat(int outer, int k, std::int64_t begin, std::int64_t end, const Standings& inside, Traffics& total) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::vector<Held> before = held_;
            const std::vector<char> outside = std::exchange(touched_, std::vector<char>(touched_.size(), 0));
            const Traffics traffic = iterate(outer, k, i, inside);
            add(total, traffic, 1);
            if (ended_as_begun(before, shifts_[k])) {
                const std::int64_t rest = end - 1 - i;
                add(total, traffic, rest);
                for (std::size_t n = 0; n < held_.size(); ++n)
                    if (touched_[n] != 0) held_[n] = moved(held_[n], shifts_[k], rest);
                i = end;
            }
            for (std::size_t n = 0; n < touched_.size(); ++n) touched_[n] = static_cast<char>(touched_[n] | outside[n]);
        }
    }

    bool ended_as_begun(const std::vector<Held>& before, const Position& shift) const {
        for (std::size_t n = 0; n < held_.size(); ++n)
            if (touched_[n] != 0 && !(before[n].any && moved(before[n], shift, 1) == held_[n])) return false;
        return true;
    }

    // One moment: every present instance requests the words its next tile lacks. From the inside out, memories not
    // keeping the tensor pass requests on.
    Traffics step(const Standings& asking) {
        std::vector<std::optional<Requests::Request>> requests(asking.size());
        for (std::size_t n = 0; n < asking.size(); ++n)
            if (asking[n].exists) requests[n] = request_of(n, asking[n]);
        Traffics traffic = nothing();
        for (std::size_t m = neighbourhoods_.size(); m-- > 0;) {
            std::vector<std::optional<Requests::Request>> outside(entered_[m].size());
            for (std::size_t parent = 0; parent < outside.size(); ++parent)
                outside[parent] = pass_on(m, parent, requests, traffic[m]);
            requests = std::move(outside);
        }
        return traffic;
    }

    std::optional<Requests::Request> request_of(std::size_t n, const Standing& one) {
        const Box tile = tile_of(one.offset, one.last);
        if (asks_are_units()) return Requests::Request{requests_.of_set({at_origin(tile, tile.low)}, 1), tile.low};
        touched_[n] = 1;
        std::vector<Box> missing = deliver(held_[n], tile);
        if (missing.empty()) return std::nullopt;
        const Position start = missing.front().low;
        std::int64_t words = 0;
        for (Box& box : missing) {
            words = checked_add(words, size_of(box));
            box = at_origin(box, start);
        }
        return Requests::Request{requests_.of_set(std::move(missing), words), start};
    }

    // Requests of the neighbours below an instance of memory m (from the requested one on) to it.
    std::optional<Requests::Request> pass_on(std::size_t m, std::size_t parent,
                                             const std::vector<std::optional<Requests::Request>>& requests,
                                             Traffic& traffic) {
        Neighbourhood& below = neighbourhoods_[m];
        std::map<int, std::vector<Neighbourhood::Sent>> sent;
        for (std::size_t kind = 0; kind < below.kinds(); ++kind)
            if (const auto& request = requests[parent * below.kinds() + kind])
                sent[request->number].push_back({kind, request->start});
        if (sent.empty()) return std::nullopt;
        std::vector<Requests::Part> parts;
        for (const auto& [number, kinds] : sent) {
            const Neighbourhood::Multicasts& multicasts = below.multicasts(entered_[m][parent].last, kinds);
            traffic.add(multicasts.traffic, checked_mul(requests_.words(number), counts_[m][parent]));
            if (m == 0) continue;
            for (Position start : multicasts.starts) {
                move(start, kinds.front().start, 1);
                requests_.add_parts(number, start, parts);
            }
        }
        if (m == 0) return std::nullopt;  // the requested memory
        return requests_.of_parts(std::move(parts));
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

    Box at_origin(Box box, const Position& start) const {
        move(box.low, start, -1);
        move(box.high, start, -1);
        return box;
    }

    // Units hold single words.
    Box tile_of(const TileOffset& offset, LastMask last) const {
        Position corner = origin_;
        move(corner, offset, 1);
        Box box;
        for (int r = 0; r < ranks_; ++r) {
            std::int64_t below = 0;
            std::int64_t above = 0;
            for (const Term& term : tensor_.ranks[r].terms) {
                const int d = term.dimension;
                const std::int64_t extent = asks_are_units()        ? 1
                                            : (last >> d & 1U) != 0 ? nest_.levels[asking_].last[d]
                                                                    : nest_.levels[asking_].full[d];
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

    // All inputs to the traffic of loop k, relative to the origin.
    std::string situation(int k, const Standings& now) const {
        std::string key;
        const std::size_t numbers =
            held_.size() * static_cast<std::size_t>(3 * ranks_ + 1) + now.size() * static_cast<std::size_t>(ranks_ + 1);
        key.reserve(numbers * sizeof(std::int64_t) + 16);
        const auto add = [&key](std::int64_t number) {
            key.append(reinterpret_cast<const char*>(&number), sizeof number);
        };
        add(k);
        for (const Standing& one : now) {
            add(one.exists ? one.last : -1);
            for (int r = 0; r < ranks_; ++r) add(one.offset[r]);
        }
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
    const Tensor& tensor_;
    const int index_;   // the requested memory
    const int asking_;  // the requesters
    const int ranks_;
    const std::vector<std::int64_t> place_;         // by outer memory: this instance's number in the block below it
    const std::vector<LastMask> imperfect_inside_;  // by loop
    Fanouts& blocks_;
    Neighbourhoods& neighbourhoods_;
    std::vector<Standings> entered_;                 // by memory: the instances that last entered the block below it
    std::vector<std::vector<std::int64_t>> counts_;  // by memory and kind: instances of this kind
    Requests requests_;
    std::vector<Held> held_;        // by kind of requesters, for its representative
    std::vector<char> touched_;     // by kind: reached since the flag was cleared
    std::vector<Position> shifts_;  // by loop
    Position origin_{};
    std::unordered_map<std::string, Outcome> known_;
};

}  // namespace

std::vector<Traffic> imperfect_traffic(const Nest& nest, int level, int asking, int tensor) {
    std::vector<Traffic> total(static_cast<std::size_t>(asking - level));
    Fanouts blocks(nest);
    std::vector<Neighbourhood> neighbourhoods;
    for (int l = level; l < asking; ++l) neighbourhoods.emplace_back(nest, l, nest.einsum->tensors[tensor], blocks);
    for (const PlaceKind& kind : place_kinds(nest, level, nest.einsum->tensors[tensor], blocks)) {
        const auto traffic = InstanceWalk(nest, level, asking, tensor, blocks, neighbourhoods, kind.place).run();
        for (std::size_t i = 0; i < total.size(); ++i) total[i].add(traffic[i], kind.count);
    }
    return total;
}

}  // namespace tilewright
