#include "model/sparse/iterations.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/numbers/checked.hpp"
#include "model/sparse/chance.hpp"
#include "sparse/occupancy.hpp"

namespace tilewright::sparse {
namespace {

constexpr std::int64_t kMostChoices = std::int64_t{1} << 22;
constexpr std::int64_t kMostProducts = std::int64_t{1} << 22;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 22;
constexpr std::int64_t kMostKnown = std::int64_t{1} << 26;

// Negative coefficients begin at the far end.
std::int64_t origin_of(const Einsum& einsum, const Rank& rank) {
    std::int64_t origin = 0;
    for (const Term& term : rank.terms)
        if (term.coefficient < 0) origin -= term.coefficient * (einsum.dimensions[term.dimension].extent - 1);
    return origin;
}

}  // namespace

Iterations::Iterations(const Nest& nest, const std::vector<Density>& densities)
    : nest_(nest),
      densities_(densities),
      by_dimension_(nest.einsum->dimensions.size()),
      loops_of_(nest.einsum->dimensions.size(), 0) {
    for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k) {
        by_dimension_[nest.loops[k].dimension].push_back(k);
        loops_of_[nest.loops[k].dimension] |= loop_bit(k);
    }
}

// ---- One dimension ----

// What the digit tells apart: whether it is below the last index's, that itself, or above. Inside the innermost loop
// with a remainder it tells nothing.
std::vector<std::pair<std::int64_t, double>> Iterations::digits_of(int loop, bool splits) const {
    const std::int64_t extent = nest_.loops[loop].extent;
    const std::int64_t rest = nest_.loops[loop].remainder;
    if (!splits) return {{0, static_cast<double>(extent)}};
    std::vector<std::pair<std::int64_t, double>> digits;
    if (rest > 1) digits.emplace_back(0, static_cast<double>(rest - 1));
    digits.emplace_back(rest - 1, 1.0);
    if (extent > rest) digits.emplace_back(rest, static_cast<double>(extent - rest));
    return digits;
}

std::vector<std::int64_t> Iterations::last_digits(int dimension, LoopSet last) const {
    std::vector<std::int64_t> digits;
    std::int64_t left = extent(dimension) - 1;
    for (const int k : loops(dimension)) {
        digits.push_back(0);
        if ((last & loop_bit(k)) == 0) continue;
        digits.back() = std::min(nest_.loops[k].extent - 1, left / nest_.loops[k].step);
        left -= digits.back() * nest_.loops[k].step;
    }
    return digits;
}

std::vector<Iterations::Place> Iterations::list_places(int dimension, LoopSet first, LoopSet last,
                                                       bool resolved) const {
    const std::vector<int>& own = loops(dimension);
    const std::vector<std::int64_t> at_last = last_digits(dimension, last);
    int innermost = -1;
    for (const int k : own)
        if (nest_.loops[k].extent != nest_.loops[k].remainder) innermost = k;
    std::vector<Place> all{{{}, 1.0}};
    for (std::size_t i = 0; i < own.size(); ++i) {
        const int k = own[i];
        std::vector<std::pair<std::int64_t, double>> digits;
        if ((last & loop_bit(k)) != 0)
            digits = {{at_last[i], 1.0}};
        else if ((first & loop_bit(k)) != 0)
            digits = {{0, 1.0}};
        else if (resolved)
            for (std::int64_t digit = 0; digit < nest_.loops[k].extent; ++digit) digits.emplace_back(digit, 1.0);
        else
            digits = digits_of(k, k <= innermost);
        if (static_cast<std::int64_t>(all.size() * digits.size()) > kMostChoices)
            throw Uncounted("loops with remainders have too many iterations");
        std::vector<Place> longer;
        for (const Place& place : all)
            for (const auto& [digit, weight] : digits) {
                longer.push_back(place);
                longer.back().digits.push_back(digit);
                longer.back().weight *= weight;
            }
        all = std::move(longer);
    }
    std::erase_if(all,
                  [&](const Place& place) { return index_outside(dimension, place.digits, 0) >= extent(dimension); });
    return all;
}

const std::vector<Iterations::Place>& Iterations::places(int dimension, LoopSet first, LoopSet last, bool resolved) {
    const LoopSet own = loops_of_[dimension];
    const std::tuple key{dimension, first & own, last & own, resolved};
    const auto known = places_.find(key);
    if (known != places_.end()) return known->second;
    return places_.emplace(key, list_places(dimension, first, last, resolved)).first->second;
}

