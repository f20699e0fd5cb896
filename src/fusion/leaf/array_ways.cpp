#include "fusion/leaf/array_ways.hpp"

#include <algorithm>
#include <utility>

#include "base/numbers/factors.hpp"
#include "fusion/leaf/leaf.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::size_t kManySpreads = 100'000;
constexpr std::size_t kManyVisits = 4'000'000;

// Dimensions that stand alone on axes of all operands that they move, and move the same ones, are shared out as one.
struct SpreadClass {
    std::vector<int> dimensions;
    std::int64_t extent = 1;
    bool is_plain = false;
    bool is_any = false;  // boxes may have any part of it
};

// How a class may lie along both axes.
struct Factors {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::size_t product = 0;  // of all that the class may have
};

struct Choices {
    std::vector<std::int64_t> products;
    std::vector<Factors> factors;
};

bool is_a_rank_alone(const Einsum& einsum, int dimension) {
    for (const Tensor& tensor : einsum.tensors)
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms)
                if (term.dimension == dimension && (rank.terms.size() > 1 || term.coefficient != 1)) return false;
    return true;
}

std::uint32_t moved_by(const Einsum& einsum, int dimension) {
    std::uint32_t moved = 0;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_relevant(einsum.tensors[at(t)], dimension)) moved |= 1U << static_cast<unsigned>(t);
    return moved;
}

std::vector<std::int64_t> factors_of(const SpreadClass& one, std::int64_t extent, std::int64_t most) {
    std::vector<std::int64_t> factors;
    if (one.is_any)
        for (std::int64_t f = 1; f <= std::min(extent, most); ++f) factors.push_back(f);
    else
        for (const std::int64_t f : divisors(extent))
            if (f <= most) factors.push_back(f);
    return factors;
}

Choices choices_of(const SpreadClass& one, const Mesh& array) {
    Choices choices;
    std::map<std::int64_t, std::size_t> numbers;
    for (const std::int64_t x : factors_of(one, one.extent, array.x))
        for (const std::int64_t y : factors_of(one, one.extent / x, array.y)) {
            const auto [entry, is_new] = numbers.try_emplace(x * y, choices.products.size());
            if (is_new) choices.products.push_back(x * y);
            choices.factors.push_back({x, y, entry->second});
        }
    return choices;
}

// All spreads of one box, or of any box.
class Spreads {
   public:
    using FewestPlaces = std::map<std::vector<std::int64_t>, double>;

    /// `known`: places that were counted for other boxes of the einsum.
    Spreads(const Einsum& einsum, const Mesh& array, const Extents& extents, const std::vector<bool>* any_extent,
            FewestPlaces& known)
        : einsum_(einsum), array_(array), extents_(extents), of_any_box_(any_extent != nullptr), known_(known) {
        for (int d = 0; d < einsum.dimension_count(); ++d) add_dimension(d, any_extent);
        std::ranges::stable_sort(classes_, {}, &SpreadClass::is_plain);
    }

    ArrayWays ways() {
        for (const SpreadClass& one : classes_) choices_.push_back(choices_of(one, array_));
        if (!classes_.empty() && classes_.back().is_plain) find_largest_last();
        choose(0, 0, array_.x, array_.y);
        if (is_too_many()) return {loosest()};
        find_places_of_ranks();
        ArrayWays spreads;
        spreads.reserve(last_of_.size());
        for (const auto& [number, last] : last_of_) spreads.push_back(of(number, last));
        return without_worse(std::move(spreads));
    }

   private:
    // Places on an axis of an operand, by what those of its dimensions spread that stand there with others.
    struct Places {
        std::vector<std::size_t> classes;
        std::vector<double> fewest;  // by their products; the first class counts fastest
    };

    void add_dimension(int d, const std::vector<bool>* any_extent) {
        const std::int64_t extent = extents_[at(d)];
        if (extent == 1) return;
        const bool plain = is_a_rank_alone(einsum_, d);
        const bool any = of_any_box_ && (*any_extent)[at(d)];
        const auto joins = [&](const SpreadClass& one) {
            return one.is_plain && moved_by(einsum_, one.dimensions.front()) == moved_by(einsum_, d);
        };
        const auto same = plain ? std::ranges::find_if(classes_, joins) : classes_.end();
        if (same == classes_.end()) {
            classes_.push_back({{d}, extent, plain, any});
            return;
        }
        same->dimensions.push_back(d);
        same->extent *= extent;
        same->is_any = same->is_any || any;
    }

    // Of the last class, if it is plain, the more units the better: what it moves is asked for as often, all else less.
    void find_largest_last() {
        const std::size_t row = at(array_.y) + 1;
        largest_last_.assign((at(array_.x) + 1) * row, 1);
        for (const Factors& one : choices_.back().factors) {
            std::int64_t& most = largest_last_[at(one.x) * row + at(one.y)];
            most = std::max(most, one.x * one.y);
        }
        for (std::size_t x = 1; x <= at(array_.x); ++x)
            for (std::size_t y = 1; y <= at(array_.y); ++y)
                largest_last_[x * row + y] = std::max(
                    {largest_last_[x * row + y], largest_last_[(x - 1) * row + y], largest_last_[x * row + y - 1]});
    }

