#include "tiles/search/objective.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

// Above, counts are no doubles any more.
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

constexpr std::array kMeasures{Measure::time, Measure::count, Measure::words};

void check_has(const Rules& rules, Measure measure) {
    if (const std::string problem = measure == Measure::words ? problem_with_map(rules) : ""; !problem.empty())
        throw InputError(ErrorCode::usage, {}, problem);
    if (measure == Measure::time && rules.time.empty())
        throw InputError(ErrorCode::usage, {}, fmt::format("the rules of {} say nothing of time", rules.kernel));
    if (measure == Measure::count && rules.minimize.empty())
        throw InputError(ErrorCode::usage, {}, fmt::format("the rules of {} have no 'minimize'", rules.kernel));
}

}  // namespace

std::vector<Measure> measures_of(const Rules& rules, std::string_view text) {
    std::vector<Measure> measures;
    if (text.empty()) text = rules.objective;
    if (text.empty()) measures.push_back(rules.time.empty() ? Measure::count : Measure::time);
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const auto* const measure = std::ranges::find(kMeasures, word, name_of);
        if (measure == kMeasures.end())
            throw InputError(ErrorCode::usage, {},
                             fmt::format("an objective is time, count or words, found '{}'{}", word,
                                         did_you_mean(word, {"time", "count", "words"})));
        if (std::ranges::find(measures, *measure) != measures.end())
            throw InputError(ErrorCode::usage, {}, fmt::format("the objective has '{}' twice", word));
        measures.push_back(*measure);
    }
    std::size_t scores = 0;
    for (const Measure measure : measures) {
        check_has(rules, measure);
        scores += score_count(rules, measure);
    }
    if (scores > kMostScores)
        throw InputError(ErrorCode::usage, {},
                         fmt::format("an objective has at most {} numbers, and this one {}", kMostScores, scores));
    return measures;
}

const char* name_of(Measure measure) {
    return measure == Measure::time ? "time" : measure == Measure::count ? "count" : "words";
}

std::size_t score_count(const Rules& rules, Measure measure) {
    if (measure == Measure::words) return rules.map.front().tiles.size() - 1;
    return measure == Measure::time ? 1 : rules.minimize.size();
}

Scorer::Scorer(const Problem& problem, std::vector<Measure> measures)
    : problem_(problem), measures_(std::move(measures)), reals_(problem.rules.slots() + problem.rules.time.size()) {}

void Scorer::load_given(const std::int64_t* slots) {
    for (std::size_t i = 0; i < problem_.rules.given.size(); ++i) reals_[i] = static_cast<double>(slots[i]);
    std::ranges::copy(problem_.real, reals_.begin() + problem_.rules.machine_slot());
}

CodeWeight Scorer::weight_of(const std::int64_t* slots) const {
    QualityKey key{};
    for (std::size_t i = 0; i < problem_.rules.quality.size(); ++i) key[i] = problem_.rules.quality[i](slots);
    const auto found = std::ranges::lower_bound(problem_.quality, key, {}, &std::pair<QualityKey, CodeWeight>::first);
    return found != problem_.quality.end() && found->first == key ? found->second : problem_.unmeasured;
}

// The rank of the time; time_us_ is the time itself.
double Scorer::time_of(const std::int64_t* slots, std::size_t changed) {
    if (changed == 0) load_given(slots);
    const std::vector<DepthPlan>& depths = problem_.plan.depths;
    for (std::size_t depth = changed; depth < depths.size(); ++depth) {
        for (const int slot : depths[depth].numbers) reals_[slot] = static_cast<double>(slots[slot]);
        for (const int part : depths[depth].parts)
            reals_[problem_.rules.time[part].slot] = problem_.rules.time[part].value(reals_.data());
        if (depths[depth].quality && !problem_.quality.empty()) weight_ = weight_of(slots);
    }
    const double predicted = reals_.back();
    if (!std::isfinite(predicted) || predicted < 0.0)
        throw InputError(ErrorCode::bad_value, problem_.rules.time.back().value.where(),
                         fmt::format("a time of {} us", predicted));
    time_us_ = predicted * weight_.time;
    return predicted * weight_.rank;
}

// Points with the same tiles follow one another.
const std::vector<double>& Scorer::words_of(const std::int64_t* slots) {
    TileChain chain = chain_of(problem_.rules, slots);
    if (chain != chain_) {
        words_ = fewest_words(chain);
        chain_ = std::move(chain);
    }
    return words_;
}

Score Scorer::score(const std::int64_t* slots, std::size_t changed) {
    Score score{};
    std::size_t next = 0;
    for (const Measure measure : measures_) {
        if (measure == Measure::time) {
            score[next++] = time_of(slots, changed);
            continue;
        }
        if (measure == Measure::words) {
            for (const double words : words_of(slots)) score[next++] = words;
            continue;
        }
        for (const IntegerProgram& count : problem_.rules.minimize) {
            const std::int64_t value = count(slots);
            if (value > kMostCount || value < -kMostCount)
                throw InputError(ErrorCode::overflow, count.where(), "a count of more than 2^53");
            score[next++] = static_cast<double>(value);
        }
    }
    return score;
}

std::vector<double> Scorer::parts() const {
    return {reals_.end() - static_cast<std::ptrdiff_t>(problem_.rules.time.size()), reals_.end()};
}

std::optional<double> Scorer::bound(const std::int64_t* slots) {
    // Qualities and ranks scale times, so that a bound on them is none on what is compared.
    if (!problem_.rules.bound || measures_.front() != Measure::time || !problem_.quality.empty()) return std::nullopt;
    load_given(slots);
    return (*problem_.rules.bound)(reals_.data());
}

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