// The index that the digits of other loops than those of the set say.
std::int64_t Iterations::index_outside(int dimension, const std::vector<std::int64_t>& digits, LoopSet set) const {
    std::int64_t index = 0;
    const std::vector<int>& own = loops(dimension);
    for (std::size_t i = 0; i < own.size(); ++i)
        if ((set & loop_bit(own[i])) == 0) index += digits[i] * nest_.loops[own[i]].step;
    return index;
}

// Choices of the set's digits that lead from an index to none past the last one.
std::int64_t Iterations::count(int dimension, LoopSet set, std::int64_t index) const {
    std::int64_t inside = 1;
    for (const int k : loops(dimension))
        if ((set & loop_bit(k)) != 0) inside *= nest_.loops[k].extent;
    std::int64_t left = extent(dimension) - 1 - index;
    std::int64_t count = 0;
    for (const int k : loops(dimension)) {
        if ((set & loop_bit(k)) == 0) continue;
        const NestLoop& loop = nest_.loops[k];
        inside /= loop.extent;
        const std::int64_t whole = left / loop.step;
        if (whole >= loop.extent) return count + loop.extent * inside;
        count += whole * inside;
        left -= whole * loop.step;
    }
    return count + 1;
}

bool Iterations::runs_once(int dimension, const std::vector<std::int64_t>& digits, const Single& single) const {
    const std::int64_t index = index_outside(dimension, digits, ~(single.outside & ~loop_bit(single.loop)));
    return index + nest_.loops[single.loop].step >= extent(dimension);
}

bool Iterations::is_in(const Region& region, int dimension, const std::vector<std::int64_t>& digits) const {
    return std::ranges::all_of(
        region[dimension], [&](const Single& single) { return runs_once(dimension, digits, single) == single.once; });
}

std::vector<std::vector<Single>> Iterations::ways(int dimension, const std::vector<Single>& singles) {
    if (singles.empty()) return {{}};
    std::vector<std::vector<bool>> seen;
    std::vector<std::vector<Single>> all;
    for (const Place& place : places(dimension, 0, 0, false)) {
        std::vector<bool> once;
        for (const Single& single : singles) once.push_back(runs_once(dimension, place.digits, single));
        if (std::ranges::find(seen, once) != seen.end()) continue;
        std::vector<Single>& way = all.emplace_back(singles);
        for (std::size_t i = 0; i < way.size(); ++i) way[i].once = once[i];
        seen.push_back(std::move(once));
    }
    return all;
}

// ---- All dimensions ----

bool Iterations::is_resolved(const Sum& sum, int dimension) const {
    if (sum.arrival.tensor >= 0 &&
        (moves(sum.arrival.tensor, dimension) || nest_.loops[sum.arrival.loop].dimension == dimension))
        return true;
    return std::ranges::any_of(sum.factors, [&](const Factor& factor) {
        if (factor.kind != Factor::Kind::chance || !moves(factor.tensor, dimension)) return false;
        const Density& density = densities_[factor.tensor];
        if (const auto* pattern = std::get_if<Pattern>(&density))
            return nest_.einsum->tensors[factor.tensor].ranks.size() > static_cast<std::size_t>(pattern->rank) &&
                   std::ranges::any_of(nest_.einsum->tensors[factor.tensor].ranks[pattern->rank].terms,
                                       [&](const Term& term) { return term.dimension == dimension; });
        return is_placed(density);
    });
}

// False: the loop has not advanced. How far the tile is from the one before, and whether it has another size.
bool Iterations::add_arrival(const Arrival& arrival, int dimension, const std::vector<std::int64_t>& digits,
                             Key& key) const {
    const std::vector<int>& own = loops(dimension);
    std::vector<std::int64_t> before = digits;
    std::int64_t left = extent(dimension) - 1;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const NestLoop& loop = nest_.loops[own[i]];
        if (own[i] == arrival.loop && --before[i] < 0) return false;
        if (own[i] < arrival.begin && (loop.is_spatial() || own[i] <= arrival.loop)) left -= before[i] * loop.step;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        const NestLoop& loop = nest_.loops[own[i]];
        if (own[i] >= arrival.begin || own[i] <= arrival.loop || loop.is_spatial()) continue;
        before[i] = std::min(loop.extent - 1, left / loop.step);
        left -= before[i] * loop.step;
    }
    if (!moves(arrival.tensor, dimension)) return true;
    const LoopSet tile = loops_from(nest_, arrival.begin);
    const std::int64_t from = index_outside(dimension, before, tile);
    const std::int64_t to = index_outside(dimension, digits, tile);
    for (const std::int64_t part : {to - from, count(dimension, tile, from), count(dimension, tile, to)})
        key.push_back(part);
    return true;
}