    bool is_too_many() const { return last_of_.size() > kManySpreads || visits_ > kManyVisits; }
    std::size_t chosen_classes() const { return classes_.size() - (largest_last_.empty() ? 0 : 1); }

    // `number`: of the products of the classes before; so much of both axes is left.
    void choose(std::size_t next, std::uint64_t number, std::int64_t x, std::int64_t y) {
        if (next == chosen_classes()) {
            ++visits_;
            const std::int64_t last = largest_last_.empty() ? 1 : largest_last_[at(x) * (at(array_.y) + 1) + at(y)];
            std::int64_t& most = last_of_[number];
            most = std::max(most, last);
            return;
        }
        const Choices& choices = choices_[next];
        for (const Factors& one : choices.factors) {
            if (is_too_many()) return;
            if (one.x <= x && one.y <= y)
                choose(next + 1, number * choices.products.size() + one.product, x / one.x, y / one.y);
        }
    }

    ArrayWay of(std::uint64_t number, std::int64_t last) {
        products_.assign(classes_.size(), last);
        numbers_.assign(classes_.size(), 0);
        for (std::size_t c = chosen_classes(); c-- > 0;) {
            const std::size_t count = choices_[c].products.size();
            numbers_[c] = number % count;
            products_[c] = choices_[c].products[numbers_[c]];
            number /= count;
        }
        double units = 1.0;
        for (const std::int64_t product : products_) units *= static_cast<double>(product);
        ArrayWay way{1.0 / units};
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            double different = 1.0;
            for (const std::size_t c : moving_[at(t)]) different *= static_cast<double>(products_[c]);
            for (const Places& places : places_[at(t)]) {
                std::size_t place = 0;
                for (std::size_t i = places.classes.size(); i-- > 0;)
                    place = place * choices_[places.classes[i]].products.size() + numbers_[places.classes[i]];
                different *= places.fewest[place];
            }
            way.asked[at(t)] = way.steps * different;
        }
        return way;
    }

    void find_places_of_ranks() {
        for (const Tensor& tensor : einsum_.tensors) {
            std::vector<std::size_t>& moving = moving_.emplace_back();
            for (std::size_t c = 0; c < classes_.size(); ++c)
                if (classes_[c].is_plain && is_relevant(tensor, classes_[c].dimensions.front())) moving.push_back(c);
            std::vector<Places>& all = places_.emplace_back();
            for (const Rank& rank : tensor.ranks) {
                Places places;
                std::vector<Term> terms;
                for (std::size_t c = 0; c < classes_.size() && !classes_[c].is_plain; ++c)
                    for (const Term& term : rank.terms)
                        if (term.dimension == classes_[c].dimensions.front()) {
                            places.classes.push_back(c);
                            terms.push_back(term);
                        }
                if (places.classes.empty()) continue;
                std::vector<std::int64_t> factors(terms.size(), 1);
                find_places(places, terms, terms.size(), factors);
                all.push_back(std::move(places));
            }
        }
    }

    void find_places(Places& places, const std::vector<Term>& terms, std::size_t left,
                     std::vector<std::int64_t>& factors) {
        if (left == 0) {
            places.fewest.push_back(fewest_places(terms, factors));
            return;
        }
        for (const std::int64_t product : choices_[places.classes[left - 1]].products) {
            factors[left - 1] = product;
            find_places(places, terms, left - 1, factors);
        }
    }

    // Different places on one axis, of neighbours as far apart as suits best.
    double fewest_places(const std::vector<Term>& terms, const std::vector<std::int64_t>& factors) {
        double sums = 1.0;  // of sets that are added up
        double most = 1.0;
        std::vector<std::pair<Term, std::int64_t>> spread;
        std::vector<std::int64_t> key;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (factors[i] == 1) continue;
            spread.emplace_back(terms[i], factors[i]);
            sums += static_cast<double>(factors[i] - 1);
            most *= static_cast<double>(factors[i]);
            key.insert(key.end(), {terms[i].dimension, terms[i].coefficient, factors[i],
                                   extents_[at(terms[i].dimension)] / factors[i]});
        }
        if (spread.size() < 2) return most;
        constexpr double kMany = 4096.0;
        if (of_any_box_ || most > kMany) return sums;
        const auto [entry, is_new] = known_.try_emplace(std::move(key), most);
        if (is_new) count_places(spread, 0, {0}, entry->second);
        return entry->second;
    }

    void count_places(const std::vector<std::pair<Term, std::int64_t>>& spread, std::size_t next,
                      const std::vector<std::int64_t>& places, double& least) const {
        if (next == spread.size()) {
            least = std::min(least, static_cast<double>(places.size()));
            return;
        }
        const auto& [term, factor] = spread[next];
        for (const std::int64_t apart : divisors(extents_[at(term.dimension)] / factor)) {
            std::vector<std::int64_t> more;
            for (const std::int64_t place : places)
                for (std::int64_t i = 0; i < factor; ++i) more.push_back(place + i * apart * term.coefficient);
            std::ranges::sort(more);
            more.erase(std::ranges::unique(more).begin(), more.end());
            count_places(spread, next + 1, more, least);
        }
    }

    // All units work and share all words.
    ArrayWay loosest() const {
        ArrayWay way{1.0 / static_cast<double>(array_.x * array_.y)};
        way.asked.fill(way.steps);
        return way;
    }

    ArrayWays without_worse(ArrayWays all) const {
        std::ranges::sort(all, [](const ArrayWay& a, const ArrayWay& b) {
            return a.steps != b.steps ? a.steps < b.steps : a.asked < b.asked;
        });
        ArrayWays best;  // none is worse than one after it
        for (const ArrayWay& one : all) {
            const auto is_no_worse = [&](const ArrayWay& other) {
                for (int t = 0; t < einsum_.tensor_count(); ++t)
                    if (other.asked[at(t)] > one.asked[at(t)]) return false;
                return true;
            };
            if (std::ranges::none_of(best, is_no_worse)) best.push_back(one);
        }
        return best;
    }

    const Einsum& einsum_;
    Mesh array_;
    const Extents& extents_;
    bool of_any_box_;
    FewestPlaces& known_;
    std::vector<SpreadClass> classes_;                         // plain ones last
    std::vector<Choices> choices_;                             // by class
    std::vector<std::int64_t> largest_last_;                   // by what is left of both axes; none: no class is plain
    std::unordered_map<std::uint64_t, std::int64_t> last_of_;  // by number of the products of all others
    std::size_t visits_ = 0;
    std::vector<std::vector<std::size_t>> moving_;  // by operand, plain classes
    std::vector<std::vector<Places>> places_;       // by operand
    std::vector<std::int64_t> products_;            // by class, of the spread at hand
    std::vector<std::size_t> numbers_;
};

