// Floors of leaves against plain nests one by one: every tile and order, one dimension along an axis, all operands by
// way of the buffer. property_fused_leaves has all even nests.
#include "certificate/fused/nests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/numbers/factors.hpp"
#include "base/numbers/random.hpp"
#include "fixtures/fused_bottleneck.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::certificate::fused_proof::nests_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-9;
using Extents = std::vector<std::int64_t>;

struct Point {
    std::int64_t words = 0;
    double value = 0.0;
};
using Front = std::vector<Point>;

// The box around what a tile touches.
double words_of_tile(const Tensor& tensor, const Extents& tile) {
    double words = 1.0;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t places = 1;
        for (const Term& term : rank.terms) places += term.coefficient * (tile[term.dimension] - 1);
        words *= static_cast<double>(places);
    }
    return words;
}

std::int64_t largest_factor_up_to(std::int64_t most, std::int64_t number) {
    std::int64_t factor = std::min(most, number);
    while (number % factor != 0) --factor;
    return factor;
}

// Counts step by step what docs/fusion.md says of a leaf. Every dimension has a loop of its own.
class Plain {
   public:
    Plain(const Einsum& einsum, const Prices& prices, const Weights& weights, const BoxOfLeaf& box)
        : einsum_(einsum), prices_(prices), weights_(weights), box_(box), tile_(box.extents) {
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            std::uint32_t moves = 0;
            bool cut = true;
            for (int t = 0; t < einsum.tensor_count(); ++t) {
                if (is_relevant(einsum.tensors[t], d)) moves |= 1U << static_cast<unsigned>(t);
                for (const Rank& rank : einsum.tensors[t].ranks) {
                    bool has = false;
                    for (const Term& term : rank.terms) has = has || term.dimension == d;
                    cut = cut && !(has && (rank.terms.size() > 1 || rank.terms[0].coefficient != 1));
                }
            }
            moves_.push_back(moves);
            if (cut && (moves & ~box.held) != 0 && box.extents[d] > 1) cuts_[moves].push_back(d);
        }
    }

    Front front() {
        tiles(cuts_.begin());
        Front front;
        for (const auto& [words, value] : best_)
            if (words <= prices_.capacity_bits / prices_.buffer.word_bits &&
                (front.empty() || value < front.back().value * (1.0 - kRounding)))
                front.push_back({words, value});
        return front;
    }

   private:
    using Cuts = std::map<std::uint32_t, std::vector<int>>;

    void tiles(Cuts::const_iterator cut) {
        if (cut == cuts_.end()) return orders();
        const std::vector<int>& dimensions = cut->second;
        tiles(std::next(cut));
        for (const int d : dimensions) {
            for (const std::int64_t part : divisors(box_.extents[d])) {
                if (part == box_.extents[d]) break;
                tile_[d] = part;
                tiles(std::next(cut));
            }
            tile_[d] = 1;
        }
        for (const int d : dimensions) tile_[d] = box_.extents[d];
    }

    void orders() {
        std::vector<std::uint32_t> order;
        for (const auto& [moves, dimensions] : cuts_) order.push_back(moves);
        double own = 0.0;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (!is_in(box_.held, t)) own += words_of_tile(einsum_.tensors[t], tile_);
        const auto [best, is_new] = best_.try_emplace(static_cast<std::int64_t>(own), kInfinity);
        do best->second = std::min(best->second, spreads(order));
        while (std::ranges::next_permutation(order).found);
    }

    double spreads(const std::vector<std::uint32_t>& order) const {
        double least = kInfinity;
        for (int x = -1; x < static_cast<int>(tile_.size()); ++x)
            for (int y = -1; y < static_cast<int>(tile_.size()); ++y)
                for (int kept = -1; kept < einsum_.tensor_count(); ++kept)
                    if ((x < 0 || x != y) && may_be_kept(kept)) least = std::min(least, calls(order, {x, y}, kept));
        return least;
    }

    bool may_be_kept(int operand) const {
        if (operand < 0) return true;
        for (const Rank& rank : einsum_.tensors[operand].ranks)
            if (rank.terms.size() > 1 || (rank.terms.size() == 1 && rank.terms[0].coefficient != 1)) return false;
        return true;
    }

    double calls(const std::vector<std::uint32_t>& order, const std::array<int, 2>& spread, int kept) const {
        Extents along(tile_.size(), 1);
        const std::array<std::int64_t, 2> most{prices_.array.x, prices_.array.y};
        double units = 1.0;
        for (const std::size_t axis : {0U, 1U}) {
            const int d = spread[axis];
            if (d < 0) continue;
            along[d] = largest_factor_up_to(most[axis], tile_[d]);
            units *= static_cast<double>(along[d]);
        }
        double operations = 1.0;
        for (const std::int64_t extent : box_.extents) operations *= static_cast<double>(extent);
        Moved dram;
        Moved buffer;
        double results = 0.0;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const double trips = trips_of(order, t);
            const double all = words_of_tile(einsum_.tensors[t], box_.extents);
            const bool written = einsum_.tensors[t].written;
            if (written) results += all;
            if (!is_in(box_.held, t)) {
                const double moved = words_of_tile(einsum_.tensors[t], tile_) * trips;
                dram.reads += written ? moved - all : moved;
                if (written) dram.updates += moved;
            }
            double moved = operations / units * places(einsum_.tensors[t], along);
            if (t == kept) moved = registers(t, along, trips);
            buffer.reads += written ? moved - all : moved;
            if (written) buffer.updates += moved;
        }
        buffer.fills = dram.reads;
        double value = cost(operations, units, dram, buffer);
        buffer.reads += results;
        if (box_.resumed > 0) value += static_cast<double>(box_.resumed) * cost(operations, units, dram, buffer);
        return value;
    }

    // Different words of units next to each other.
    static double places(const Tensor& tensor, const Extents& along) {
        double product = 1.0;
        for (const Rank& rank : tensor.ranks) {
            std::set<std::int64_t> seen{0};
            for (const Term& term : rank.terms) {
                std::set<std::int64_t> more;
                for (const std::int64_t one : seen)
                    for (std::int64_t i = 0; i < along[term.dimension]; ++i) more.insert(one + term.coefficient * i);
                seen = std::move(more);
            }
            product *= static_cast<double>(seen.size());
        }
        return product;
    }

    // A unit's word stays until another one is needed: for all loops of the tile if it has one word only.
    double registers(int t, const Extents& along, double trips) const {
        double one_after_the_other = 1.0;
        double tiles = 1.0;
        for (std::size_t d = 0; d < tile_.size(); ++d) {
            tiles *= static_cast<double>(box_.extents[d] / tile_[d]);
            if (is_in(moves_[d], t)) one_after_the_other *= static_cast<double>(tile_[d] / along[d]);
        }
        const double words = one_after_the_other * places(einsum_.tensors[t], along);
        return words * (one_after_the_other == 1.0 ? trips : tiles);
    }

    double trips_of(const std::vector<std::uint32_t>& order, int t) const {
        double trips = 1.0;
        double loops = 1.0;
        for (const std::uint32_t moves : order) {
            double steps = 1.0;
            for (const int d : cuts_.at(moves)) steps *= static_cast<double>(box_.extents[d] / tile_[d]);
            loops *= steps;
            if (is_in(moves, t) && steps > 1.0) trips = loops;
        }
        return trips;
    }

    double cost(double operations, double units, const Moved& dram, const Moved& buffer) const {
        return weights_.value(
            operations * prices_.operation_pj + energy_pj(prices_.dram, dram) + energy_pj(prices_.buffer, buffer),
            std::max({operations / units, cycles(prices_.dram, dram), cycles(prices_.buffer, buffer)}));
    }

    static bool is_in(std::uint32_t set, int t) { return (set >> static_cast<unsigned>(t) & 1U) != 0; }

    const Einsum& einsum_;
    const Prices& prices_;
    Weights weights_;
    const BoxOfLeaf& box_;
    Extents tile_;
    std::vector<std::uint32_t> moves_;
    Cuts cuts_;
    std::map<std::int64_t, double> best_;
};