Iterations::Classes Iterations::classes(const Sum& sum, int dimension) {
    const bool resolved = is_resolved(sum, dimension);
    std::map<Key, double> weights;
    for (const Place& place : places(dimension, sum.first, sum.last, resolved)) {
        std::vector<std::int64_t> begin = place.digits;
        for (std::size_t i = 0; i < begin.size(); ++i)
            if ((sum.covered & loop_bit(loops(dimension)[i])) != 0) begin[i] = 0;
        if (sum.region != nullptr && !is_in(*sum.region, dimension, begin)) continue;
        Key key;
        for (const Factor& factor : sum.factors) {
            if (!moves(factor.tensor, dimension)) continue;
            const std::int64_t index = index_outside(dimension, factor.at_access ? begin : place.digits, factor.set);
            key.push_back(count(dimension, factor.set, index));
            const auto* pattern = std::get_if<Pattern>(&densities_[factor.tensor]);
            key.push_back(!resolved || factor.kind != Factor::Kind::chance ? 0 : pattern ? index % pattern->of : index);
        }
        if (sum.arrival.tensor >= 0 && !add_arrival(sum.arrival, dimension, place.digits, key)) continue;
        weights[std::move(key)] += place.weight;
    }
    return {{weights.begin(), weights.end()}};
}

double Iterations::sum(const Sum& sum) {
    std::vector<Classes> by_dimension;
    std::int64_t products = 1;
    for (int d = 0; d < nest_.einsum->dimension_count(); ++d) {
        by_dimension.push_back(classes(sum, d));
        if (by_dimension.back().all.empty()) return 0.0;
        products = checked_mul(products, static_cast<std::int64_t>(by_dimension.back().all.size()));
        if (products > kMostProducts) throw Uncounted("loops with remainders have too many kinds of iterations");
    }
    return product(sum, by_dimension);
}

double Iterations::product(const Sum& sum, const std::vector<Classes>& by_dimension) {
    std::vector<std::map<Key, double>> known(sum.factors.size());
    std::vector<std::size_t> at(by_dimension.size(), 0);
    double total = 0.0;
    while (true) {
        double product = 1.0;
        std::vector<Key> keys(sum.factors.size());
        std::vector<Move> moved(by_dimension.size());
        for (std::size_t d = 0; d < by_dimension.size(); ++d) {
            const auto& [key, weight] = by_dimension[d].all[at[d]];
            product *= weight;
            auto next = key.begin();
            for (std::size_t f = 0; f < keys.size(); ++f) {
                if (!moves(sum.factors[f].tensor, static_cast<int>(d))) continue;
                keys[f].insert(keys[f].end(), next, next + 2);
                next += 2;
            }
            if (next != key.end()) moved[d] = {next[0], next[1], next[2]};
        }
        for (std::size_t f = 0; f < keys.size() && product != 0.0; ++f) {
            const auto found = known[f].find(keys[f]);
            if (found != known[f].end()) {
                product *= found->second;
                continue;
            }
            const Tensor& tensor = nest_.einsum->tensors[sum.factors[f].tensor];
            std::map<int, Steps> by_dimension_steps;
            std::size_t next = 0;
            for (int d = 0; d < nest_.einsum->dimension_count(); ++d)
                if (moves(sum.factors[f].tensor, d)) {
                    by_dimension_steps[d] = {keys[f][next], keys[f][next + 1]};
                    next += 2;
                }
            Along along;
            for (const Rank& rank : tensor.ranks) {
                std::vector<Steps>& steps = along.emplace_back();
                for (const Term& term : rank.terms) steps.push_back(by_dimension_steps[term.dimension]);
            }
            product *= known[f].emplace(keys[f], value(sum.factors[f], along)).first->second;
        }
        if (sum.arrival.tensor < 0 || arrives(sum.arrival, moved)) total += product;
        std::size_t d = at.size();
        while (d > 0 && at[d - 1] + 1 == by_dimension[d - 1].all.size()) at[--d] = 0;
        if (d == 0) return total;
        ++at[d - 1];
    }
}

