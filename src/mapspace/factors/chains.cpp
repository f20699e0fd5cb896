#include "mapspace/factors/chains.hpp"

#include <cmath>

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

}  // namespace tilewright
