#include "mapper/optimal/geometry/point_set.hpp"

#include <algorithm>

namespace tilewright::optimal {

void PointSet::add(int begin, int end) {
    while (begin < end) {
        const auto count = std::min<std::size_t>(kBits - bit(begin), static_cast<std::size_t>(end - begin));
        const std::uint64_t ones = ~std::uint64_t{0} >> (kBits - count);
        words_[word(begin)] |= ones << bit(begin);
        begin += static_cast<int>(count);
    }
}

void PointSet::keep(const PointSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= others.words_[w];
}

void PointSet::remove(const PointSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~others.words_[w];
}

// From the last word to the first: earlier words are unchanged.
bool PointSet::add_after(int distance, const PointSet& may_step) {
    const std::size_t whole = word(distance);
    const unsigned part = bit(distance);
    std::uint64_t added = 0;
    for (std::size_t w = words_.size(); w-- > whole;) {
        const std::size_t from = w - whole;
        std::uint64_t moved = (words_[from] & may_step.words_[from]) << part;
        if (part != 0 && from > 0) moved |= (words_[from - 1] & may_step.words_[from - 1]) >> (kBits - part);
        added |= moved & ~words_[w];
        words_[w] |= moved;
    }
    return added != 0;
}

bool PointSet::add_before(int distance, const PointSet& may_step) {
    const PointSet added = before(distance, may_step);
    std::uint64_t fresh = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
        fresh |= added.words_[w] & ~words_[w];
        words_[w] |= added.words_[w];
    }
    return fresh != 0;
}

PointSet PointSet::before(int distance, const PointSet& may_step) const {
    const std::size_t whole = word(distance);
    const unsigned part = bit(distance);
    PointSet found;
    found.words_.resize(words_.size(), 0);
    for (std::size_t w = 0; w + whole < words_.size(); ++w) {
        std::uint64_t moved = words_[w + whole] >> part;
        if (part != 0 && w + whole + 1 < words_.size()) moved |= words_[w + whole + 1] << (kBits - part);
        found.words_[w] = moved & may_step.words_[w];
    }
    return found;
}

}  // namespace tilewright::optimal
