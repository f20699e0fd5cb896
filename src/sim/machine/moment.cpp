#include "sim/machine/moment.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tilewright::sim {
namespace {

/// Two 64-bit hashes: a collision of both among a few thousand moments is negligible.
std::array<std::uint64_t, 2> key_of(std::span<const std::int64_t> words) {
    std::uint64_t a = 0x9e3779b97f4a7c15;
    std::uint64_t b = 0xc2b2ae3d27d4eb4f;
    for (const std::int64_t word : words) {
        const auto w = static_cast<std::uint64_t>(word);
        a = std::rotl((a ^ w) * 0xff51afd7ed558ccd, 31);
        b = (std::rotl(b + w, 27) ^ w) * 0xc4ceb9fe1a85ec53;
    }
    a ^= a >> 33;
    b ^= b >> 29;
    return {a, b};
}

bool keeps_to_its_trend(Trend trend, std::int64_t change, const Period& period) {
    const bool same_step = period.steps == 0;
    switch (trend) {
        case Trend::amount: return same_step ? change <= 0 : change == 0;
        case Trend::step: return change == (same_step || period.loads > 0 ? 0 : -period.steps);
        case Trend::ahead: return change == (same_step ? -period.cycles : 0);
        case Trend::port: return change == 0 || change == -period.cycles * kPortUnit;
        case Trend::past: return change == 0 || change == period.cycles;
        case Trend::spent: return same_step || change == 0;
    }
    return false;
}

std::int64_t near_of(Trend trend) { return trend == Trend::port ? kNear * kPortUnit : kNear; }

}  // namespace

std::optional<Period> period_between(const NotedMoment& before, const NotedMoment& now) {
    Period period{now.cycle - before.cycle, now.step - before.step, now.loads - before.loads, {}, {}, 0};
    if (period.cycles <= 0 || before.far.size() != now.far.size()) return std::nullopt;
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    period.most_times = kNever;
    for (std::size_t i = 0; i < now.far.size(); ++i) {
        const std::int64_t change = now.far[i].value - before.far[i].value;
        if (!keeps_to_its_trend(now.far[i].trend, change, period)) return std::nullopt;
        period.changes.push_back(change);
        if (change >= 0) continue;
        period.most_times = std::min(period.most_times, (now.far[i].value - near_of(now.far[i].trend) - 1) / -change);
    }
    if (period.most_times == 0 || (period.steps == 0 && period.most_times == kNever)) return std::nullopt;
    for (std::size_t i = 0; i < now.counters.size(); ++i)
        period.counters.push_back(now.counters[i] - before.counters[i]);
    return period;
}

std::optional<NotedMoment> Moments::exchange(std::span<const std::int64_t> words, NotedMoment now) {
    const auto [place, is_new] = noted_.try_emplace(key_of(words));
    std::optional<NotedMoment> before;
    if (is_new)
        numbers_ += 2 * now.far.size() + now.counters.size();
    else
        before = std::move(place->second);
    place->second = std::move(now);
    return before;
}

}  // namespace tilewright::sim
