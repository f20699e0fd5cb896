// Tiles of one tensor in the joint walk (joint.cpp): places along the moved ranks, and the words a neighbour lacks for
// its next tile. Internal to model/.
// Words sent by the nests of the joint walk (joint.cpp) for known remembered directions. Internal to model/.
#pragma once

#include <cmath>
#include <utility>

#include "model/lean/joint/joint_nest.hpp"
#include "model/lean/tally.hpp"

namespace tilewright::lean {

/// Keeps references. `kRanks`: at least the number of changing ranks, 0 for a plain tensor.
template <int kRanks>
class JointTiles {
   public:
    static constexpr bool kPlain = kRanks == 0;
    using Coordinates = lean::Coordinates<kRanks>;
    using TileBox = lean::TileBox<kRanks>;
    using ActiveSet = lean::ActiveSet<kRanks>;
    using Ends = lean::Ends<kRanks>;
    using Numbers = lean::Numbers<kRanks>;

    /// `ranks`: of the tensor.
    JointTiles(const Setup& setup, const ImperfectNest& nest, int child, int tensor, int ranks)
        : setup_(setup), nest_(nest), child_(child), tensor_(setup.einsum.tensors[tensor]) {
        choose_ranks(ranks);
    }

    /// Of the ranks that never change: a factor of all counts.
    double unchanging_words() const { return unchanging_words_; }

    Coordinates coordinates_of(const Position& position) const {
        Coordinates place;
        for (int r = 0; r < rank_count_; ++r) {
            if constexpr (kPlain)
                place.at[0] += unit_[r] * position[rank_[r]];
            else
                place.at[r] = position[rank_[r]];
        }
        return place;
    }

    /// Adds the tile of a neighbour at `at`, in the last chunk of the dimensions in `last`.
    void add_tile(const Coordinates& at, LastMask last, ActiveSet& step) const {
        TileBox tile{at, at};
        double words = 1.0;
        for (int r = 0; r < rank_count_; ++r) {
            std::int64_t below = 0;
            std::int64_t above = 1;
            for (const tilewright::Term& term : tensor_.ranks[rank_[r]].terms) {
                const int d = term.dimension;
                const double extent = (last >> d & 1U) != 0 ? nest_.last[child_][d] : nest_.full[child_][d];
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

    /// From the neighbours' last places of work.
    const Transition* transition_between(const Ends& from, const ActiveSet& to, const Coordinates& at,
                                         std::pmr::memory_resource& memory) const {
        Transition* result = make<Transition>(memory, Transition{Pool<Transition::Each>(&memory), 0});
        result->each.reserve(static_cast<std::size_t>(to.count));
        Numbers numbers(&memory);
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

   private:
    void choose_ranks(int ranks) {
        std::int64_t unit = 1;
        for (int r = 0; r < ranks; ++r) {
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

    Transition::Each between(const TileBox& from, const TileBox& to, double words, Numbers& numbers) const {
        Transition::Each each{0, words, 0.0, -1, -1};
        TileBox common;
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

    // The part of `tile` beyond `common`: a smaller box if only one side is new.
    int number_missing(const TileBox& tile, const TileBox& common, Numbers& numbers) const {
        int sides = 0;
        TileBox box = tile;
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

    const Setup& setup_;
    const ImperfectNest& nest_;
    const int child_;
    const tilewright::Tensor& tensor_;
    int rank_count_ = 0;  // that change
    std::array<int, kMaxRanks> rank_;
    std::array<std::int64_t, kMaxRanks> unit_;
    double unchanging_words_ = 1.0;
};

/// `Tally`: the counts of every step (tally.hpp). Results live in `memory`, as long as its nests.
template <int kRanks, typename Tally>
class JointCount {
   public:
    using Sum = typename Tally::Sum;
    static constexpr bool kPlain = kRanks == 0;
    using Coordinates = lean::Coordinates<kRanks>;
    using ActiveSet = lean::ActiveSet<kRanks>;
    using Ends = lean::Ends<kRanks>;
    using Sub = lean::Sub<kRanks, Sum>;
    using Outcome = lean::Outcome<Sum>;

    JointCount(Tally tally, std::pmr::memory_resource& memory) : tally_(std::move(tally)), memory_(memory) {}

    /// All words sent by the nest, with the first step.
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

    /// Of a plain tensor: from one step to another.
    Sum sent_between(const Ends& from, const ActiveSet& to, const Coordinates& at) {
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

   private:
    // Words sent by `sub` after its first step.
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

    // The other iterations of the body. The directions at the end of an iteration soon repeat, with period one or two.
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

    Tally tally_;
    std::pmr::memory_resource& memory_;
};

}  // namespace tilewright::lean
