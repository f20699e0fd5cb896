#include "certificate/fused/nests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/numbers/factors.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNearly = 1.0 - 1e-12;
using Extents = std::vector<std::int64_t>;

double product(const Extents& extents) {
    double all = 1.0;
    for (const std::int64_t extent : extents) all *= static_cast<double>(extent);
    return all;
}

// Places of an axis: of steps that are so far apart that they do not meet as many as there are of all of them, else no
// fewer than of two sets of which every sum is taken.
double places_reached(const Rank& rank, const Extents& extents) {
    std::vector<Term> terms = rank.terms;
    std::ranges::sort(terms, {}, &Term::coefficient);
    double places = 1.0;
    double reach = 1.0;
    bool is_dense = true;
    for (const Term& term : terms) {
        const auto count = static_cast<double>(extents[place(term.dimension)]);
        const auto apart = static_cast<double>(term.coefficient);
        if (apart >= reach) {
            places *= count;
            is_dense = is_dense && (apart == reach || count == 1.0);
        } else {
            places += is_dense ? apart * (count - 1.0) : count - 1.0;
        }
        reach += apart * (count - 1.0);
    }
    return places;
}

// Every way to give factors whose product is no larger to bundles of such extents.
void list_factors(const std::vector<Extents>& choices, std::int64_t room, Extents& factors, std::vector<Extents>& all) {
    if (factors.size() == choices.size()) {
        all.push_back(factors);
        return;
    }
    for (const std::int64_t factor : choices[factors.size()]) {
        if (factor > room) break;
        factors.push_back(factor);
        list_factors(choices, room / factor, factors, all);
        factors.pop_back();
    }
}

// The fewest different places of steps of the terms, so many of each, over all distances that nests may put between
// them.
double fewest_places(const std::vector<std::pair<Term, std::int64_t>>& spread, const Extents& extents, std::size_t next,
                     const std::vector<std::int64_t>& before) {
    if (next == spread.size()) return static_cast<double>(before.size());
    const auto& [term, count] = spread[next];
    double fewest = kInfinity;
    for (const std::int64_t distance : divisors(extents[place(term.dimension)] / count)) {
        std::vector<std::int64_t> places;
        for (const std::int64_t one : before)
            for (std::int64_t i = 0; i < count; ++i) places.push_back(one + term.coefficient * distance * i);
        std::ranges::sort(places);
        places.erase(std::ranges::unique(places).begin(), places.end());
        fewest = std::min(fewest, fewest_places(spread, extents, next + 1, places));
    }
    return fewest;
}

constexpr int kNoLoop = -1;

// A single operand comes once at least. Of several those do that stay while the innermost loop around the registers
// goes along a dimension: no rank of theirs is that dimension alone. Every step of it replaces the others.
bool is_replaced(const Tensor& tensor, int dimension) {
    return std::ranges::any_of(tensor.ranks, [&](const Rank& rank) {
        return rank.terms.size() == 1 && rank.terms.front().dimension == dimension;
    });
}

// Tiles of some operands that a register has room for, whatever the box.
struct InRegister {
    const Einsum& einsum;
    const Prices& prices;
    std::uint32_t held = 0;

    bool fits(const Extents& tile) const {
        double bits = 0.0;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if ((held >> t & 1U) != 0)
                bits += words_reached(einsum.tensors[place(t)], tile) *
                        static_cast<double>(prices.bits_of(einsum.tensors[place(t)].bits));
        return bits <= static_cast<double>(prices.buffer.word_bits);
    }

    // The most points of a tile for each word of the operand; of windows, which overlap, for all of its words.
    double points_of_a_word(int t) const {
        Extents tile(einsum.dimensions.size(), 1);
        return most(t, 0, tile);
    }