// Whether the words of the tile are others than those of the tile before.
bool Iterations::arrives(const Arrival& arrival, const std::vector<Move>& moves) {
    const std::vector<Rank>& ranks = nest_.einsum->tensors[arrival.tensor].ranks;
    const LoopSet tile = loops_from(nest_, arrival.begin);
    for (int r = 0; r < static_cast<int>(ranks.size()); ++r) {
        std::vector<Steps> before;
        std::vector<Steps> now;
        std::int64_t shift = 0;
        bool is_alike = true;
        for (const Term& term : ranks[r].terms) {
            const Move& move = moves[term.dimension];
            before.push_back({move.before, 0});
            now.push_back({move.now, 0});
            shift += term.coefficient * move.by;
            is_alike = is_alike && move.before == move.now;
        }
        if (is_alike && shift == 0) continue;
        if (is_alike) return true;
        std::vector<std::int64_t> places = along_rank(arrival.tensor, r, tile, now);
        for (std::int64_t& place : places) place += shift;
        if (places != along_rank(arrival.tensor, r, tile, before)) return true;
    }
    return false;
}

// ---- Words ----

// In a nest without remainders, ascending; with them the first ones.
const std::vector<std::int64_t>& Iterations::offsets(int dimension, LoopSet set) {
    const std::pair key{dimension, set & loops_of_[dimension]};
    const auto known = offsets_.find(key);
    if (known != offsets_.end()) return known->second;
    std::vector<std::int64_t> all{0};
    for (const int k : loops(dimension)) {
        if ((set & loop_bit(k)) == 0) continue;
        if (static_cast<std::int64_t>(all.size()) > kMostSteps / nest_.loops[k].extent)
            throw Uncounted("a tile is too long");
        const std::vector<std::int64_t> before = std::move(all);
        all.clear();
        for (const std::int64_t offset : before)
            for (std::int64_t i = 0; i < nest_.loops[k].extent; ++i) all.push_back(offset + i * nest_.loops[k].step);
    }
    return offsets_.emplace(key, std::move(all)).first->second;
}

