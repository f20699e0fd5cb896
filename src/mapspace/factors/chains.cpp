#include "mapspace/factors/chains.hpp"

#include <cmath>
#include <utility>

namespace tilewright {
namespace {

std::int64_t square_root(std::int64_t number) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
    while (root * root > number) --root;
    while ((root + 1) * (root + 1) <= number) ++root;
    return root;
}

Count wide(std::int64_t number) { return static_cast<Count>(number); }

}  // namespace

ChainSpace::ChainSpace(std::int64_t extent, std::vector<ChainSlot> slots)
    : extent_(extent), root_(0), slots_(std::move(slots)) {
    if (extent < 1 || extent > INT32_MAX) throw OverflowError();
    // ceil(extent / k) is floor((extent - 1) / k) + 1: each of the small values, and one large value for each small k.
    root_ = square_root(extent - 1);
    for (std::int64_t small = 0; small <= root_; ++small) chunks_.push_back(small + 1);
    for (std::int64_t k = (extent - 1) / (root_ + 1); k >= 1; --k) chunks_.push_back((extent - 1) / k + 1);
    ways_.assign(slots_.size() + 1, std::vector<Count>(chunks_.size(), 0));
    ways_.back().front() = 1;
    for (int slot = slot_count() - 1; slot >= 0; --slot) count_ways(slot);
}

int ChainSpace::index_of(std::int64_t chunks) const {
    const std::int64_t less = chunks - 1;
    if (less < 1 || less <= root_) return static_cast<int>(less);
    return static_cast<int>(static_cast<std::int64_t>(chunks_.size()) - (extent_ - 1) / less);
}

void ChainSpace::count_ways(int slot) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        Count sum = 0;
        visit_runs(slots_[slot], chunks_[i], [&](const ExtentRun& run) {
            sum = checked_add(sum, checked_mul(wide(run.size()), ways(slot + 1, run.chunks)));
            return true;
        });
        ways_[slot][i] = sum;
    }
}

bool ChainSpace::contains(const Chain& chain) const {
    if (chain.size() != slots_.size()) return false;
    std::int64_t chunks = extent_;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (!slots_[i].allows(chain[i], chunks)) return false;
        chunks = ceil_div(chunks, chain[i]);
    }
    return chunks == 1;
}

Count ChainSpace::rank(const Chain& chain) const {
    Count rank = 0;
    std::int64_t chunks = extent_;
    for (int slot = 0; slot < slot_count(); ++slot) {
        const std::int64_t extent = chain[slot];
        visit_runs(slots_[slot], chunks, [&](const ExtentRun& run) {
            const std::int64_t before = std::min(extent, run.last + 1) - run.first;
            rank += wide(before) * ways(slot + 1, run.chunks);
            return run.last < extent;
        });
        chunks = ceil_div(chunks, extent);
    }
    return rank;
}

Chain ChainSpace::at(Count rank) const {
    Chain chain(slots_.size(), 1);
    std::int64_t chunks = extent_;
    for (int slot = 0; slot < slot_count(); ++slot) {
        visit_runs(slots_[slot], chunks, [&](const ExtentRun& run) {
            const Count each = ways(slot + 1, run.chunks);
            const Count here = wide(run.size()) * each;
            if (rank >= here) {
                rank -= here;
                return true;
            }
            chain[slot] = run.first + static_cast<std::int64_t>(rank / each);
            rank %= each;
            return false;
        });
        chunks = ceil_div(chunks, chain[slot]);
    }
    return chain;
}

bool ChainSpace::enumerate(const std::function<bool(const Chain&)>& visit) const {
    Chain chain(slots_.size(), 1);
    return count() == 0 || enumerate_from(0, extent_, chain, visit);
}

bool ChainSpace::enumerate_from(int slot, std::int64_t chunks, Chain& chain,
                                const std::function<bool(const Chain&)>& visit) const {
    if (slot == slot_count()) return visit(chain);
    return visit_runs(slots_[slot], chunks, [&](const ExtentRun& run) {
        if (ways(slot + 1, run.chunks) == 0) return true;
        for (chain[slot] = run.first; chain[slot] <= run.last; ++chain[slot])
            if (!enumerate_from(slot + 1, run.chunks, chain, visit)) return false;
        return true;
    });
}

std::vector<std::int64_t> remainders_of(std::int64_t extent, const Chain& chain) {
    std::vector<std::int64_t> remainders;
    remainders.reserve(chain.size());
    for (std::int64_t chunks = extent; const std::int64_t factor : chain) {
        remainders.push_back((chunks - 1) % factor + 1);
        chunks = ceil_div(chunks, factor);
    }
    return remainders;
}

// Neighbours in a ChainSpace: chains differing in one or two slots. All other slots keep their extents, so the numbers
// of chunks they can cover settle most.

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
