// Words between the levels of a `map` (tiles/search/objective.hpp), in every order of loops: held to a walk over all
// tiles, and to the exact model (a memory for each level, loops with remainders between them) where tiles divide those
// outside, the whole apart; others no mapping can say.
//
//     property_tile_words [--chains 2000] [--seed 1]
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/numbers/checked.hpp"
#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapping/mapping.hpp"
#include "model/exact/model.hpp"
#include "tiles/search/objective.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::property {
namespace {

using tiles::TileChain;

struct Seen {
    std::uint64_t mappings = 0;
    std::uint64_t remainders = 0;
    std::uint64_t three_levels = 0;
};

TileChain random_chain(Random& random, bool divides) {
    const auto levels = static_cast<std::size_t>(random.between(2, 3));
    TileChain chain(levels);
    for (std::size_t d = 0; d < 3; ++d) {
        chain[0][d] = random.between(1, 12);
        std::int64_t tile = 1;
        for (std::size_t level = levels; --level > 0;) {
            tile = divides ? tile * random.between(1, 3) : random.between(1, chain[0][d]);
            chain[level][d] = std::min(tile, chain[0][d]);
        }
        if (!divides)
            for (std::size_t level = 1; level < levels; ++level)
                chain[level][d] = std::min(chain[level][d], chain[level - 1][d]);
    }
    return chain;
}

using Orders = std::vector<std::array<int, 3>>;  // by level, outermost loop first

/// Nested loops over the tiles; the last tile of an extent is what remains.
Mapping mapping_of(const TileChain& chain, const Orders& orders) {
    Mapping mapping;
    std::array<std::int64_t, 3> last = chain.front();  // size of the last tile so far
    for (std::size_t level = 0; level < chain.size(); ++level) {
        mapping.nodes.emplace_back(Store{static_cast<int>(level), TensorSet::all(3)});
        for (const int d : level < orders.size() ? orders[level] : std::array{0, 1, 2}) {
            const std::int64_t tile = level + 1 < chain.size() ? chain[level + 1][d] : 1;
            const std::int64_t trips = ceil_div(chain[level][d], tile);
            const std::int64_t last_trips = ceil_div(last[d], tile);
            if (trips > 1) mapping.nodes.emplace_back(Loop{d, trips, last_trips, LoopKind::temporal});
            last[d] -= (last_trips - 1) * tile;
        }
    }
    return mapping;
}

struct Span {
    std::int64_t low = 0;
    std::int64_t high = 0;

    bool operator==(const Span&) const = default;
};
using Box = std::array<Span, 3>;

/// Goes through the tiles of a level in order, those of the levels outside it around them.
class Walk {
   public:
    Walk(const TileChain& chain, const Orders& orders, std::size_t level)
        : chain_(chain), orders_(orders), level_(level) {}

    double words() {
        Box whole;
        for (std::size_t d = 0; d < 3; ++d) whole[d] = {0, chain_[0][d]};
        go(1, 0, whole, whole);
        return words_ - static_cast<double>(chain_[0][0] * chain_[0][1]);  // sums begin at zero
    }

   private:
    void go(std::size_t level, std::size_t loop, Box outside, Box tile) {
        if (loop == 3) {
            if (level == level_)
                visit(tile);
            else
                go(level + 1, 0, tile, tile);
            return;
        }
        const int d = orders_[level - 1][loop];
        for (std::int64_t low = outside[d].low; low < outside[d].high; low += chain_[level][d]) {
            tile[d] = {low, std::min(low + chain_[level][d], outside[d].high)};
            go(level, loop + 1, outside, tile);
        }
    }

    void visit(const Box& tile) {
        const std::array<std::array<int, 2>, 3> tensors{{{0, 2}, {1, 2}, {0, 1}}};
        for (std::size_t t = 0; t < 3; ++t) {
            const std::array<Span, 2> now{tile[tensors[t][0]], tile[tensors[t][1]]};
            if (now == held_[t]) continue;
            held_[t] = now;
            const std::int64_t words = (now[0].high - now[0].low) * (now[1].high - now[1].low);
            words_ += static_cast<double>(t == 2 ? 2 * words : words);
        }
    }