// Places along a rank, each once, ascending.
std::vector<std::int64_t> Iterations::along_rank(int tensor, int rank, LoopSet set, const std::vector<Steps>& steps) {
    const Rank& one = nest_.einsum->tensors[tensor].ranks[rank];
    std::vector<std::int64_t> places{origin_of(*nest_.einsum, one)};
    for (std::size_t i = 0; i < one.terms.size(); ++i) {
        const std::vector<std::int64_t>& all = offsets(one.terms[i].dimension, set);
        const std::vector<std::int64_t> before = std::move(places);
        places.clear();
        if (static_cast<std::int64_t>(before.size()) > kMostSteps / steps[i].count)
            throw Uncounted("a tile is too long");
        for (const std::int64_t place : before)
            for (std::int64_t n = 0; n < steps[i].count; ++n)
                places.push_back(place + one.terms[i].coefficient * (steps[i].index + all[n]));
    }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

std::int64_t Iterations::words_along(int tensor, int rank, LoopSet set, const std::vector<Steps>& steps) {
    if (is_window(*nest_.einsum, nest_.einsum->tensors[tensor].ranks[rank]))
        return static_cast<std::int64_t>(along_rank(tensor, rank, set, steps).size());
    std::int64_t words = 1;
    for (const Steps& one : steps) words *= one.count;
    return words;
}

const std::vector<bool>& Iterations::marks(int tensor) {
    const auto known = marks_.find(tensor);
    if (known != marks_.end()) return known->second;
    const Tile extents = extents_of(*nest_.einsum, tensor);
    if (elements(extents) > kMostKnown)
        throw Uncounted("'" + nest_.einsum->tensors[tensor].name + "' is too large to know its zeros");
    std::vector<bool> marked(static_cast<std::size_t>(elements(extents)));
    if (const auto* band = std::get_if<Banded>(&densities_[tensor])) {
        for (std::int64_t i = 0; i < extents.front(); ++i)
            for (std::int64_t j = 0; j < extents.front(); ++j)
                marked[i * extents.front() + j] = std::abs(i - j) <= band->half_width;
    } else {
        for (const std::int64_t place : *std::get<Measured>(densities_[tensor]).places) marked[place] = true;
    }
    return marks_.emplace(tensor, std::move(marked)).first->second;
}

std::int64_t Iterations::marked(int tensor, LoopSet set, const Along& along) {
    const std::vector<bool>& all = marks(tensor);
    const Tile extents = extents_of(*nest_.einsum, tensor);
    std::vector<std::int64_t> elements{0};
    for (std::size_t r = 0; r < extents.size(); ++r) {
        const std::vector<std::int64_t> places = along_rank(tensor, static_cast<int>(r), set, along[r]);
        const std::vector<std::int64_t> before = std::move(elements);
        elements.clear();
        for (const std::int64_t element : before)
            for (const std::int64_t place : places) elements.push_back(element * extents[r] + place);
    }
    return std::ranges::count_if(elements, [&](std::int64_t element) { return all[element]; });
}

namespace {

// Places of a group that are touched, by group.
std::map<std::int64_t, std::int64_t> by_group(const std::vector<std::int64_t>& places, std::int64_t of) {
    std::map<std::int64_t, std::int64_t> groups;
    for (const std::int64_t place : places) ++groups[place / of];
    return groups;
}

}  // namespace

double Iterations::value(const Factor& factor, const Along& along) {
    const int t = factor.tensor;
    double words = 1.0;
    for (std::size_t r = 0; r < along.size(); ++r)
        words *= static_cast<double>(words_along(t, static_cast<int>(r), factor.set, along[r]));
    if (factor.kind == Factor::Kind::words) return words;
    if (factor.kind == Factor::Kind::per_word) return 1.0 / words;
    const Density& density = densities_[t];
    if (const auto* fixed = std::get_if<FixedStructured>(&density)) return std::min(1.0, words * fixed->density);
    if (const auto* random = std::get_if<UniformRandom>(&density)) {
        const std::int64_t all = elements(extents_of(*nest_.einsum, t));
        return 1.0 - hypergeometric(0, std::llround(words), marked_of(random->density, all), all);
    }
    const auto* pattern = std::get_if<Pattern>(&density);
    if (pattern == nullptr) return marked(t, factor.set, along) > 0 ? 1.0 : 0.0;
    const std::vector<std::int64_t> places = along_rank(t, pattern->rank, factor.set, along[pattern->rank]);
    double empty = 1.0;
    for (const auto& [group, touched] : by_group(places, pattern->of))
        empty *= hypergeometric(0, touched, pattern->kept, pattern->of);
    return 1.0 - std::pow(empty, words / static_cast<double>(places.size()));
}

std::int64_t Iterations::most(int tensor, LoopSet set) {
    const Density& density = densities_[tensor];
    const Tensor& one = nest_.einsum->tensors[tensor];
    const auto moved_by = [&](int d) { return moves(tensor, d) && extent(d) > 1; };
    // Where everything stands at its first iteration the tile is the largest.
    Along begin;
    for (const Rank& rank : one.ranks) {
        std::vector<Steps>& steps = begin.emplace_back();
        for (const Term& term : rank.terms) steps.push_back({count(term.dimension, set, 0), 0});
    }
    const auto words = static_cast<std::int64_t>(value({Factor::Kind::words, tensor, set}, begin));
    if (const auto* fixed = std::get_if<FixedStructured>(&density)) return marked_of(fixed->density, words);
    if (const auto* random = std::get_if<UniformRandom>(&density))
        return std::min(words, marked_of(random->density, elements(extents_of(*nest_.einsum, tensor))));
    // By all places of the other loops.
    const auto* pattern = std::get_if<Pattern>(&density);
    std::vector<std::vector<std::int64_t>> indices(nest_.einsum->dimensions.size(), {0});
    for (int d = 0; d < nest_.einsum->dimension_count(); ++d) {
        if (!moved_by(d)) continue;
        indices[d].clear();
        for (const Place& place : places(d, set, 0, true)) indices[d].push_back(index_outside(d, place.digits, set));
    }
    std::int64_t most = 0;
    std::vector<std::size_t> at(indices.size(), 0);
    while (true) {
        Along along;
        for (const Rank& rank : one.ranks) {
            std::vector<Steps>& steps = along.emplace_back();
            for (const Term& term : rank.terms) {
                const std::int64_t index = indices[term.dimension][at[term.dimension]];
                steps.push_back({count(term.dimension, set, index), index});
            }
        }
        std::int64_t found = 0;
        if (pattern == nullptr) {
            found = marked(tensor, set, along);
        } else {
            const std::vector<std::int64_t> touched = along_rank(tensor, pattern->rank, set, along[pattern->rank]);
            for (const auto& [group, count] : by_group(touched, pattern->of)) found += std::min(count, pattern->kept);
            found *= static_cast<std::int64_t>(value({Factor::Kind::words, tensor, set}, along)) /
                     static_cast<std::int64_t>(touched.size());
        }
        most = std::max(most, found);
        std::size_t d = at.size();
        while (d > 0 && at[d - 1] + 1 == indices[d - 1].size()) at[--d] = 0;
        if (d == 0) return most;
        ++at[d - 1];
    }
}

}  // namespace tilewright::sparse
