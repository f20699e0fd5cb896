// What a memory sends to all its neighbours together, when the closed forms do not hold: blocks that close up, so that
// a shorter step finds instances elsewhere, and sliding windows whose neighbours remember different directions.
//
// As window.cpp, a nest of loops is composed from the inside out, but for the whole block below the memory at
// once. A sub-nest starts with the step that finds most neighbours at work; all that work in it at all work then. So
// what it sends after that first step depends on the directions that its neighbours remember, and on nothing else: a
// bit per neighbour, whether its direction clashes with its first move. From one step to the next, neighbours that miss
// the same words are sent them in one access.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <span>

#include "model/lean/blocks.hpp"
#include "model/lean/tally.hpp"

namespace tilewright::lean {
namespace {

constexpr int kMaxSubs = 512;  // of one place
constexpr std::int64_t kNoDirection = INT64_MIN;
constexpr std::int64_t kOtherDirection = INT64_MIN + 1;  // clashes with every move

template <typename T>
using Pool = std::pmr::vector<T>;

// A position, by rank whose tiles change. Tiles of a plain tensor are the same or have nothing in common: one number
// for all ranks (kRanks = 0) tells them apart.
template <int kRanks>
struct Place {
    std::array<std::int64_t, std::max(kRanks, 1)> at{};

    bool operator==(const Place&) const = default;
    Place plus(const Place& other, std::int64_t times = 1) const {
        Place result = *this;
        for (std::size_t r = 0; r < at.size(); ++r) result.at[r] += times * other.at[r];
        return result;
    }
};

template <int kRanks>
struct Tile {
    Place<kRanks> low;
    Place<kRanks> high;  // exclusive

    bool operator==(const Tile&) const = default;
    Tile moved(const Place<kRanks>& by) const { return {low.plus(by), high.plus(by)}; }
};

// The neighbours at work in a step, relative to where the memory works.
template <int kRanks>
struct Step {
    LastMask last;
    int count;
    Pool<Tile<kRanks>> tiles;
    Pool<double> words;
    Pool<int> numbers;  // equal for equal tiles
    int different;      // tiles
};

// Where neighbours were last at work, in the order of their numbers.
template <int kRanks>
struct Ends {
    struct Part {
        int end;  // of the numbers, exclusive
        const Step<kRanks>* step;
        Place<kRanks> at;
    };
    static constexpr int kMost = 8;
    std::array<Part, kMost> parts;
    int count = 0;

    Ends moved(const Place<kRanks>& by, std::int64_t times = 1) const {
        Ends result;
        for (; result.count < count; ++result.count) {
            result.parts[result.count] = parts[result.count];
            result.parts[result.count].at = parts[result.count].at.plus(by, times);
        }
        return result;
    }
};

// From one step to the next one, for each neighbour at work in the next one.
struct Transition {
    struct Each {
        std::int64_t move;
        double whole;
        double rest;       // what it does not hold yet
        int whole_number;  // equal for equal sets of words
        int rest_number;
    };
    Pool<Each> each;
    int numbers;
};

template <typename Sum>
struct Outcome {
    Pool<std::uint64_t> clashes;   // bit n: the direction of neighbour n clashes with its first move
    Pool<std::int64_t> direction;  // at the end, of neighbours that move
    Sum sum;
};

// The loops inside some point of the nest, in some situation, relative to where they start.
template <int kRanks, typename Sum>
struct Sub {
    Sub* next = nullptr;  // of the same loops, in another situation
    LastMask last = 0;
    int count = 0;  // neighbours at work in the first step, and ever
    const Step<kRanks>* first = nullptr;
    Place<kRanks> first_at;
    Ends<kRanks> end;
    Sum sum;  // of a plain tensor, after the first step
    // Of others: how to find out when the directions at the beginning are known.
    Sub* body = nullptr;     // null: nothing is sent after the first step
    Sub* final = nullptr;    // the last iteration where it is another one
    std::int64_t alike = 1;  // iterations of the body
    const Transition* again = nullptr;
    const Transition* into_final = nullptr;
    Pool<std::int64_t> first_move;  // 0: never moves
    Pool<Outcome<Sum>> outcomes;

