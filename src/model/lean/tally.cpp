#include "model/lean/tally.hpp"

namespace tilewright::lean {

void Multicasts::add(const Part& part) {
    if (part.words == 0.0 || is_overfull()) return;
    int at = count;
    while (at > 0 && parts[at - 1].copies >= part.copies) --at;
    if (at < count && parts[at].copies == part.copies) {
        parts[at].words += part.words;
        parts[at].hops += part.hops;
        return;
    }
    if (count++ == kMost) return;
    for (int i = count - 1; i > at; --i) parts[i] = parts[i - 1];
    parts[at] = part;
}

void Multicasts::add(const Multicasts& other, double times) {
    if (other.is_overfull()) count = kMost + 1;
    for (int i = 0; i < other.count && !is_overfull(); ++i) {
        const Part& part = other.parts[i];
        add(Part{part.copies, times * part.words, times * part.hops});
    }
}

Flow Multicasts::flow() const {
    Flow flow;
    for (int i = 0; i < count; ++i) {
        const Part& part = parts[i];
        flow.words += part.words;
        flow.delivered += static_cast<double>(part.copies) * part.words;
    }
    return flow;
}

void MulticastTally::begin(int sets) {
    sets_ = sets;
    std::fill_n(first_.begin(), sets, std::int16_t{-1});
}

void MulticastTally::send(int neighbour, int set, double words) {
    const auto s = static_cast<std::size_t>(set);
    const auto n = static_cast<std::int16_t>(neighbour);
    if (first_[s] < 0) {
        first_[s] = n;
        words_[s] = words;
    } else {
        next_[last_[s]] = n;
    }
    last_[s] = n;
    next_[neighbour] = -1;
}

Multicasts MulticastTally::end() {
    Multicasts all;
    for (std::size_t s = 0; s < static_cast<std::size_t>(sets_); ++s) {
        std::size_t copies = 0;
        for (std::int16_t n = first_[s]; n >= 0; n = next_[n]) positions_[copies++] = n;
        if (copies == 0) continue;
        const double hops = group_hops({positions_.data(), copies}, grid_, columns_);
        all.add(Multicasts::Part{static_cast<std::int64_t>(copies), words_[s], hops * words_[s]});
    }
    return all;
}

}  // namespace tilewright::lean
