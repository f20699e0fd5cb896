// Words sent by the nests of the joint walk (joint.cpp) for known remembered directions. Internal to model/.
#pragma once

#include <utility>

#include "model/lean/joint/joint_nest.hpp"
#include "model/lean/tally.hpp"

namespace tilewright::lean {

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