    explicit Sub(std::pmr::memory_resource* memory) : first_move(memory), outcomes(memory) {}
};

// Numbers sets of words so that equal ones have equal numbers. A set is what a tile has and another box has not.
template <int kRanks>
class Numbers {
   public:
    explicit Numbers(std::pmr::memory_resource* memory) : known_(memory) {}

    int of(const Tile<kRanks>& tile, const Tile<kRanks>& without = {}) {
        for (std::size_t i = 0; i < known_.size(); ++i)
            if (known_[i].first == tile && known_[i].second == without) return static_cast<int>(i);
        known_.emplace_back(tile, without);
        return count() - 1;
    }
    int count() const { return static_cast<int>(known_.size()); }

   private:
    Pool<std::pair<Tile<kRanks>, Tile<kRanks>>> known_;
};

// `kRanks`: at least as many as change, 0 for a plain tensor. `Tally`: what is counted of every step (tally.hpp).
template <int kRanks, typename Tally>
class JointFlow {
   public:
    using Sum = typename Tally::Sum;

    JointFlow(const Setup& setup, const ImperfectNest& nest, int level, int tensor, Tally tally)
        : tally_(std::move(tally)),
          setup_(setup),
          nest_(nest),
          child_(level + 1),
          form_(setup.tensors[tensor]),
          tensor_(setup.einsum.tensors[tensor]),
          around_(setup, nest, level + 1, tensor),
          base_(nest.outside[child_] != nest.temporal[level] ? 1 : 0) {
        choose_ranks();
        for (int i = 0; i < around_.count(); ++i)
            for (int j = around_[i].first; j < around_[i].end; ++j) shifts_[j] = place_of(around_.shift(j));
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
            if (!failed_ && all.sub->count > 0) total.add(whole(*all.sub), count * unchanging_words_);
            return !failed_;
        };
        if (!visit_places(around_, base_, &lasting_, add_place) || total.is_overfull()) return std::nullopt;
        return total;
    }

   private:
    static constexpr bool kPlain = kRanks == 0;
    using Place = lean::Place<kRanks>;
    using Tile = lean::Tile<kRanks>;
    using Step = lean::Step<kRanks>;
    using Ends = lean::Ends<kRanks>;
    using Sub = lean::Sub<kRanks, Sum>;
    using Outcome = lean::Outcome<Sum>;
    using Numbers = lean::Numbers<kRanks>;

    // A sub-nest that starts elsewhere.
    struct View {
        Sub* sub = nullptr;
        Place at{};
    };

    // ---------------------------------------------------------------- ranks

    void choose_ranks() {
        std::int64_t unit = 1;
        for (int r = 0; r < around_.ranks(); ++r) {
            const Rank& rank = tensor_.ranks[r];
            bool changes = false;
            double width = 1.0;
            std::int64_t whole = 1;
            for (const tilewright::Term& term : rank.terms) {
                changes = changes || (nest_.looped[child_] >> term.dimension & 1U) != 0;
                width += static_cast<double>(std::abs(term.coefficient)) * (nest_.last[child_][term.dimension] - 1.0);
                whole += std::abs(term.coefficient) * static_cast<std::int64_t>(setup_.extents[term.dimension]);
            }
            if (!changes) {
                unchanging_words_ *= width;
                continue;
            }
            rank_[rank_count_] = r;
            unit_[rank_count_++] = unit;
            unit *= 8 * whole;
        }
    }

    Place place_of(const Position& position) const {
        Place place;
        for (int r = 0; r < rank_count_; ++r) {
            if constexpr (kPlain)
                place.at[0] += unit_[r] * position[rank_[r]];
            else
                place.at[r] = position[rank_[r]];
        }
        return place;
    }

    // ---------------------------------------------------------------- steps

    const Step& step(LastMask last) {
        for (const Step* known : steps_)
            if (known->last == last) return *known;
        Step& step = *make<Step>(
            lasting_, Step{last, 0, Pool<Tile>(&lasting_), Pool<double>(&lasting_), Pool<int>(&lasting_), 0});
        steps_.push_back(&step);
        Numbers numbers(&lasting_);
        const std::int64_t size = base_ == 1 ? around_.size(around_[0]) : 1;
        for (std::int64_t number = 0; number < size; ++number) {
            Neighbour neighbour{true, last, {}};
            if (base_ == 1) neighbour = around_.neighbour(around_[0], last, number);
            if (!neighbour.exists) break;
            add_tile(step, neighbour);
            step.numbers.push_back(numbers.of(step.tiles.back()));
            ++step.count;
        }
        step.different = numbers.count();
        return step;
    }

