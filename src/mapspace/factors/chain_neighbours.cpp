// Neighbours in a ChainSpace: chains differing in one or two slots. All other slots keep their extents, so the numbers
// of chunks they can cover settle most.
#include <utility>

#include "mapspace/factors/chains.hpp"

namespace tilewright {
namespace {

/// Two slots of one chain and all ways to redo them.
class Pair {
   public:
    /// Requires inner <= outer < slots; equal: one slot only.
    Pair(const ChainSpace& space, const Chain& chain, int inner, int outer)
        : space_(space), chain_(chain), inner_(inner), outer_(outer), chunks_(space.extent()) {
        for (int slot = 0; slot < inner; ++slot) chunks_ = ceil_div(chunks_, chain[slot]);
        for (int slot = space.slot_count() - 1; slot > outer; --slot) {
            most_ = saturating_mul(most_, chain[slot]);
            fewest_ = std::max((fewest_ - 1) * chain[slot] + 1, chain[slot]);
        }
    }

    /// Runs of the inner slot, each with the outer slot's chunks.
    template <typename Visit>
    bool visit_inner(Visit&& visit) const {
        return visit_runs(space_.slot(inner_), chunks_, [&](const ExtentRun& run) {
            std::int64_t found = run.chunks;
            return !pass(inner_ + 1, outer_, found) || visit(run, found);
        });
    }

    /// Runs of the outer slot with a completion outside.
    template <typename Visit>
    bool visit_outer(std::int64_t found, Visit&& visit) const {
        return visit_runs(leaving(space_.slot(outer_), found, fewest_, most_), found, [&](const ExtentRun& run) {
            std::int64_t left = run.chunks;
            return !pass(outer_ + 1, space_.slot_count(), left) || left != 1 || visit(run);
        });
    }

    std::int64_t chunks() const { return chunks_; }

   private:
    /// Passes `chunks` through the slots [from, to), setting it to the rest. False if not allowed.
    bool pass(int from, int to, std::int64_t& chunks) const {
        for (int slot = from; slot < to; ++slot) {
            if (!space_.slot(slot).allows(chain_[slot], chunks)) return false;
            chunks = ceil_div(chunks, chain_[slot]);
        }
        return true;
    }

    const ChainSpace& space_;
    const Chain& chain_;
    int inner_;
    int outer_;
    std::int64_t chunks_;      ///< found by the inner slot
    std::int64_t fewest_ = 1;  ///< least number the outer slots can finish
    std::int64_t most_ = 1;    ///< and greatest
};

using Visit = std::function<bool(const Chain&)>;

bool visit_single(const ChainSpace& space, const Chain& chain, int slot, const Visit& visit) {
    const Pair pair(space, chain, slot, slot);
    Chain other = chain;
    return pair.visit_outer(pair.chunks(), [&](const ExtentRun& run) {
        for (other[slot] = run.first; other[slot] <= run.last; ++other[slot])
            if (other[slot] != chain[slot] && !visit(other)) return false;
        return true;
    });
}

/// Neighbours differing in both slots.
bool visit_pair(const ChainSpace& space, const Chain& chain, int inner, int outer, const Visit& visit) {
    const Pair pair(space, chain, inner, outer);
    Chain other = chain;
    return pair.visit_inner([&](const ExtentRun& inner_run, std::int64_t found) {
        for (other[inner] = inner_run.first; other[inner] <= inner_run.last; ++other[inner]) {
            if (other[inner] == chain[inner]) continue;
            const bool go_on = pair.visit_outer(found, [&](const ExtentRun& run) {
                for (other[outer] = run.first; other[outer] <= run.last; ++other[outer])
                    if (other[outer] != chain[outer] && !visit(other)) return false;
                return true;
            });
            if (!go_on) return false;
        }
        return true;
    });
}

std::int64_t completions(const Pair& pair, std::int64_t found) {
    std::int64_t sum = 0;
    pair.visit_outer(found, [&](const ExtentRun& run) {
        sum += run.size();
        return true;
    });
    return sum;
}

/// Number of ways to redo the pair, with the present one.
std::int64_t size_of(const Pair& pair) {
    std::int64_t sum = 0;
    pair.visit_inner([&](const ExtentRun& run, std::int64_t found) {
        sum += run.size() * completions(pair, found);
        return true;
    });
    return sum;
}

/// The extents of the two slots in the way of that number. Requires index < size_of(pair).
std::pair<std::int64_t, std::int64_t> way(const Pair& pair, std::int64_t index) {
    std::pair<std::int64_t, std::int64_t> extents;
    pair.visit_inner([&](const ExtentRun& inner_run, std::int64_t found) {
        const std::int64_t each = completions(pair, found);
        if (index >= inner_run.size() * each) {
            index -= inner_run.size() * each;
            return true;
        }
        extents.first = inner_run.first + index / each;
        index %= each;
        pair.visit_outer(found, [&](const ExtentRun& run) {
            extents.second = run.first + index;
            index -= run.size();
            return index >= 0;
        });
        return false;
    });
    return extents;
}

bool redraw(const ChainSpace& space, Random& random, Chain& chain, int inner, int outer) {
    const Pair pair(space, chain, inner, outer);
    const std::int64_t size = size_of(pair);
    if (size < 2) return false;
    std::pair<std::int64_t, std::int64_t> extents;
    do extents = way(pair, random.between(0, size - 1));
    while (extents.first == chain[inner] && extents.second == chain[outer]);
    chain[inner] = extents.first;
    chain[outer] = extents.second;
    return true;
}

}  // namespace

bool ChainSpace::visit_neighbours(const Chain& chain, const std::function<bool(const Chain&)>& visit) const {
    for (int outer = 0; outer < slot_count(); ++outer) {
        if (!visit_single(*this, chain, outer, visit)) return false;
        for (int inner = 0; inner < outer; ++inner)
            if (!visit_pair(*this, chain, inner, outer, visit)) return false;
    }
    return true;
}

bool ChainSpace::step(Random& random, Chain& chain) const {
    const int pairs = slot_count() * (slot_count() - 1) / 2;
    if (pairs == 0) return false;  // one slot takes the whole extent
    const int start = static_cast<int>(random.below(static_cast<std::uint64_t>(pairs)));
    for (int i = 0; i < pairs; ++i) {
        int outer = 1;
        int inner = (start + i) % pairs;
        while (inner >= outer) inner -= outer++;
        if (redraw(*this, random, chain, inner, outer)) return true;
    }
    return false;
}

}  // namespace tilewright
