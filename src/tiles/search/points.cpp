#include "tiles/search/points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/factors.hpp"
#include "tiles/expression/arithmetic.hpp"

namespace tilewright::tiles {

void ChoiceValues::set(const Choice& choice, const Problem& problem, const std::int64_t* slots) {
    const Values& values = choice.values;
    width_ = choice.names.size();
    own_.clear();
    list_ = {};
    switch (values.kind) {
        case Values::Kind::list: list_ = values.list; break;
        case Values::Kind::kernels: list_ = problem.kernels; break;
        case Values::Kind::range: {
            low_ = values.low(slots);
            const std::int64_t high = values.high(slots);
            step_ = values.step;
            count_ = high < low_ ? 0 : sum(difference(high, low_) / step_, 1);
            return;
        }
        case Values::Kind::divisors: {
            const std::int64_t number = values.low(slots);
            if (number < 1)
                throw InputError(
                    ErrorCode::bad_value, values.low.where(),
                    fmt::format("'{}' is {}: only numbers from 1 on have divisors", values.low.text(), number));
            own_ = divisors(number);
            list_ = own_;
            break;
        }
        case Values::Kind::powers: {
            const std::int64_t low = values.low(slots);
            const std::int64_t high = values.high(slots);
            for (int i = 0; i < 63; ++i)
                if (const std::int64_t power = std::int64_t{1} << i; power >= low && power <= high)
                    own_.push_back(power);
            list_ = own_;
            break;
        }
    }
    count_ = static_cast<std::int64_t>(list_.size() / width_);
}

bool ChoiceValues::contains(const std::int64_t* values) const {
    if (list_.empty()) {
        if (count_ == 0 || *values < low_) return false;
        return (*values - low_) % step_ == 0 && (*values - low_) / step_ < count_;
    }
    for (std::size_t i = 0; i < list_.size(); i += width_)
        if (std::equal(values, values + width_, list_.begin() + static_cast<std::ptrdiff_t>(i))) return true;
    return false;
}

namespace {

void compute_lets(const Rules& rules, const Ready& ready, std::int64_t* slots) {
    for (const int let : ready.lets) slots[rules.lets[let].slot] = rules.lets[let].value(slots);
}

bool holds_all(const Rules& rules, const Ready& ready, const std::int64_t* slots) {
    return std::ranges::all_of(ready.requirements,
                               [&](int number) { return rules.requirements[number].holds(slots) != 0; });
}

}  // namespace

PointWalk::PointWalk(const Problem& problem, std::span<const std::int64_t> given, const WalkLimits& limits)
    : problem_(problem),
      limits_(limits),
      slots_(slots_for(problem, given)),
      values_(problem.rules.choices.size()),
      has_values_(values_.size()),
      idle_(values_.size()),
      stops_early_(std::ranges::all_of(problem.plan.not_negative, [&](int slot) { return slots_[slot] >= 0; })) {}

void PointWalk::leave_out_idle(bool for_time, bool for_count) {
    weight_ = 1;
    for (std::size_t i = 0; i < idle_.size(); ++i) {
        const DepthPlan& plan = problem_.plan.depths[i + 1];
        const Choice& choice = problem_.rules.choices[i];
        const auto rows = static_cast<std::int64_t>(choice.values.list.size() / choice.names.size());
        idle_[i] = (!for_time || plan.idle_for_time) && (!for_count || plan.idle_for_count) &&
                   !__builtin_mul_overflow(weight_, rows, &weight_);
    }
}

// How many values it has.
std::int64_t PointWalk::enter(std::size_t depth) {
    if (!has_values_[depth] || !problem_.plan.depths[depth + 1].constant_values)
        values_[depth].set(problem_.rules.choices[depth], problem_, slots_.data());
    has_values_[depth] = true;
    return idle_[depth] ? 1 : values_[depth].count();
}

bool PointWalk::try_one() {
    constexpr std::int64_t kLooksAtClock = 4096;
    ++walked_.tried;
    if (walked_.tried > limits_.most_tried || (walked_.tried % kLooksAtClock == 0 && passed(limits_.deadline)))
        walked_.complete = false;
    return walked_.complete;
}

PointWalk::Verdict PointWalk::prepare(std::size_t depth) {
    const Rules& rules = problem_.rules;
    const Ready& ready = rules.ready[depth];
    compute_lets(rules, ready, slots_.data());
    for (std::size_t i = 0; i < ready.requirements.size(); ++i) {
        if (rules.requirements[ready.requirements[i]].holds(slots_.data()) != 0) continue;
        return depth > 0 && stops_early_ && problem_.plan.depths[depth].growing[i] ? Verdict::none_further
                                                                                   : Verdict::illegal;
    }
    return Verdict::legal;
}

void complete(const Rules& rules, std::int64_t* slots) {
    for (const Ready& ready : rules.ready) compute_lets(rules, ready, slots);
}

Broken broken_by(const Problem& problem, std::vector<std::int64_t>& slots) {
    const Rules& rules = problem.rules;
    Broken broken;
    ChoiceValues values;
    for (std::size_t depth = 0; depth <= rules.choices.size(); ++depth) {
        if (depth > 0) {
            const Choice& choice = rules.choices[depth - 1];
            values.set(choice, problem, slots.data());
            const std::span<const std::int64_t> point(slots.data() + choice.slot, choice.names.size());
            if (!values.contains(point.data()))
                broken.choices.push_back(fmt::format("{} = {} is not of {}", fmt::join(choice.names, ", "),
                                                     fmt::join(point, ", "), choice.text));
        }
        compute_lets(rules, rules.ready[depth], slots.data());
        for (const int number : rules.ready[depth].requirements)
            if (rules.requirements[number].holds(slots.data()) == 0) broken.requirements.push_back(number);
    }
    std::ranges::sort(broken.requirements);
    return broken;
}

bool is_legal(const Problem& problem, std::vector<std::int64_t>& slots, std::vector<ChoiceValues>& scratch) {
    const Rules& rules = problem.rules;
    scratch.resize(rules.choices.size());
    for (std::size_t depth = 0; depth <= rules.choices.size(); ++depth) {
        if (depth > 0) {
            const Choice& choice = rules.choices[depth - 1];
            scratch[depth - 1].set(choice, problem, slots.data());
            if (!scratch[depth - 1].contains(slots.data() + choice.slot)) return false;
        }
        compute_lets(rules, rules.ready[depth], slots.data());
        if (!holds_all(rules, rules.ready[depth], slots.data())) return false;
    }
    return true;
}

}  // namespace tilewright::tiles