    void add_tile(Step& step, const Neighbour& neighbour) const {
        Tile tile;
        if (base_ == 1) tile.low = place_of(around_.offset(around_[0], neighbour));
        tile.high = tile.low;
        double words = 1.0;
        for (int r = 0; r < rank_count_; ++r) {
            std::int64_t below = 0;
            std::int64_t above = 1;
            for (const tilewright::Term& term : tensor_.ranks[rank_[r]].terms) {
                const int d = term.dimension;
                const double extent = (neighbour.inside >> d & 1U) != 0 ? nest_.last[child_][d] : nest_.full[child_][d];
                const std::int64_t reach = term.coefficient * (static_cast<std::int64_t>(extent) - 1);
                (reach < 0 ? below : above) += reach;
            }
            words *= static_cast<double>(above - below);
            if constexpr (kPlain) continue;
            tile.low.at[r] += below;
            tile.high.at[r] += above;
        }
        step.tiles.push_back(tile);
        step.words.push_back(words);
    }

    // ---------------------------------------------------------------- sub-nests

    // The first `outer` parts of the surroundings when the dimensions in `last` are in their last chunk.
    View view(int outer, LastMask last) {
        if (failed_) return {&nothing_, {}};
        if (outer == base_) return {sub(outer, last & step_matters_), {}};
        const Around& at = around_[outer - 1];
        last &= at.matters;
        if (!at.is_block) return {sub(outer, last), {}};
        const Neighbour neighbour = around_.neighbour(at, last, numbers_[static_cast<std::size_t>(outer - 1)]);
        if (!neighbour.exists) return {&nothing_, {}};
        View inner = view(outer - 1, neighbour.inside);
        inner.at = inner.at.plus(place_of(around_.offset(at, neighbour)));
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
        const Step& only = step(last);
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
        // Who works in the last iteration works in the first one, too; only blocks of three imperfect loops differ.
        if (alike > 0 && final.sub->count > body.sub->count) failed_ = true;
        if (failed_) return;
        if (alike == 0)
            rename(result, final);
        else if (body.sub->count > 0)
            compose(result, body, alike, final, shifts_[j]);
    }

    // `result` is `inner`, started elsewhere.
    void rename(Sub& result, const View& inner) {
        result.count = inner.sub->count;
        result.first = inner.sub->first;
        result.first_at = inner.sub->first_at.plus(inner.at);
        result.end = inner.sub->end.moved(inner.at);
        result.sum = inner.sub->sum;
        result.body = inner.sub->body == nullptr ? nullptr : inner.sub;
        if constexpr (!kPlain) result.first_move = inner.sub->first_move;
    }

    void compose(Sub& result, const View& body, std::int64_t alike, const View& final, const Place& shift) {
        rename(result, body);
        const bool moves = !(shift == Place{}) || result.body != nullptr || !body.sub->sum.is_nothing();
        if (alike > 1 && moves) {
            go_on(result, *result.first, result.first_at.plus(shift), *body.sub, alike - 1);
            result.end = result.end.moved(shift, alike - 1);
            result.alike = alike;
        }
        if (final.sub->count == 0) return;
        const Place at = final.at.plus(shift, alike);
        go_on(result, *final.sub->first, final.sub->first_at.plus(at), *final.sub, 1, true);
        end_with(result.end, final.sub->count, final.sub->end.moved(at));
        result.body = body.sub;
    }

