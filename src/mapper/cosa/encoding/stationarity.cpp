#include "mapper/cosa/encoding/encoding.hpp"

#include <algorithm>

namespace tilewright::cosa {
namespace {

// Sets of tensors left at rest by some run of innermost loops, largest first.
std::vector<std::uint32_t> resting_sets(const std::vector<std::uint32_t>& relevances, std::uint32_t all) {
    std::vector<std::uint32_t> sets{all};
    for (const std::uint32_t relevance : relevances) {
        const std::size_t known = sets.size();
        for (std::size_t i = 0; i < known; ++i) sets.push_back(sets[i] & ~relevance);
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    }
    std::erase_if(sets, [&](std::uint32_t set) {  // sets nothing rests with
        return set == 0 || std::none_of(relevances.begin(), relevances.end(),
                                        [set](std::uint32_t relevance) { return (relevance & set) == 0; });
    });
    return sets;
}

bool is_proper_subset(std::uint32_t small, std::uint32_t large) { return small != large && (small & ~large) == 0; }

class Chains {
   public:
    explicit Chains(std::vector<std::uint32_t> sets) : sets_(std::move(sets)) {
        for (const std::uint32_t set : sets_)
            if (is_top(set)) extend({set});
    }

    std::vector<Chain> take() { return std::move(chains_); }

   private:
    bool is_top(std::uint32_t set) const {
        return std::none_of(sets_.begin(), sets_.end(), [set](std::uint32_t s) { return is_proper_subset(set, s); });
    }

    // Nothing lies between the two.
    bool follows(std::uint32_t next, std::uint32_t last) const {
        return is_proper_subset(next, last) && std::none_of(sets_.begin(), sets_.end(), [next, last](std::uint32_t s) {
                   return is_proper_subset(next, s) && is_proper_subset(s, last);
               });
    }

    void extend(const Chain& chain) {
        bool longest = true;
        for (const std::uint32_t set : sets_) {
            if (!follows(set, chain.back())) continue;
            Chain longer = chain;
            longer.push_back(set);
            extend(longer);
            longest = false;
        }
        if (longest) chains_.push_back(chain);
    }

    std::vector<std::uint32_t> sets_;
    std::vector<Chain> chains_;
};

}  // namespace

std::vector<Chain> stationarity_chains(const std::vector<std::uint32_t>& relevances) {
    std::uint32_t all = 0;
    for (const std::uint32_t relevance : relevances) all |= relevance;
    return Chains(resting_sets(relevances, all)).take();
}

std::uint32_t resting(const Chain& chain, std::uint32_t relevance) {
    for (const std::uint32_t set : chain)
        if ((set & relevance) == 0) return set;
    return 0;
}

void sort_by_phase(std::vector<int>& dimensions, const Chain& chain, const std::vector<std::uint32_t>& relevances) {
    const auto phase = [&](int d) {
        const auto rests = [&](std::uint32_t set) { return (set & relevances[d]) == 0; };
        return std::find_if(chain.begin(), chain.end(), rests) - chain.begin();
    };
    std::stable_sort(dimensions.begin(), dimensions.end(), [&](int a, int b) { return phase(a) < phase(b); });
}

double weight_of(std::uint32_t tensors, const std::vector<double>& weights) {
    double weight = 0.0;
    for (std::size_t t = 0; t < weights.size(); ++t)
        if ((tensors >> t & 1U) != 0) weight += weights[t];
    return weight;
}

}  // namespace tilewright::cosa
