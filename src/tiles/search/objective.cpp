#include "tiles/search/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

}  // namespace tilewright::tiles