    double most(int t, int d, Extents& tile) const {
        const Tensor& tensor = einsum.tensors[place(t)];
        if (d == einsum.dimension_count()) {
            const bool slides =
                std::ranges::any_of(tensor.ranks, [](const Rank& rank) { return rank.terms.size() > 1; });
            return product(tile) / (slides ? 1.0 : words_reached(tensor, tile));
        }
        bool moves = false;
        for (int other = 0; other < einsum.tensor_count(); ++other)
            moves = moves || ((held >> other & 1U) != 0 && is_relevant(einsum.tensors[place(other)], d));
        double points = 1.0;
        for (std::int64_t& extent = tile[place(d)]; fits(tile); ++extent) {
            points = std::max(points, most(t, d + 1, tile));
            if (!moves) break;
        }
        tile[place(d)] = 1;
        return points;
    }
};

}  // namespace

double words_reached(const Tensor& tensor, const Extents& extents) {
    double words = 1.0;
    for (const Rank& rank : tensor.ranks) words *= places_reached(rank, extents);
    return words;
}

Nests::Nests(const Einsum& einsum, const Prices& prices, const Weights& weights)
    : einsum_(einsum), prices_(prices), weights_(weights) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::uint32_t movers = 0;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_relevant(einsum.tensors[place(t)], d)) movers |= 1U << static_cast<unsigned>(t);
        movers_.push_back(movers);
    }
    for (const Tensor& tensor : einsum.tensors) shares_.push_back(share_of(prices.buffer, tensor.bits));
}

std::vector<Nests::Bundle> Nests::bundles(const Extents& extents, const std::vector<bool>* is_driven) const {
    std::vector<Bundle> all;
    for (int d = 0; d < einsum_.dimension_count(); ++d) {
        if (extents[place(d)] == 1) continue;
        Bundle own{{d}, extents[place(d)], true, is_driven != nullptr && (*is_driven)[place(d)]};
        for (const Tensor& tensor : einsum_.tensors)
            for (const Rank& rank : tensor.ranks)
                for (const Term& term : rank.terms)
                    if (term.dimension == d && (rank.terms.size() > 1 || term.coefficient != 1)) own.is_plain = false;
        const auto same = std::ranges::find_if(all, [&](const Bundle& one) {
            return own.is_plain && one.is_plain && movers_[place(one.dimensions[0])] == movers_[place(d)];
        });
        if (same == all.end()) {
            all.push_back(own);
            continue;
        }
        same->dimensions.push_back(d);
        same->extent *= own.extent;
        same->is_driven = same->is_driven || own.is_driven;
    }
    return all;
}

Nests::Way Nests::spread(const std::vector<Bundle>& bundles, const Factors& factors, const Extents& extents,
                         bool any_box) const {
    Way way{product(extents)};
    for (const std::int64_t factor : factors) way.steps /= static_cast<double>(factor);
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        double different = 1.0;
        for (std::size_t b = 0; b < bundles.size(); ++b)
            if (bundles[b].is_plain && (movers_[place(bundles[b].dimensions[0])] >> t & 1U) != 0)
                different *= static_cast<double>(factors[b]);
        for (const Rank& rank : einsum_.tensors[place(t)].ranks) {
            std::vector<std::pair<Term, std::int64_t>> spread;
            double sum = 1.0;
            double most = 1.0;
            for (std::size_t b = 0; b < bundles.size(); ++b)
                for (const Term& term : rank.terms) {
                    if (bundles[b].is_plain || bundles[b].dimensions[0] != term.dimension || factors[b] == 1) continue;
                    spread.emplace_back(term, factors[b]);
                    sum += static_cast<double>(factors[b] - 1);
                    most *= static_cast<double>(factors[b]);
                }
            constexpr double kMany = 4096.0;
            const bool is_rough = any_box || most > kMany;
            different *= spread.size() < 2 ? most : is_rough ? sum : fewest_places(spread, extents, 0, {0});
        }
        way.words[place(t)] = way.steps * different;
    }
    return way;
}

void Nests::keep(const Way& way, std::vector<Way>& ways) {
    const auto is_covered = [](const Way& by, const Way& one) {
        return by.steps <= one.steps && std::ranges::equal(by.words, one.words, std::less_equal{});
    };
    if (std::ranges::any_of(ways, [&](const Way& other) { return is_covered(other, way); })) return;
    std::erase_if(ways, [&](const Way& other) { return is_covered(way, other); });
    ways.push_back(way);
}

