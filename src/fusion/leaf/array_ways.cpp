#include "fusion/leaf/array_ways.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/numbers/factors.hpp"
#include "fusion/hierarchy/leaf_floors.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::size_t kManySpreads = 100'000;

// Dimensions that stand alone on axes of all operands that they move, and move the same ones, are shared out as one.
struct SpreadClass {
    std::vector<int> dimensions;
    std::int64_t extent = 1;
    bool is_plain = false;
    bool is_any = false;  // boxes may have any part of it
    std::int64_t factor = 1;
};

bool is_plain(const Einsum& einsum, int dimension) {
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

// All spreads of one box, or of any box.
class Spreads {
   public:
    Spreads(const Einsum& einsum, const Mesh& array, const Extents& extents, const std::vector<bool>* any_extent)
        : einsum_(einsum), array_(array), extents_(extents), of_any_box_(any_extent != nullptr) {
        for (int d = 0; d < einsum.dimension_count(); ++d) add_dimension(d, any_extent);
        std::ranges::stable_sort(classes_, {}, &SpreadClass::is_plain);
        factors_.assign(extents.size(), 1);
    }

    /// What the spreads depend on.
    Extents key() const {
        Extents key;
        for (const SpreadClass& one : classes_) {
            key.push_back(one.is_plain ? part_in_arrays(one.extent) : one.extent);
            key.push_back(std::ssize(one.dimensions));
            key.insert(key.end(), one.dimensions.begin(), one.dimensions.end());
        }
        return key;
    }

    /// Of a point, with no operand in the registers.
    ArrayWays ways() {
        choose(0, array_.x, array_.y);
        ArrayWays spreads;
        if (seen_.size() > kManySpreads) return {loosest()};
        for (const Extents& factors : seen_) add(of(factors), spreads);
        return spreads;
    }

   private:
    void add_dimension(int d, const std::vector<bool>* any_extent) {
        const std::int64_t extent = extents_[at(d)];
        if (extent == 1) return;
        const bool plain = is_plain(einsum_, d);
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

    std::vector<std::int64_t> factors_up_to(const SpreadClass& one, std::int64_t extent, std::int64_t most) const {
        std::vector<std::int64_t> factors;
        if (one.is_any)
            for (std::int64_t f = 1; f <= std::min(extent, most); ++f) factors.push_back(f);
        else
            for (const std::int64_t f : divisors(extent))
                if (f <= most) factors.push_back(f);
        return factors;
    }

    // So much of both axes is left.
    void choose(std::size_t next, std::int64_t x, std::int64_t y) {
        if (seen_.size() > kManySpreads) return;
        if (next == classes_.size()) {
            Extents factors;
            for (const SpreadClass& one : classes_) factors.push_back(one.factor);
            seen_.insert(std::move(factors));
            return;
        }
        SpreadClass& one = classes_[next];
        const bool is_last = next + 1 == classes_.size() && one.is_plain;  // larger ones are no worse
        for (const std::int64_t along_x : factors_up_to(one, one.extent, x)) {
            std::vector<std::int64_t> ys = factors_up_to(one, one.extent / along_x, y);
            if (is_last) ys = {ys.back()};
            for (const std::int64_t along_y : ys) {
                one.factor = along_x * along_y;
                choose(next + 1, x / along_x, y / along_y);
            }
        }
        one.factor = 1;
    }

    ArrayWay of(const Extents& factors) {
        double units = 1.0;
        std::ranges::fill(factors_, 1);
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            units *= static_cast<double>(factors[c]);
            if (!classes_[c].is_plain) factors_[at(classes_[c].dimensions.front())] = factors[c];
        }
        ArrayWay way{1.0 / units};
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            double different = 1.0;
            for (std::size_t c = 0; c < classes_.size(); ++c)
                if (classes_[c].is_plain && is_relevant(einsum_.tensors[at(t)], classes_[c].dimensions.front()))
                    different *= static_cast<double>(factors[c]);
            for (const Rank& rank : einsum_.tensors[at(t)].ranks) different *= places(rank);
            way.asked[at(t)] = way.steps * different;
        }
        return way;
    }

    // Different places on one axis, of neighbours as far apart as suits best.
    double places(const Rank& rank) {
        std::vector<Term> spread;
        for (const Term& term : rank.terms)
            if (factors_[at(term.dimension)] > 1) spread.push_back(term);
        if (spread.empty()) return 1.0;
        if (spread.size() == 1) return static_cast<double>(factors_[at(spread[0].dimension)]);
        double least = 1.0;  // of sets that are added up
        double most = 1.0;
        std::vector<std::int64_t> key;
        for (const Term& term : spread) {
            const std::int64_t factor = factors_[at(term.dimension)];
            least += static_cast<double>(factor - 1);
            most *= static_cast<double>(factor);
            key.insert(key.end(), {term.dimension, term.coefficient, factor});
        }
        constexpr double kMany = 4096.0;
        if (of_any_box_ || most > kMany) return least;
        const auto [entry, is_new] = places_.try_emplace(std::move(key), most);
        if (is_new) find_places(spread, 0, {0}, entry->second);
        return entry->second;
    }

    void find_places(const std::vector<Term>& terms, std::size_t next, const std::set<std::int64_t>& places,
                     double& least) const {
        if (next == terms.size()) {
            least = std::min(least, static_cast<double>(places.size()));
            return;
        }
        const Term& term = terms[next];
        const std::int64_t factor = factors_[at(term.dimension)];
        for (const std::int64_t apart : divisors(extents_[at(term.dimension)] / factor)) {
            std::set<std::int64_t> more;
            for (const std::int64_t place : places)
                for (std::int64_t i = 0; i < factor; ++i) more.insert(place + i * apart * term.coefficient);
            find_places(terms, next + 1, more, least);
        }
    }

    // All units work and share all words.
    ArrayWay loosest() const {
        ArrayWay way{1.0 / static_cast<double>(array_.x * array_.y)};
        way.asked.fill(way.steps);
        return way;
    }

    // The factor of an extent that spreads may take something of.
    std::int64_t part_in_arrays(std::int64_t extent) const {
        std::int64_t part = 1;
        for (std::int64_t prime = 2; prime <= std::max(array_.x, array_.y) && extent > 1; ++prime) {
            std::int64_t most = 1;  // powers of it on both axes
            for (const std::int64_t side : {array_.x, array_.y})
                for (std::int64_t power = prime; power <= side; power *= prime) most *= prime;
            for (; extent % prime == 0; extent /= prime)
                if (most > 1) {
                    part *= prime;
                    most /= prime;
                }
        }
        return part;
    }

    void add(const ArrayWay& one, ArrayWays& ways) const {
        const auto is_no_better = [&](const ArrayWay& a, const ArrayWay& b) {
            if (a.steps < b.steps) return false;
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (a.asked[at(t)] < b.asked[at(t)]) return false;
            return true;
        };
        if (std::ranges::any_of(ways, [&](const ArrayWay& other) { return is_no_better(one, other); })) return;
        std::erase_if(ways, [&](const ArrayWay& other) { return is_no_better(other, one); });
        ways.push_back(one);
    }

    const Einsum& einsum_;
    Mesh array_;
    const Extents& extents_;
    bool of_any_box_;
    std::vector<SpreadClass> classes_;  // plain ones last
    Extents factors_;                   // by dimension, of those that are not plain
    std::set<Extents> seen_;  // factors by class
    std::map<std::vector<std::int64_t>, double> places_;
};

}  // namespace

