#include "tiles/search/conflict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <set>

#include "base/error.hpp"
#include "tiles/search/points.hpp"

namespace tilewright::tiles {
namespace {

constexpr std::size_t kMost = 256;  // requirements (files/read_rules.hpp)
using Set = std::bitset<kMost>;
constexpr std::int64_t kMostTried = 20'000'000;
constexpr std::size_t kMostSets = 16;

bool is_subset(const Set& part, const Set& whole) { return (part & ~whole).none(); }

/// The least of what points break: none of them holds another.
class LeastBroken {
   public:
    LeastBroken(const Problem& problem, std::span<const std::int64_t> given)
        : problem_(problem),
          slots_(slots_for(problem, given)),
          values_(problem.rules.choices.size()),
          had_values_(problem.rules.choices.size()),
          was_asked_(problem.rules.choices.size()) {
        Set broken;
        if (take(0, broken)) go(0, broken);
    }

    const std::vector<Set>& sets() const { return least_; }
    bool decided() const { return tried_ <= kMostTried; }
    std::vector<std::string> empty_choices() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < had_values_.size(); ++i)
            if (was_asked_[i] && !had_values_[i]) names.push_back(problem_.rules.choices[i].names.front());
        return names;
    }

   private:
    // False: the subtree is decided. What has no value after something was broken counts as broken, too.
    bool take(std::size_t depth, Set& broken) {
        const Rules& rules = problem_.rules;
        try {
            for (const int let : rules.ready[depth].lets)
                slots_[rules.lets[let].slot] = rules.lets[let].value(slots_.data());
        } catch (const InputError&) {
            if (broken.none()) throw;
            add(broken);
            return false;
        }
        for (const int number : rules.ready[depth].requirements) {
            try {
                if (rules.requirements[number].holds(slots_.data()) == 0) broken.set(number);
            } catch (const InputError&) {
                if (broken.none()) throw;
                broken.set(number);
            }
        }
        return std::ranges::none_of(least_, [&](const Set& least) { return is_subset(least, broken); });
    }

    void add(const Set& broken) {
        if (std::ranges::any_of(least_, [&](const Set& least) { return is_subset(least, broken); })) return;
        std::erase_if(least_, [&](const Set& other) { return is_subset(broken, other); });
        least_.push_back(broken);
    }

    void go(std::size_t depth, const Set& before) {
        const Rules& rules = problem_.rules;
        if (depth == rules.choices.size()) return add(before);
        ChoiceValues& values = values_[depth];
        if (!set_values(depth, before)) return;
        if (values.count() > 0) had_values_[depth] = true;
        for (std::int64_t i = 0; i < values.count() && ++tried_ <= kMostTried; ++i) {
            values.put(i, slots_.data() + rules.choices[depth].slot);
            Set broken = before;
            if (take(depth + 1, broken)) go(depth + 1, broken);
        }
    }

    bool set_values(std::size_t depth, const Set& before) {
        was_asked_[depth] = true;
        try {
            values_[depth].set(problem_.rules.choices[depth], problem_, slots_.data());
            return true;
        } catch (const InputError&) {
            if (before.none()) throw;
            add(before);
            return false;
        }
    }

    const Problem& problem_;
    std::vector<std::int64_t> slots_;
    std::vector<ChoiceValues> values_;
    std::vector<bool> had_values_;
    std::vector<bool> was_asked_;
    std::vector<Set> least_;
    std::int64_t tried_ = 0;
};

/// All sets of `left` more requirements that have one of each of `sets`.
void hit(const std::vector<Set>& sets, const Set& chosen, std::size_t left, std::set<std::vector<std::size_t>>& found) {
    const auto missed = std::ranges::find_if(sets, [&](const Set& set) { return (set & chosen).none(); });
    if (missed == sets.end()) {
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < kMost; ++i)
            if (chosen.test(i)) numbers.push_back(i);
        found.insert(std::move(numbers));
        return;
    }
    if (left == 0) return;
    for (std::size_t i = 0; i < kMost && found.size() < kMostSets; ++i) {
        if (!missed->test(i)) continue;
        Set more = chosen;
        hit(sets, more.set(i), left - 1, found);
    }
}

}  // namespace

Conflicts conflicts_of(const Problem& problem, std::span<const std::int64_t> given) {
    LeastBroken least(problem, given);
    Conflicts conflicts;
    conflicts.decided = least.decided();
    if (least.sets().empty()) conflicts.empty_choices = least.empty_choices();
    if (least.sets().empty() || !conflicts.decided) return conflicts;
    std::set<std::vector<std::size_t>> found;
    for (std::size_t size = 1; found.empty() && size <= problem.rules.requirements.size(); ++size)
        hit(least.sets(), {}, size, found);
    conflicts.sets.assign(found.begin(), found.end());
    return conflicts;
}

std::vector<std::string> conflict_lines(const Rules& rules, const Conflicts& conflicts) {
    std::vector<std::string> lines;
    for (const std::string& name : conflicts.empty_choices) lines.push_back(fmt::format("'{}' has no values", name));
    if (!conflicts.decided)
        lines.emplace_back("which requirements exclude each other was not decided: too many points");
    for (const std::vector<std::size_t>& set : conflicts.sets) {
        lines.emplace_back(set.size() == 1 ? "this requirement holds for no point:"
                                           : "these requirements hold together for no point:");
        for (const std::size_t number : set) {
            const Requirement& requirement = rules.requirements[number];
            lines.push_back(fmt::format("  {}{}{}", requirement.holds.text(), requirement.reason.empty() ? "" : ": ",
                                        requirement.reason));
        }
    }
    return lines;
}

}  // namespace tilewright::tiles