std::vector<Nests::Way> Nests::find_ways(const Extents& extents, const std::vector<bool>* is_driven) {
    const std::vector<Bundle> all = bundles(extents, is_driven);
    const std::int64_t longest = std::max(prices_.array.x, prices_.array.y);
    std::vector<Extents> choices;
    for (const Bundle& bundle : all) {
        choices.emplace_back();
        if (bundle.is_driven)
            for (std::int64_t f = 1; f <= std::min(longest, bundle.extent); ++f) choices.back().push_back(f);
        else
            choices.back() = divisors(bundle.extent);
    }
    std::vector<Extents> along_x;
    std::vector<Extents> along_y;
    Extents none;
    list_factors(choices, prices_.array.x, none, along_x);
    list_factors(choices, prices_.array.y, none, along_y);
    std::set<Factors> spreads;
    for (const Extents& x : along_x)
        for (const Extents& y : along_y) {
            Factors both(x);
            bool fits = true;
            for (std::size_t b = 0; b < all.size(); ++b) {
                both[b] *= y[b];
                fits = fits && (all[b].is_driven ? both[b] <= all[b].extent : all[b].extent % both[b] == 0);
            }
            if (fits) spreads.insert(std::move(both));
        }
    std::vector<Way> spread_ways;
    for (const Factors& factors : spreads) keep(spread(all, factors, extents, is_driven != nullptr), spread_ways);
    std::vector<Way> ways = spread_ways;
    for (const Way& way : spread_ways)
        for (std::uint32_t registers = 1; registers >> einsum_.tensor_count() == 0; ++registers) {
            if (!has_room(registers)) continue;
            const bool is_one = (registers & (registers - 1)) == 0;
            for (int d = is_one ? kNoLoop : 0; d < (is_one ? 0 : einsum_.dimension_count()); ++d) {
                Way held = way;
                for (int t = 0; t < einsum_.tensor_count(); ++t) {
                    if ((registers >> t & 1U) == 0) continue;
                    const double once = words_reached(einsum_.tensors[place(t)], extents);
                    double& words = held.words[place(t)];
                    words = is_replaced(einsum_.tensors[place(t)], d)
                                ? std::max(once, words / InRegister{einsum_, prices_, registers}.points_of_a_word(t))
                                : once;
                }
                keep(held, ways);
            }
        }
    return ways;
}

// A word of each of these operands in a register at once.
bool Nests::has_room(std::uint32_t registers) const {
    std::int64_t bits = 0;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if ((registers >> t & 1U) != 0) bits += prices_.bits_of(einsum_.tensors[place(t)].bits);
    return bits <= prices_.buffer.word_bits;
}

const std::vector<Nests::Way>& Nests::ways(const Extents& extents) {
    const auto [entry, is_new] = ways_.try_emplace(extents);
    if (is_new) entry->second = find_ways(extents, nullptr);
    return entry->second;
}

