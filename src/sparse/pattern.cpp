// N:M: the distribution of what tiles hold.
#include <algorithm>

#include "sparse/models.hpp"

namespace tilewright::sparse {
namespace {

/// Chances of 0, 1, 2, ... elements.
using Chances = std::vector<double>;

Chances sum_of(const Chances& a, const Chances& b) {
    Chances sum(a.size() + b.size() - 1, 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k) sum[i + k] += a[i] * b[k];
    return sum;
}

Chances sum_of_many(Chances one, std::int64_t count) {
    Chances sum{1.0};
    for (; count > 0; count >>= 1) {
        if ((count & 1) != 0) sum = sum_of(sum, one);
        if (count > 1) one = sum_of(one, one);
    }
    return sum;
}

/// Of a part of a group.
Chances part_of(const Pattern& pattern, std::int64_t places) {
    Chances chances;
    for (std::int64_t k = 0; k <= std::min(places, pattern.kept); ++k)
        chances.push_back(hypergeometric(k, places, pattern.kept, pattern.of));
    return chances;
}

/// Of one line of `length` places from `begin` on; what whole groups hold is added to `certain`.
Chances line_of(const Pattern& pattern, std::int64_t begin, std::int64_t length, std::int64_t& certain) {
    const std::int64_t end = begin + length;
    const std::int64_t first = (begin + pattern.of - 1) / pattern.of * pattern.of;
    const std::int64_t last = end / pattern.of * pattern.of;
    if (first > last) return part_of(pattern, length);
    certain = (last - first) / pattern.of * pattern.kept;
    return sum_of(part_of(pattern, first - begin), part_of(pattern, end - last));
}

}  // namespace

std::string Patterned::name() const { return std::to_string(pattern_.kept) + ":" + std::to_string(pattern_.of); }

std::vector<Outcome> Patterned::outcomes(const Tile& tile) const {
    const auto rank = static_cast<std::size_t>(pattern_.rank);
    const std::int64_t length = tile[rank];
    const std::int64_t lines = length == 0 ? 0 : elements(tile) / length;
    const std::int64_t tiles = length == 0 ? 1 : std::max<std::int64_t>(1, tensor_[rank] / length);
    const std::int64_t phases = std::min(tiles, pattern_.of);  // tiles begin at the same places of groups again
    std::vector<double> chances;
    for (std::int64_t i = 0; i < phases; ++i) {
        std::int64_t certain = 0;
        const Chances random = sum_of_many(line_of(pattern_, i * length, length, certain), lines);
        const std::int64_t alike = (tiles - i + phases - 1) / phases;
        const auto base = static_cast<std::size_t>(certain * lines);
        if (chances.size() < base + random.size()) chances.resize(base + random.size(), 0.0);
        for (std::size_t k = 0; k < random.size(); ++k)
            chances[base + k] += random[k] * static_cast<double>(alike) / static_cast<double>(tiles);
    }
    std::vector<Outcome> outcomes;
    for (std::size_t k = 0; k < chances.size(); ++k)
        if (chances[k] > 0.0) outcomes.push_back({static_cast<std::int64_t>(k), chances[k]});
    return outcomes;
}

double Patterned::probability(const Tile& tile, std::int64_t occupied) const {
    for (const Outcome& outcome : outcomes(tile))
        if (outcome.occupied == occupied) return outcome.probability;
    return 0.0;
}

double Patterned::probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const {
    if (outer.tile[pattern_.rank] % pattern_.of == 0) return probability(tile, occupied);
    return hypergeometric(occupied, elements(tile), outer.occupied, outer.words);
}

std::int64_t Patterned::most(const Tile& tile) const { return outcomes(tile).back().occupied; }

double Patterned::least_share(const Tile& tile) const {
    const std::int64_t words = elements(tile);
    return words == 0 ? 0.0 : static_cast<double>(outcomes(tile).front().occupied) / static_cast<double>(words);
}

double Patterned::expected(const Tile& tile) const {
    return static_cast<double>(elements(tile)) * static_cast<double>(pattern_.kept) / static_cast<double>(pattern_.of);
}

}  // namespace tilewright::sparse
