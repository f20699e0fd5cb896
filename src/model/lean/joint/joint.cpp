// Words sent by a memory to all its neighbours together, for cases without closed form: repacking blocks, where a
// shorter step finds instances elsewhere, and sliding windows with different remembered directions.
//
// As in window.cpp, a nest of loops is composed from the inside out, but for the whole block below the memory at once.
// A sub-nest starts with its step of most neighbours at work, a superset of all others. Its words after that first step
// therefore depend only on the remembered directions: a bit per neighbour, for a clash with its first move. From one
// step to the next, neighbours missing the same words are sent them in one access.

#include <algorithm>
#include <cstddef>
#include <memory_resource>

#include "model/lean/blocks.hpp"
#include "model/lean/joint/joint_tiles.hpp"

namespace tilewright::lean {
namespace {

constexpr int kMaxSubs = 512;  // of one place

// `kRanks`: at least the number of changing ranks, 0 for a plain tensor. `Tally`: the counts of every step (tally.hpp).
template <int kRanks, typename Tally>
class JointFlow {
   public:
    using Sum = typename Tally::Sum;

    JointFlow(const Setup& setup, const ImperfectNest& nest, int level, int tensor, Tally tally)
        : nest_(nest),
          child_(level + 1),
          form_(setup.tensors[tensor]),
          around_(setup, nest, level + 1, tensor),
          base_(nest.outside[child_] != nest.temporal[level] ? 1 : 0),
          tiles_(setup, nest, level + 1, tensor, around_.ranks()),
          count_(std::move(tally), memory_) {
        for (int i = 0; i < around_.count(); ++i)
            for (int j = around_[i].first; j < around_[i].end; ++j)
                shifts_[j] = tiles_.coordinates_of(around_.shift(j));
        for (const Term& term : form_.terms)
            if (nest.full[child_][term.dimension] != nest.last[child_][term.dimension])
                step_matters_ |= 1U << term.dimension;
        if (base_ == 1) step_matters_ = around_[0].matters;
    }

    std::optional<Sum> run() {
        if (base_ == 1 && around_.size(around_[0]) > kMaxNeighbours) return std::nullopt;
        Sum total;
        const auto add_place = [&](const auto& numbers, double count) {
            numbers_ = numbers;
            memory_.release();
            std::fill_n(subs_.begin(), around_.count() + 1, nullptr);
            sub_count_ = 0;
            const View all = view(around_.count(), ~LastMask{0});
            if (!failed_ && all.sub->count > 0) total.add(count_.whole(*all.sub), count * tiles_.unchanging_words());
            return !failed_;
        };
        if (!visit_places(around_, base_, &lasting_, add_place) || total.is_overfull()) return std::nullopt;
        return total;
    }

   private:
    static constexpr bool kPlain = kRanks == 0;
    using Coordinates = lean::Coordinates<kRanks>;
    using TileBox = lean::TileBox<kRanks>;
    using ActiveSet = lean::ActiveSet<kRanks>;
    using Ends = lean::Ends<kRanks>;
    using Sub = lean::Sub<kRanks, Sum>;
    using Numbers = lean::Numbers<kRanks>;

    // A sub-nest with another start.
    struct View {
        Sub* sub = nullptr;
        Coordinates at{};
    };

    const ActiveSet& step(LastMask last) {
        for (const ActiveSet* known : steps_)
            if (known->last == last) return *known;
        ActiveSet& step = *make<ActiveSet>(
            lasting_, ActiveSet{last, 0, Pool<TileBox>(&lasting_), Pool<double>(&lasting_), Pool<int>(&lasting_), 0});
        steps_.push_back(&step);
        Numbers numbers(&lasting_);
        const std::int64_t size = base_ == 1 ? around_.size(around_[0]) : 1;
        for (std::int64_t number = 0; number < size; ++number) {
            Neighbour neighbour{true, last, {}};
            if (base_ == 1) neighbour = around_.neighbour(around_[0], last, number);
            if (!neighbour.exists) break;
            Coordinates at;
            if (base_ == 1) at = tiles_.coordinates_of(around_.offset(around_[0], neighbour));
            tiles_.add_tile(at, neighbour.inside, step);
            step.numbers.push_back(numbers.of(step.tiles.back()));
            ++step.count;
        }
        step.different = numbers.count();
        return step;
    }