// Calls `visit` with energy and cycles of every way, for all choices of what passes the buffer by.
template <typename Visit>
void Nests::each_cost(const std::vector<Way>& ways, const Sources& sources, double points, bool is_call,
                      std::int64_t resumed, const Visit& visit) const {
    std::uint32_t all = 0;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if (sources[place(t)].may_pass) all |= 1U << static_cast<unsigned>(t);
    for (const Way& way : ways)
        for (std::uint32_t passing = 0; passing <= all; ++passing) {
            if ((passing & ~all) != 0) continue;
            Both dram;
            Both buffer;
            Share results{0.0, 0.0};
            double less_pj = 0.0;
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                const Source& source = sources[place(t)];
                const double words = way.words[place(t)];
                const Share& share = shares_[place(t)];
                const bool passes = (passing >> static_cast<unsigned>(t) & 1U) != 0;
                Both& asked = passes ? dram : buffer;
                if (einsum_.tensors[place(t)].written) {
                    asked.add(&Moved::updates, words, share);
                    asked.add(&Moved::reads, std::max(0.0, words - source.once), share);  // at first nothing was there
                    results.accesses += source.once * share.accesses;
                    results.bandwidth += source.once * share.bandwidth;
                    if (passes) less_pj += source.paid * share.accesses * prices_.dram.update_pj;
                    if (!passes && source.may_pass && source.is_counted) dram.add(&Moved::updates, source.once, share);
                } else {
                    asked.add(&Moved::reads, words, share);
                    if (passes) less_pj += source.paid * share.accesses * prices_.dram.read_pj;
                    if (passes || !source.may_pass || !source.is_counted) continue;
                    dram.add(&Moved::reads, source.once, share);
                    buffer.add(&Moved::fills, source.once, share);
                }
            }
            const auto time = [&](const Port& port, const Moved& moved) {
                const double writes = moved.fills + moved.updates;
                const double taken = std::max({moved.reads / port.reads_per_cycle, writes / port.writes_per_cycle,
                                               (moved.reads + writes) / port.words_per_cycle});
                return is_call ? std::ceil(taken * kNearly) : taken;  // as the exact model rounds them
            };
            double energy = 0.0;
            double cycles = 0.0;
            const auto add_calls = [&](double times) {
                energy += times * (points * prices_.operation_pj + energy_pj(prices_.dram, dram.accesses) +
                                   energy_pj(prices_.buffer, buffer.accesses) - less_pj);
                cycles += times * std::max({way.steps, time(prices_.dram, dram.bandwidth),
                                            time(prices_.buffer, buffer.bandwidth)});
            };
            add_calls(1.0);
            buffer.add(&Moved::reads, 1.0, results);
            if (resumed > 0) add_calls(static_cast<double>(resumed));
            visit(energy, cycles);
        }
}

double Nests::floor(const BoxOfLeaf& box) {
    const auto [entry, is_new] = floors_.try_emplace(box, kInfinity);
    if (!is_new) return entry->second;
    Sources sources{};
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        sources[place(t)] = {(box.held >> t & 1U) == 0, true, words_reached(einsum_.tensors[place(t)], box.extents)};
    double& least = entry->second;
    each_cost(ways(box.extents), sources, product(box.extents), true, box.resumed,
              [&](double energy, double cycles) { least = std::min(least, weights_.value(energy, cycles)); });
    return least;
}

Nests::Sources Nests::sources_of(const Extents& extents, const Paid& paid, double points) const {
    Sources sources{};
    const double share = points / product(extents);
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        const double words = paid[place(t)];
        sources[place(t)] = {words >= 0.0, false, words_reached(einsum_.tensors[place(t)], extents) * share,
                             std::max(0.0, words) * points};
    }
    return sources;
}

double Nests::floor_inside(const Extents& extents, const Paid& paid) {
    const auto [entry, is_new] = inside_.try_emplace({extents, paid}, kInfinity);
    if (!is_new) return entry->second;
    const double points = product(extents);
    double& least = entry->second;
    each_cost(ways(extents), sources_of(extents, paid, points), points, false, 0,
              [&](double energy, double cycles) { least = std::min(least, weights_.value(energy, cycles)); });
    return least;
}

// A larger box shares no less, so the whole einsum has the least.
Nests::PerPoint Nests::least_per_point(const std::vector<bool>& is_driven, const Paid& paid) {
    Extents extents;
    for (const Dimension& dimension : einsum_.dimensions) extents.push_back(dimension.extent);
    const double points = product(extents);
    if (ways_of_a_point_.empty()) {
        ways_of_a_point_ = find_ways(extents, &is_driven);
        for (Way& way : ways_of_a_point_) {
            way.steps /= points;
            for (double& words : way.words) words /= points;
        }
    }
    PerPoint least{kInfinity, kInfinity, kInfinity};
    each_cost(ways_of_a_point_, sources_of(extents, paid, 1.0), 1.0, false, 0, [&](double energy, double cycles) {
        least = {std::min(least.energy_pj, energy), std::min(least.cycles, cycles),
                 std::min(least.value, weights_.value(energy, cycles))};
    });
    return least;
}

}  // namespace tilewright::certificate::fused_proof
