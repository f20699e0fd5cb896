#include "tiles/search/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

// Above, counts are no doubles any more.
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

void check_has(const Rules& rules, Measure measure) {
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
        if (word != "time" && word != "count")
            throw InputError(ErrorCode::usage, {},
                             fmt::format("an objective is time or count, found '{}'{}", word,
                                         did_you_mean(word, {"time", "count"})));
        const Measure measure = word == "time" ? Measure::time : Measure::count;
        if (std::ranges::find(measures, measure) != measures.end())
            throw InputError(ErrorCode::usage, {}, fmt::format("the objective has '{}' twice", word));
        measures.push_back(measure);
    }
    for (const Measure measure : measures) check_has(rules, measure);
    return measures;
}

Scorer::Scorer(const Problem& problem, std::vector<Measure> measures)
    : problem_(problem), measures_(std::move(measures)), reals_(problem.rules.slots() + problem.rules.time.size()) {}

void Scorer::load(const std::int64_t* slots) {
    const Rules& rules = problem_.rules;
    for (int i = 0; i < rules.slots(); ++i) reals_[i] = static_cast<double>(slots[i]);
    std::ranges::copy(problem_.real, reals_.begin() + rules.machine_slot());
}

const Quality* Scorer::quality_of(const std::int64_t* slots) const {
    QualityKey key{};
    for (std::size_t i = 0; i < problem_.rules.quality.size(); ++i) key[i] = problem_.rules.quality[i](slots);
    const auto found = std::ranges::lower_bound(problem_.quality, key, {}, &std::pair<QualityKey, Quality>::first);
    return found != problem_.quality.end() && found->first == key ? &found->second : nullptr;
}

// The rank of the time; time_us_ is the time itself.
double Scorer::time_of(const std::int64_t* slots) {
    load(slots);
    for (const Part& part : problem_.rules.time) reals_[part.slot] = part.value(reals_.data());
    time_us_ = reals_.back();
    if (!std::isfinite(time_us_) || time_us_ < 0.0)
        throw InputError(ErrorCode::bad_value, problem_.rules.time.back().value.where(),
                         fmt::format("a time of {} us", time_us_));
    if (problem_.quality.empty()) return time_us_;
    const Quality* quality = quality_of(slots);
    const bool measured = quality != nullptr && quality->is_measured();
    // Code that is not measured is predicted as the rules say; only its rank is lower.
    const double rank = time_us_ * (measured ? quality->time : problem_.machine.unmeasured);
    if (measured) time_us_ = rank;
    const double rows = quality != nullptr ? static_cast<double>(quality->rows) : 0.5;
    return problem_.machine.prior > 0.0 ? rank * std::pow(rows, -problem_.machine.prior) : rank;
}

Score Scorer::score(const std::int64_t* slots) {
    Score score{};
    std::size_t next = 0;
    for (const Measure measure : measures_) {
        if (measure == Measure::time) {
            score[next++] = time_of(slots);
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
    load(slots);
    return (*problem_.rules.bound)(reals_.data());
}

}  // namespace tilewright::tiles
