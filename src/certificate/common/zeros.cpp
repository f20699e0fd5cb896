#include "certificate/common/zeros.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "certificate/common/deciding.hpp"
#include "sparse/density.hpp"

namespace tilewright::certificate {
namespace {

/// Probability of a nonzero word at any place.
struct WordShare {
    std::int64_t words;  ///< of the tensor

    double operator()(const sparse::FixedStructured& fixed) const { return fixed.density; }
    double operator()(const sparse::UniformRandom& random) const {
        const auto all = static_cast<double>(words);
        return std::clamp(std::ceil(random.density * all * (1.0 - 1e-12)) / all, 0.0, 1.0);
    }
    double operator()(const sparse::Pattern& pattern) const {
        return static_cast<double>(pattern.kept) / static_cast<double>(pattern.of);
    }
    double operator()(const sparse::Banded& /*band*/) const { return 0.0; }        // refused: places are known
    double operator()(const sparse::Measured& /*measured*/) const { return 0.0; }  // likewise
};

/// `stored`: words an access needs to come up; `skipped`: by memory or unit; `not_up`: no served compute comes up.
Shares shares_of(const Deciding& deciding, Words skipped, Words not_up, Words gated, Words stored) {
    const double all = deciding.share(stored);
    const double kept = deciding.share(stored | skipped);
    const double running = deciding.share(stored | skipped | not_up);
    const double done = deciding.share(stored | skipped | not_up | gated);
    return {done, running - done, all - kept};
}

// Of one tensor: accesses of the compute units, and those between memories.
void add_shares(const Deciding& deciding, const sparse::Design& design, const Keepers& keepers, int t,
                ZeroShares& shares) {
    int outside = -1;
    for (std::uint32_t left = keepers[t]; left != 0; left &= left - 1) {
        const int m = std::countr_zero(left);
        const bool packed = is_compressed(design, m, t);
        WordShares& words = shares.words[m][t];
        const Words stored = packed ? word_of(t) : 0;
        const bool is_innermost = (left & (left - 1)) == 0;
        words.served = is_innermost ? shares_of(deciding, deciding.own(t, false), deciding.served(t, false, keepers),
                                                deciding.own(t, true) | deciding.served(t, true, keepers), stored)
                                    : Shares{deciding.share(stored), 0.0, 0.0};
        words.filled = deciding.share(stored);
        words.decompressed = outside >= 0 && is_compressed(design, outside, t) && !packed;
        outside = m;
    }
}

}  // namespace

Deciding::Deciding(const Einsum& einsum, const sparse::Design& design) : einsum_(einsum), design_(design) {
    for (int t = 0; t < einsum.tensor_count(); ++t)
        shares_.push_back(std::visit(WordShare{sparse::elements(sparse::extents_of(einsum, t))}, design.densities[t]));
}

Shares Deciding::computes(const Keepers& keepers) const {
    const Words asked = conditions_of_operands(false, -1);
    return shares_of(*this, unit(false, keepers), 0, conditions_of_operands(true, -1) | unit(true, keepers), asked);
}

ZeroShares zero_shares(const Einsum& einsum, const sparse::Design& design, const Keepers& keepers) {
    const Deciding deciding(einsum, design);
    ZeroShares shares;
    for (int t = 0; t < einsum.tensor_count(); ++t) add_shares(deciding, design, keepers, t, shares);
    shares.computes = deciding.computes(keepers);
    return shares;
}

std::vector<std::array<double, kMaxTensors>> held_shares(const Einsum& einsum, const sparse::Design& design) {
    std::vector<std::array<double, kMaxTensors>> held(design.memories.size());
    const Deciding deciding(einsum, design);
    for (std::size_t m = 0; m < held.size(); ++m) {
        held[m].fill(1.0);
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_compressed(design, static_cast<int>(m), t)) held[m][t] = deciding.share(word_of(t));
    }
    return held;
}

}  // namespace tilewright::certificate