    const TileChain& chain_;
    const Orders& orders_;
    std::size_t level_;
    std::array<std::array<Span, 2>, 3> held_{};
    double words_ = 0.0;
};

std::vector<double> walked_words(const TileChain& chain, const Orders& orders) {
    std::vector<double> words;
    for (std::size_t level = 1; level < chain.size(); ++level) words.push_back(Walk(chain, orders, level).words());
    return words;
}

Architecture machine(std::size_t levels) {
    Architecture architecture;
    architecture.memories.resize(levels);
    for (std::size_t level = 0; level < levels; ++level)
        architecture.memories[level].name = "level" + std::to_string(level);
    return architecture;
}

std::vector<double> model_words(const TileChain& chain, const Orders& orders) {
    const Einsum product =
        parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", chain[0][0]}, {"n", chain[0][1]}, {"k", chain[0][2]}});
    const Evaluation evaluation = evaluate(product, machine(chain.size()), mapping_of(chain, orders));
    std::vector<double> words;
    for (std::size_t level = 0; level + 1 < chain.size(); ++level) {
        double all = 0.0;
        for (const TensorTraffic& traffic : evaluation.memories[level].tensors) all += traffic.reads + traffic.updates;
        words.push_back(all);
    }
    return words;
}

template <typename Words>
std::vector<double> fewest_of_all(const TileChain& chain, const Words& words_of) {
    const auto levels = chain.size() - 1;
    std::vector<double> fewest;
    Orders orders(levels, {0, 1, 2});
    for (std::size_t number = 0; number < (levels == 1 ? 6U : 36U); ++number) {
        const std::vector<double> words = words_of(chain, orders);
        if (fewest.empty() || words < fewest) fewest = words;
        if (!std::ranges::next_permutation(orders.back()).found && levels > 1)
            std::ranges::next_permutation(orders.front());
    }
    return fewest;
}

int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    const bool divides = number % 2 == 0;
    const TileChain chain = random_chain(random, divides);
    bool remains = false;
    for (std::size_t d = 0; d < 3; ++d) remains = remains || chain[0][d] % chain[1][d] != 0;
    seen.mappings += divides ? 1 : 0;
    seen.remainders += remains ? 1 : 0;
    seen.three_levels += chain.size() > 2 ? 1 : 0;
    const std::vector<double> found = tiles::fewest_words(chain);
    const std::vector<double> walked = fewest_of_all(chain, walked_words);
    const std::vector<double> model = divides ? fewest_of_all(chain, model_words) : walked;
    if (found == walked && found == model) return 0;
    std::printf("--- chain %llu:", static_cast<unsigned long long>(number));
    for (const auto& tile : chain)
        std::printf(" %lld x %lld x %lld", static_cast<long long>(tile[0]), static_cast<long long>(tile[1]),
                    static_cast<long long>(tile[2]));
    for (std::size_t i = 0; i < found.size(); ++i)
        std::printf("; %.0f words, the walk %.0f, the model %.0f", found[i], walked[i], model[i]);
    std::printf("\n");
    return 1;
}

}  // namespace
}  // namespace tilewright::property

int main(int argc, char** argv) {
    using namespace tilewright::property;
    Seen seen;
    Harness harness("property_tile_words", "Words between the tiles of rules, against the exact model in every order",
                    {.kind = "chains", .count = 2000, .operations = 0});
    harness.least("mappings", "chains that the exact model counted, too", &seen.mappings);
    harness.least("remainders", "chains with a tile that does not divide", &seen.remainders);
    harness.least("three-levels", "chains of three levels", &seen.three_levels);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness.cases(), number, seen); },
        [&] {
            std::printf(
                "%llu chains as mappings, %llu with remainders, %llu of three levels: the words are the model's\n",
                static_cast<unsigned long long>(seen.mappings), static_cast<unsigned long long>(seen.remainders),
                static_cast<unsigned long long>(seen.three_levels));
        });
}