    // Adds `times` transitions to a step at some place, and what comes after it.
    void go_on(Sub& result, const Step& to, const Place& at, Sub& then, std::int64_t times, bool is_final = false) {
        if constexpr (kPlain) {
            result.sum.add(sent_between(result.end, to, at), static_cast<double>(times));
            result.sum.add(then.sum, static_cast<double>(times));
        } else {
            const Transition* transition = transition_between(result.end, to, at);
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

    // Neighbours that the last iteration leaves idle stay where they were.
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

    // ---------------------------------------------------------------- transitions

    Sum sent_between(const Ends& from, const Step& to, const Place& at) {
        tally_.begin(to.different);
        int p = 0;
        for (int n = 0; n < to.count; ++n) {
            while (from.parts[p].end <= n) ++p;
            const auto& part = from.parts[p];
            if (part.step->tiles[n].low.at[0] + part.at.at[0] != to.tiles[n].low.at[0] + at.at[0])
                tally_.send(n, to.numbers[n], to.words[n]);
        }
        return tally_.end();
    }

    const Transition* transition_between(const Ends& from, const Step& to, const Place& at) {
        Transition* result = make<Transition>(memory_, Transition{Pool<Transition::Each>(&memory_), 0});
        result->each.reserve(static_cast<std::size_t>(to.count));
        Numbers numbers(&memory_);
        int p = 0;
        for (int n = 0; n < to.count; ++n) {
            while (from.parts[p].end <= n) ++p;
            const auto& part = from.parts[p];
            result->each.push_back(
                between(part.step->tiles[n].moved(part.at), to.tiles[n].moved(at), to.words[n], numbers));
        }
        result->numbers = numbers.count();
        return result;
    }

    // For one neighbour.
    Transition::Each between(const Tile& from, const Tile& to, double words, Numbers& numbers) const {
        Transition::Each each{0, words, 0.0, -1, -1};
        Tile common;
        double overlap = 1.0;
        for (int r = 0; r < rank_count_; ++r) {
            const std::int64_t doubled = to.low.at[r] + to.high.at[r] - from.low.at[r] - from.high.at[r];
            each.move += unit_[r] * (doubled >= 0 ? (doubled + 1) / 2 : (doubled - 1) / 2);
            common.low.at[r] = std::max(to.low.at[r], from.low.at[r]);
            common.high.at[r] = std::max(common.low.at[r], std::min(to.high.at[r], from.high.at[r]));
            overlap *= static_cast<double>(common.high.at[r] - common.low.at[r]);
        }
        each.rest = words - overlap;
        if (each.rest > 0.0) each.rest_number = overlap > 0.0 ? number_missing(to, common, numbers) : numbers.of(to);
        if (each.move != 0) each.whole_number = numbers.of(to);
        return each;
    }

    // What `tile` has beyond `common`: a smaller box where only one side is new.
    int number_missing(const Tile& tile, const Tile& common, Numbers& numbers) const {
        int sides = 0;
        Tile box = tile;
        for (int r = 0; r < rank_count_; ++r) {
            if (common.low.at[r] != tile.low.at[r]) {
                ++sides;
                box.high.at[r] = common.low.at[r];
            }
            if (common.high.at[r] != tile.high.at[r]) {
                ++sides;
                box.low.at[r] = common.high.at[r];
            }
        }
        return sides == 1 ? numbers.of(box) : numbers.of(tile, common);
    }

    // ---------------------------------------------------------------- counting

    Sum whole(Sub& all) {
        tally_.begin(all.first->different);
        for (int n = 0; n < all.first->count; ++n) tally_.send(n, all.first->numbers[n], all.first->words[n]);
        Sum sum = tally_.end();
        if constexpr (kPlain) {
            sum.add(all.sum);
        } else {
            Pool<std::int64_t> direction(static_cast<std::size_t>(all.count), kNoDirection, &memory_);
            sum.add(run(all, direction));
        }
        return sum;
    }

    // What `sub` sends after its first step.
    Sum run(Sub& sub, Pool<std::int64_t>& direction) {
        if (sub.body == nullptr) return {};
        Pool<std::uint64_t> clashes((static_cast<std::size_t>(sub.count) + 63) / 64, 0, &memory_);
        for (int n = 0; n < sub.count; ++n)
            if (sub.first_move[n] != 0 && direction[n] != kNoDirection && direction[n] != sub.first_move[n])
                clashes[static_cast<std::size_t>(n) / 64] |= std::uint64_t{1} << (n % 64);
        const Outcome& outcome = outcome_of(sub, clashes);
        for (int n = 0; n < sub.count; ++n)
            if (sub.first_move[n] != 0) direction[n] = outcome.direction[n];
        return outcome.sum;
    }

    const Outcome& outcome_of(Sub& sub, const Pool<std::uint64_t>& clashes) {
        for (const Outcome& known : sub.outcomes)
            if (known.clashes == clashes) return known;
        Pool<std::int64_t> direction(static_cast<std::size_t>(sub.count), kNoDirection, &memory_);
        for (int n = 0; n < sub.count; ++n)
            if ((clashes[static_cast<std::size_t>(n) / 64] >> (n % 64) & 1U) != 0) direction[n] = kOtherDirection;
        Sum sum = run(*sub.body, direction);
        if (sub.again != nullptr) repeat(sub, direction, sum);
        if (sub.final != nullptr) {
            sum.add(go(*sub.into_final, direction));
            sum.add(run(*sub.final, direction));
        }
        sub.outcomes.push_back({Pool<std::uint64_t>(clashes, &memory_), std::move(direction), sum});
        return sub.outcomes.back();
    }

    // The other iterations of the body. The directions at the end of an iteration soon repeat, every time or every
    // other time.
    void repeat(const Sub& sub, Pool<std::int64_t>& direction, Sum& sum) {
        Pool<std::int64_t> before(&memory_);
        Pool<std::int64_t> earlier(&memory_);
        Sum last;
        for (std::int64_t left = sub.alike - 1; left > 0; --left) {
            earlier = before;
            before = direction;
            const Sum previous = last;
            last = go(*sub.again, direction);
            last.add(run(*sub.body, direction));
            sum.add(last);
            if (direction == before) return sum.add(last, static_cast<double>(left - 1));
            if (direction == earlier && left > 3) {
                const std::int64_t pairs = (left - 1) / 2;
                sum.add(last, static_cast<double>(pairs));
                sum.add(previous, static_cast<double>(pairs));
                left -= 2 * pairs;
            }
        }
    }

    Sum go(const Transition& transition, Pool<std::int64_t>& direction) {
        tally_.begin(transition.numbers);
        for (std::size_t n = 0; n < transition.each.size(); ++n) {
            const Transition::Each& each = transition.each[n];
            const bool goes_on = each.move == 0 || direction[n] == kNoDirection || direction[n] == each.move;
            if (each.move != 0) direction[n] = goes_on ? each.move : kNoDirection;
            const double words = goes_on ? each.rest : each.whole;
            if (words != 0.0) tally_.send(static_cast<int>(n), goes_on ? each.rest_number : each.whole_number, words);
        }
        return tally_.end();
    }

    template <typename T, typename... Arguments>
    T* make(std::pmr::memory_resource& memory, Arguments&&... arguments) {
        return std::construct_at(static_cast<T*>(memory.allocate(sizeof(T), alignof(T))),
                                 std::forward<Arguments>(arguments)...);
    }

    // What is made here is freed all at once and never destroyed.
    alignas(std::max_align_t) std::array<std::byte, 1U << 15> lasting_buffer_;
    alignas(std::max_align_t) std::array<std::byte, 1U << 17> buffer_;
    std::pmr::monotonic_buffer_resource lasting_{lasting_buffer_.data(), lasting_buffer_.size()};
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};  // for one place

    Tally tally_;
    const Setup& setup_;
    const ImperfectNest& nest_;
    const int child_;
    const TensorForm& form_;
    const tilewright::Tensor& tensor_;
    const Surroundings around_;
    const int base_;  // parts of the surroundings that make a step: the block below the memory, if any
    LastMask step_matters_ = 0;
    bool failed_ = false;

    int rank_count_ = 0;  // that change
    std::array<int, kMaxRanks> rank_;
    std::array<std::int64_t, kMaxRanks> unit_;
    double unchanging_words_ = 1.0;
    std::array<Place, kMaxImperfectLoops> shifts_;  // by loop

    std::array<std::int64_t, kMaxImperfectLoops> numbers_;  // of the instance, by block outside
    Pool<const Step*> steps_{&lasting_};
    std::array<Sub*, kMaxImperfectLoops + 1> subs_;  // by parts of the surroundings, as lists
    int sub_count_ = 0;
    Sub nothing_{&memory_};
};

// Ranks of the tensor that some loop around memory `child` moves.
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

}  // namespace tilewright::lean