std::vector<Einsum> einsums() {
    const std::vector<std::pair<std::string, std::int64_t>> sizes = {{"n", 2}, {"k", 6}, {"c", 4}, {"p", 4},
                                                                     {"q", 6}, {"r", 3}, {"s", 2}, {"m", 8}};
    std::vector<Einsum> all;
    for (const char* text : {"O[k,p,q] += I[c,p+r,q+s] * W[k,c,r,s]", "O[c,p,q] += I[c,2p+r,2q+s] * W[c,r,s]",
                             "O[m,k] += A[m,c] * B[c,k]", "O[n,m,k] += A[n,m,c] * B[n,c,k]", "O[p,q] = A[p,q] * B[p,q]",
                             "O[p,k] = A[p,k] * B[p] * C[k]", "O[p] += A[p,c,k]"}) {
        std::vector<std::pair<std::string, std::int64_t>> used;
        for (const auto& one : sizes)
            if (std::string(text).find(one.first) != std::string::npos) used.push_back(one);
        all.push_back(parse_einsum(text, used));
    }
    return all;
}

TEST(FusedNests, NoPlainNestCostsLess) {
    Random random(7);
    int points = 0;
    int tight = 0;
    for (const Einsum& einsum : einsums())
        for (int i = 0; i < 24; ++i) {
            Architecture machine = fixtures::three_levels(random.between(20, 400), 4);
            machine.memories[2].mesh = machine.compute.mesh = {random.between(1, 4), random.between(1, 6)};
            machine.memories[1].shared_words_per_cycle = random.chance(0.5) ? 3.0 : 40.0;
            if (random.chance(0.3)) machine.memories[1].read_words_per_cycle = 5.0;
            const Prices prices = prices_of(machine);
            const Weights weights = i % 3 == 0   ? Weights{1.0, 0.0}
                                    : i % 3 == 1 ? Weights{0.0, 1.0}
                                                 : Weights{0.5, 90.0};
            BoxOfLeaf box;
            for (const Dimension& dimension : einsum.dimensions) {
                const std::vector<std::int64_t> parts = divisors(dimension.extent);
                box.extents.push_back(random.chance(0.6) ? dimension.extent : parts[random.below(parts.size())]);
            }
            box.held = static_cast<std::uint32_t>(random.below(1U << static_cast<unsigned>(einsum.tensor_count())));
            box.resumed = random.chance(0.3) ? 2 : 0;
            Nests nests(einsum, prices, weights);
            const Front plain = Plain(einsum, prices, weights, box).front();
            const double floor = nests.floor(box);
            for (const Point& point : plain) EXPECT_GE(point.value, floor * (1.0 - kRounding));
            points += static_cast<int>(plain.size());
            tight += !plain.empty() && plain.back().value <= floor * (1.0 + kRounding) ? 1 : 0;
        }
    EXPECT_GT(points, 400);
    EXPECT_GT(tight, 30);
}

}  // namespace
}  // namespace tilewright::certificate::fused_proof::nests_test