    // The first `outer` parts of the surroundings with the dimensions in `last` in their last chunk.
    View view(int outer, LastMask last) {
        if (failed_) return {&nothing_, {}};
        if (outer == base_) return {sub(outer, last & step_matters_), {}};
        const Around& at = around_[outer - 1];
        last &= at.matters;
        if (!at.is_block) return {sub(outer, last), {}};
        const Neighbour neighbour = around_.neighbour(at, last, numbers_[outer - 1]);
        if (!neighbour.exists) return {&nothing_, {}};
        View inner = view(outer - 1, neighbour.inside);
        inner.at = inner.at.plus(tiles_.coordinates_of(around_.offset(at, neighbour)));
        return inner;
    }

    Sub* sub(int outer, LastMask last) {
        for (Sub* known = subs_[outer]; known != nullptr; known = known->next)
            if (known->last == last) return known;
        if (++sub_count_ > kMaxSubs) {
            failed_ = true;
            return &nothing_;
        }
        Sub* result = make<Sub>(memory_, &memory_);
        result->last = last;
        result->next = subs_[outer];
        subs_[outer] = result;
        if (outer == base_)
            become_step(*result, last);
        else
            become_loop(*result, outer, last);
        return result;
    }

    void become_step(Sub& result, LastMask last) {
        const ActiveSet& only = step(last);
        result.count = only.count;
        result.first = &only;
        result.end.parts[0] = {only.count, &only, {}};
        result.end.count = 1;
        if constexpr (!kPlain) result.first_move.assign(static_cast<std::size_t>(only.count), 0);
    }

    void become_loop(Sub& result, int outer, LastMask last) {
        const int j = around_[outer - 1].first;
        const ImperfectLoop& loop = around_.loop(j);
        const LastMask bit = 1U << loop.dimension;
        const LastMask inside = outer - 1 > base_ ? around_[outer - 2].matters : step_matters_;
        const bool at_last = (last & bit) != 0;
        const auto trips = static_cast<std::int64_t>(at_last ? loop.remainder : loop.extent);
        const bool ends_last = at_last && (inside & bit) != 0;
        const std::int64_t alike = trips - (ends_last ? 1 : 0);
        View body{&nothing_, {}};
        View final = body;
        if (alike > 0) body = view(outer - 1, last & ~bit);
        if (ends_last) final = view(outer - 1, last);
        // Neighbours at work in the last iteration are in the first one, too; except for blocks of three imperfect
        // loops.
        if (alike > 0 && final.sub->count > body.sub->count) failed_ = true;
        if (failed_) return;
        if (alike == 0)
            rename(result, final);
        else if (body.sub->count > 0)
            compose(result, body, alike, final, shifts_[j]);
    }

    // `result` is `inner` with another start.
    void rename(Sub& result, const View& inner) {
        result.count = inner.sub->count;
        result.first = inner.sub->first;
        result.first_at = inner.sub->first_at.plus(inner.at);
        result.end = inner.sub->end.moved(inner.at);
        result.sum = inner.sub->sum;
        result.body = inner.sub->body == nullptr ? nullptr : inner.sub;
        if constexpr (!kPlain) result.first_move = inner.sub->first_move;
    }

    void compose(Sub& result, const View& body, std::int64_t alike, const View& final, const Coordinates& shift) {
        rename(result, body);
        const bool moves = !(shift == Coordinates{}) || result.body != nullptr || !body.sub->sum.is_nothing();
        if (alike > 1 && moves) {
            go_on(result, *result.first, result.first_at.plus(shift), *body.sub, alike - 1);
            result.end = result.end.moved(shift, alike - 1);
            result.alike = alike;
        }
        if (final.sub->count == 0) return;
        const Coordinates at = final.at.plus(shift, alike);
        go_on(result, *final.sub->first, final.sub->first_at.plus(at), *final.sub, 1, true);
        end_with(result.end, final.sub->count, final.sub->end.moved(at));
        result.body = body.sub;
    }