WaysOfArray::WaysOfArray(const Einsum& einsum, const Mesh& array) : einsum_(&einsum), array_(array) {}

// Spreads of the points, each with every operand in the registers.
ArrayWays WaysOfArray::with_registers(const ArrayWays& spreads, const Extents& extents, double points) const {
    double all = 1.0;
    for (const std::int64_t extent : extents) all *= static_cast<double>(extent);
    std::array<double, kMaxTensors> once{};
    for (int t = 0; t < einsum_->tensor_count(); ++t)
        once[at(t)] = touched_words(einsum_->tensors[at(t)], extents) / all * points;
    ArrayWays ways;
    ways.reserve(spreads.size() * (einsum_->tensors.size() + 1));
    for (const ArrayWay& spread : spreads) {
        ArrayWay none = spread;
        none.steps *= points;
        for (double& words : none.asked) words *= points;
        ways.push_back(none);
        for (int t = 0; t < einsum_->tensor_count(); ++t) {
            ArrayWay held = none;
            held.asked[at(t)] = once[at(t)];
            ways.push_back(held);
        }
    }
    return ways;
}

ArrayWays WaysOfArray::of_box(const Extents& extents) {
    double points = 1.0;
    for (const std::int64_t extent : extents) points *= static_cast<double>(extent);
    const ArrayWays*& known = boxes_.try_emplace(extents, nullptr).first->second;
    if (known == nullptr) {
        Spreads spreads(*einsum_, array_, extents, nullptr);
        const auto [entry, is_new] = spreads_.try_emplace(spreads.key());
        if (is_new) entry->second = spreads.ways();
        known = &entry->second;
    }
    return with_registers(*known, extents, points);
}

// A larger box shares no less: of sets that are added up the places grow more slowly than the points.
ArrayWays WaysOfArray::of_a_point(const std::vector<bool>& any_extent) const {
    Extents extents;
    for (const Dimension& dimension : einsum_->dimensions) extents.push_back(dimension.extent);
    return with_registers(Spreads(*einsum_, array_, extents, &any_extent).ways(), extents, 1.0);
}

}  // namespace tilewright::fusion
