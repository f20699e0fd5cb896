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

bool PointWalk::is_ready(std::size_t depth) {
    const Rules& rules = problem_.rules;
    compute_lets(rules, rules.ready[depth], slots_.data());
    return holds_all(rules, rules.ready[depth], slots_.data());
}

bool PointWalk::go(std::size_t depth, const std::function<bool(const std::int64_t*)>& visit) {
    const Rules& rules = problem_.rules;
    if (depth == rules.choices.size()) {
        ++walked_.legal;
        return visit(slots_.data());
    }
    const Choice& choice = rules.choices[depth];
    ChoiceValues& values = values_[depth];
    values.set(choice, problem_, slots_.data());
    for (std::int64_t i = 0; i < values.count(); ++i) {
        constexpr std::int64_t kLooksAtClock = 4096;
        ++walked_.tried;
        if (walked_.tried > limits_.most_tried || (walked_.tried % kLooksAtClock == 0 && passed(limits_.deadline))) {
            walked_.complete = false;
            return false;
        }
        values.put(i, slots_.data() + choice.slot);
        if (is_ready(depth + 1) && !go(depth + 1, visit)) return false;
    }
    return true;
}

Walked PointWalk::each(const std::function<bool(const std::int64_t*)>& visit) {
    walked_ = {};
    if (is_ready(0)) go(0, visit);
    return walked_;
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