    // Adds `times` transitions to a step at some place, and its continuation.
    void go_on(Sub& result, const ActiveSet& to, const Coordinates& at, Sub& then, std::int64_t times,
               bool is_final = false) {
        if constexpr (kPlain) {
            result.sum.add(count_.sent_between(result.end, to, at), static_cast<double>(times));
            result.sum.add(then.sum, static_cast<double>(times));
        } else {
            const Transition* transition = tiles_.transition_between(result.end, to, at, memory_);
            (is_final ? result.into_final : result.again) = transition;
            for (int n = 0; n < to.count; ++n) {
                if (result.first_move[n] == 0) result.first_move[n] = transition->each[n].move;
                if (result.first_move[n] == 0) result.first_move[n] = then.first_move[n];
            }
            if (is_final)
                result.final = &then;
            else
                result.body = &then;
        }
    }

    // Neighbours idle in the last iteration stay in place.
    void end_with(Ends& ends, int at_work, Ends last) {
        for (int p = 0; p < ends.count; ++p) {
            if (ends.parts[p].end <= at_work) continue;
            if (last.count == Ends::kMost) {
                failed_ = true;
                return;
            }
            last.parts[last.count++] = ends.parts[p];
        }
        ends = last;
    }

    // Objects here are freed all at once and never destroyed.
    alignas(std::max_align_t) std::array<std::byte, 1U << 15> lasting_buffer_;
    alignas(std::max_align_t) std::array<std::byte, 1U << 17> buffer_;
    std::pmr::monotonic_buffer_resource lasting_{lasting_buffer_.data(), lasting_buffer_.size()};
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};  // for one place

    const ImperfectNest& nest_;
    const int child_;
    const TensorForm& form_;
    const Surroundings around_;
    const int base_;  // parts of the surroundings that make a step: the block below the memory, if any
    const JointTiles<kRanks> tiles_;
    JointCount<kRanks, Tally> count_;
    LastMask step_matters_ = 0;
    bool failed_ = false;

    std::array<Coordinates, kMaxImperfectLoops> shifts_;  // by loop

    std::array<std::int64_t, kMaxImperfectLoops> numbers_;  // of the instance, by outer block
    Pool<const ActiveSet*> steps_{&lasting_};
    std::array<Sub*, kMaxImperfectLoops + 1> subs_;  // by parts of the surroundings, as lists
    int sub_count_ = 0;
    Sub nothing_{&memory_};
};

// Ranks of the tensor moved by some loop around memory `child`.
int changing_ranks(const Setup& setup, const ImperfectNest& nest, int child, int tensor) {
    const auto changes = [&](const Rank& rank) {
        return std::ranges::any_of(
            rank.terms, [&](const tilewright::Term& term) { return (nest.looped[child] >> term.dimension & 1U) != 0; });
    };
    return static_cast<int>(std::ranges::count_if(setup.einsum.tensors[tensor].ranks, changes));
}

template <typename Tally>
std::optional<typename Tally::Sum> joint(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                         const Tally& tally) {
    if (setup.tensors[tensor].plain) return JointFlow<0, Tally>(setup, nest, level, tensor, tally).run();
    const int ranks = changing_ranks(setup, nest, level + 1, tensor);
    if (ranks <= 2) return JointFlow<2, Tally>(setup, nest, level, tensor, tally).run();
    if (ranks <= 4) return JointFlow<4, Tally>(setup, nest, level, tensor, tally).run();
    return JointFlow<kMaxRanks, Tally>(setup, nest, level, tensor, tally).run();
}

}  // namespace

std::optional<Flow> joint_flow(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    return joint(setup, nest, level, tensor, FlowTally());
}

std::optional<Multicasts> joint_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                           const MulticastTally& tally) {
    return joint(setup, nest, level, tensor, tally);
}