// The factor of an extent that spreads may take something of.
std::int64_t part_in(const Mesh& array, std::int64_t extent) {
    std::int64_t part = 1;
    for (std::int64_t prime = 2; prime <= std::max(array.x, array.y) && extent > 1; ++prime) {
        std::int64_t most = 1;  // powers of it on both axes
        for (const std::int64_t side : {array.x, array.y})
            for (std::int64_t power = prime; power <= side; power *= prime) most *= prime;
        for (; extent % prime == 0; extent /= prime)
            if (most > 1) {
                part *= prime;
                most /= prime;
            }
    }
    return part;
}

}  // namespace

WaysOfArray::WaysOfArray(const Einsum& einsum, const Mesh& array) : einsum_(&einsum), array_(array) {
    std::map<std::uint32_t, std::size_t> plain;  // by the operands that they move
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const bool is_shared = is_a_rank_alone(einsum, d);
        const std::size_t next = is_plain_.size();
        const std::size_t own = is_shared ? plain.try_emplace(moved_by(einsum, d), next).first->second : next;
        if (own == next) is_plain_.push_back(is_shared);
        class_of_.push_back(own);
    }
}

std::size_t WaysOfArray::Hash::operator()(const Extents& extents) const {
    NumberHash hash(extents.size());
    for (const std::int64_t extent : extents) hash.add(extent);
    return hash.value();
}

// Boxes have the same spreads where what these may take of their extents is the same.
const ArrayWays& WaysOfArray::of_box(const Extents& extents) {
    key_.assign(is_plain_.size(), 1);
    for (std::size_t d = 0; d < extents.size(); ++d) key_[class_of_[d]] *= extents[d];
    for (std::size_t c = 0; c < is_plain_.size(); ++c) {
        if (!is_plain_[c]) continue;
        const auto [part, is_new] = parts_.try_emplace(key_[c]);
        if (is_new) part->second = part_in(array_, key_[c]);
        key_[c] = part->second;
    }
    const auto [entry, is_new] = spreads_.try_emplace(key_);
    if (is_new) entry->second = Spreads(*einsum_, array_, extents, nullptr, places_).ways();
    return entry->second;
}

// A larger box shares no less: of sets that are added up the places grow more slowly than the points.
ArrayWays WaysOfArray::of_any_box(const std::vector<bool>& any_extent) {
    Extents extents;
    for (const Dimension& dimension : einsum_->dimensions) extents.push_back(dimension.extent);
    return Spreads(*einsum_, array_, extents, &any_extent, places_).ways();
}

}  // namespace tilewright::fusion
