#include "tiles/search/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

constexpr std::array<const char*, 3> kNames{"m", "n", "k"};
constexpr std::array<std::uint32_t, 3> kOperands{0b101, 0b110, 0b011};  // A, B, O: bit d for a relevant dimension
constexpr double kMostWords = 9007199254740992.0;                       // 2^53

struct Loop {
    int dimension;
    std::int64_t tile;  // of the level inside
};

// One tensor's tiles during some loops.
struct Visits {
    double words = 0.0;  // that arrive, the first tile apart
    double first = 0.0;  // words of the first tile
    bool moves = false;  // the last tile is another than the first
};

Visits visits(std::span<const Loop> loops, std::uint32_t relevant, std::array<std::int64_t, 3>& sizes) {
    if (loops.empty()) {
        Visits one{0.0, 1.0, false};
        for (std::size_t d = 0; d < sizes.size(); ++d)
            if ((relevant >> d & 1U) != 0) one.first *= static_cast<double>(sizes[d]);
        return one;
    }
    std::int64_t& size = sizes[loops.front().dimension];
    const std::int64_t outer = size;
    const std::int64_t tile = std::min(loops.front().tile, outer);
    const std::int64_t full = (outer - 1) / tile;  // trips before the last one, which may be smaller
    const std::span<const Loop> inner = loops.subspan(1);
    size = outer - full * tile;
    const Visits last = visits(inner, relevant, sizes);
    Visits all = last;
    if (full > 0) {
        size = tile;
        const Visits each = visits(inner, relevant, sizes);
        const bool changes = (relevant >> loops.front().dimension & 1U) != 0 || each.moves;
        const auto trips = static_cast<double>(full);
        all.words = trips * each.words + last.words + (changes ? (trips - 1.0) * each.first + last.first : 0.0);
        all.first = each.first;
        all.moves = changes;
    }
    size = outer;
    return all;
}

double words_across(std::span<const Loop> loops, std::array<std::int64_t, 3> whole) {
    double words = 0.0;
    for (const std::uint32_t relevant : kOperands) {
        const Visits all = visits(loops, relevant, whole);
        const bool is_result = relevant == kOperands.back();
        const double once = static_cast<double>(whole[0]) * static_cast<double>(whole[1]);
        words += (all.words + all.first) * (is_result ? 2.0 : 1.0) - (is_result ? once : 0.0);
    }
    if (words >= kMostWords) throw InputError(ErrorCode::overflow, {}, "a point moves 2^53 words or more");
    return words;
}

}  // namespace

TileChain chain_of(const Rules& rules, const std::int64_t* slots) {
    TileChain chain(rules.map.front().tiles.size());
    for (const MappedDimension& dimension : rules.map) {
        const auto d = std::ranges::find(kNames, dimension.name) - kNames.begin();
        for (std::size_t level = 0; level < chain.size(); ++level) {
            const IntegerProgram& tile = dimension.tiles[chain.size() - 1 - level];
            const std::int64_t extent = tile(slots);
            if (extent < 1)
                throw InputError(ErrorCode::bad_value, tile.where(),
                                 fmt::format("a tile of {} along {}", extent, kNames[d]));
            chain[level][d] = level == 0 ? extent : std::min(extent, chain[level - 1][d]);
        }
    }
    return chain;
}

std::vector<double> fewest_words(const TileChain& chain) {
    std::vector<std::vector<Loop>> best{{}};
    std::vector<double> fewest;
    for (std::size_t level = 0; level + 1 < chain.size(); ++level) {
        double least = kMostWords;
        std::vector<std::vector<Loop>> next;
        for (const std::vector<Loop>& outside : best) {
            std::array<int, 3> order{0, 1, 2};
            do {
                std::vector<Loop> loops = outside;
                for (const int d : order)
                    if (chain[level][d] > chain[level + 1][d]) loops.push_back({d, chain[level + 1][d]});
                const double words = words_across(loops, chain.front());
                if (words > least) continue;
                if (words < least) next.clear();
                least = words;
                next.push_back(std::move(loops));
            } while (std::ranges::next_permutation(order).found);
        }
        best = std::move(next);
        fewest.push_back(least);
    }
    return fewest;
}

std::string problem_with_map(const Rules& rules) {
    const auto has = [&](const char* name) {
        return std::ranges::find(rules.map, name, &MappedDimension::name) != rules.map.end();
    };
    if (rules.map.size() != kNames.size() || !std::ranges::all_of(kNames, has))
        return fmt::format("the rules of {} have no 'map' of m, n and k", rules.kernel);
    if (rules.map.front().tiles.size() > kMostMapLevels)
        return fmt::format("the map of {} has more than {} levels", rules.kernel, kMostMapLevels);
    return "";
}

}  // namespace tilewright::tiles