// Distinct words of a plain tensor below repacking blocks: an instance has other tiles in shorter steps.
//
// The tiles of one instance are listed as regions. A region chooses, per loop with a different last iteration, that one
// or all others; per block, the instance's place. Two regions have equal or disjoint tiles: they differ as soon as a
// relevant loop or a place does.

namespace {

class Regions {
   public:
    Regions(const Setup& setup, const ImperfectNest& nest, int level, int tensor)
        : nest_(nest), level_(level), form_(setup.tensors[tensor]), around_(setup, nest, level, tensor) {}

    std::optional<double> words() {
        double total = 0.0;
        const auto add_place = [&](const auto& numbers, double count) {
            numbers_ = numbers;
            found_.clear();
            words_ = 0.0;
            list(around_.count(), ~LastMask{0}, 1.0, 0);
            total += count * words_;
            return found_.size() <= kMostRegions;
        };
        if (!visit_places(around_, 0, &memory_, add_place)) return std::nullopt;
        return total;
    }

   private:
    static constexpr std::size_t kMostRegions = 4096;

    // The first `outer` parts of the surroundings; `region` numbers the choices so far, and `tiles` counts its tiles.
    void list(int outer, LastMask last, double tiles, std::uint64_t region) {
        if (outer == 0) return add(last, tiles, region);
        const Around& at = around_[outer - 1];
        last &= at.matters;
        if (at.is_block) return enter(outer, last, tiles, region);
        const ImperfectLoop& loop = around_.loop(at.first);
        const LastMask bit = 1U << loop.dimension;
        const bool relevant = around_.is_relevant(loop.dimension);
        const double trips = (last & bit) != 0 ? loop.remainder : loop.extent;
        const LastMask inside = outer > 1 ? around_[outer - 2].matters : own_matters();
        const bool ends_last = (last & bit & inside) != 0;
        const double alike = trips - (ends_last ? 1.0 : 0.0);
        if (relevant && (inside & bit) != 0) region *= 2;
        if (alike > 0.0) list(outer - 1, last & ~bit, relevant ? tiles * alike : tiles, region);
        if (ends_last) list(outer - 1, last, tiles, relevant ? region + 1 : region);
    }

    void enter(int outer, LastMask last, double tiles, std::uint64_t region) {
        const Around& at = around_[outer - 1];
        const Neighbour neighbour = around_.neighbour(at, last, numbers_[outer - 1]);
        if (!neighbour.exists) return;
        for (int j = at.first; j < at.end; ++j) {
            const ImperfectLoop& loop = around_.loop(j);
            if (around_.is_relevant(loop.dimension))
                region = region * static_cast<std::uint64_t>(loop.extent) +
                         static_cast<std::uint64_t>(neighbour.index[loop.dimension]);
        }
        list(outer - 1, neighbour.inside, tiles, region);
    }

    LastMask own_matters() const {
        LastMask matters = 0;
        for (const Term& term : form_.terms)
            if (nest_.full[level_][term.dimension] != nest_.last[level_][term.dimension])
                matters |= 1U << term.dimension;
        return matters;
    }

    void add(LastMask last, double tiles, std::uint64_t region) {
        if (found_.size() > kMostRegions || std::ranges::find(found_, region) != found_.end()) return;
        found_.push_back(region);
        for (const Term& term : form_.terms) {
            const int d = term.dimension;
            const double extent = (last >> d & 1U) != 0 ? nest_.last[level_][d] : nest_.full[level_][d];
            tiles *= 1.0 + term.reach * (extent - 1.0);
        }
        words_ += tiles;
    }

    std::array<std::byte, 1U << 14> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};

    const ImperfectNest& nest_;
    const int level_;
    const TensorForm& form_;
    const Surroundings around_;
    std::array<std::int64_t, kMaxImperfectLoops> numbers_;  // of the instance, by outer block
    std::pmr::vector<std::uint64_t> found_{&memory_};
    double words_ = 0.0;
};

}  // namespace

std::optional<double> joint_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    return Regions(setup, nest, level, tensor).words();
}

}  // namespace tilewright::lean
