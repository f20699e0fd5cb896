#include "tiles/search/problem.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

void add_names(const IntegerProgram& program, std::set<std::string>& names) {
    names.insert(program.names().begin(), program.names().end());
}

// What must be whole: names in anything but times.
std::set<std::string> whole_names(const Rules& rules) {
    std::set<std::string> names;
    for (const Choice& choice : rules.choices) {
        add_names(choice.values.low, names);
        add_names(choice.values.high, names);
    }
    for (const Let& let : rules.lets) add_names(let.value, names);
    for (const Requirement& requirement : rules.requirements) add_names(requirement.holds, names);
    for (const IntegerProgram& count : rules.minimize) add_names(count, names);
    for (const Form& form : rules.forms)
        for (const IntegerProgram& value : form.values) add_names(value, names);
    return names;
}

void take_numbers(Problem& problem) {
    const std::set<std::string> whole = whole_names(problem.rules);
    for (const std::string& name : problem.rules.machine) {
        const auto found = problem.machine.numbers.find(name);
        if (found == problem.machine.numbers.end()) {
            std::vector<std::string> known;
            for (const auto& [other, number] : problem.machine.numbers) known.push_back(other);
            throw InputError(
                ErrorCode::missing_key, {},
                fmt::format("the rules of {} need '{}' of the machine{}, which has no such number{}",
                            problem.rules.kernel, name, problem.machine.name.empty() ? "" : " " + problem.machine.name,
                            did_you_mean(name, known)));
        }
        const bool fits = std::abs(found->second) < 9e18 && std::floor(found->second) == found->second;
        if (!fits && whole.contains(name))
            throw InputError(ErrorCode::bad_value, {},
                             fmt::format("the rules of {} take '{}' for a whole number, the machine says {}",
                                         problem.rules.kernel, name, found->second));
        problem.whole.push_back(fits ? static_cast<std::int64_t>(found->second) : 0);
        problem.real.push_back(found->second);
    }
}

void take_kernels(Problem& problem) {
    for (const Choice& choice : problem.rules.choices) {
        if (choice.values.kind != Values::Kind::kernels) continue;
        if (!problem.kernels.empty())
            throw InputError(ErrorCode::unsupported, choice.where, "one choice may be of the machine's kernels");
        if (problem.machine.kernels.empty())
            throw InputError(ErrorCode::missing_key, choice.where, "the machine has no list of kernels");
        for (const std::vector<std::int64_t>& row : problem.machine.kernels) {
            if (row.size() != choice.names.size())
                throw InputError(ErrorCode::bad_value, choice.where,
                                 fmt::format("the machine's kernels have {} numbers each, these rules want {}",
                                             row.size(), choice.names.size()));
            problem.kernels.insert(problem.kernels.end(), row.begin(), row.end());
        }
    }
}

// Code that is not measured is predicted as the rules say; only its rank is lower.
CodeWeight weight_of(const Machine& machine, const Quality* quality) {
    const bool measured = quality != nullptr && quality->is_measured();
    const double rows = quality != nullptr ? static_cast<double>(quality->rows) : 0.5;
    const double rank = measured ? quality->time : machine.unmeasured;
    return {measured ? quality->time : 1.0, machine.prior > 0.0 ? rank * std::pow(rows, -machine.prior) : rank};
}

void take_quality(Problem& problem) {
    if (problem.rules.quality.size() > kMostQualityNames)
        throw InputError(ErrorCode::bad_value, problem.rules.quality.front().where(),
                         fmt::format("at most {} numbers name the code of a kernel", kMostQualityNames));
    for (const auto& [key, quality] : problem.machine.quality) {
        if (key.size() != problem.rules.quality.size())
            throw InputError(ErrorCode::bad_value, {},
                             fmt::format("qualities of {} have {} numbers each, the rules name code by {}",
                                         problem.machine.name, key.size(), problem.rules.quality.size()));
        QualityKey padded{};
        std::ranges::copy(key, padded.begin());
        problem.quality.emplace_back(padded, weight_of(problem.machine, &quality));
    }
    problem.unmeasured = weight_of(problem.machine, nullptr);
}

}  // namespace

Problem make_problem(Rules rules, Machine machine) {
    Problem problem{std::move(rules), std::move(machine), {}, {}, {}, {}, {}, {}};
    problem.plan = plan_of(problem.rules);
    take_numbers(problem);
    take_kernels(problem);
    take_quality(problem);
    return problem;
}

std::vector<std::int64_t> slots_for(const Problem& problem, std::span<const std::int64_t> given) {
    const Rules& rules = problem.rules;
    if (given.size() != rules.given.size())
        throw InputError(ErrorCode::usage, {},
                         fmt::format("the rules of {} are given {} ({} values), found {}", rules.kernel,
                                     list_words(rules.given), rules.given.size(), given.size()));
    std::vector<std::int64_t> slots(rules.slots());
    std::ranges::copy(given, slots.begin());
    std::ranges::copy(problem.whole, slots.begin() + rules.machine_slot());
    return slots;
}

namespace {

/// How a value answers to one name that ascends while all others stay.
struct Growth {
    bool independent = false;
    bool grows = false;  ///< or stays
    bool not_negative = false;
};

class Planner {
   public:
    explicit Planner(const Rules& rules) : rules_(rules), let_depths_(rules.lets.size()) {
        for (std::size_t depth = 0; depth < rules.ready.size(); ++depth)
            for (const int let : rules.ready[depth].lets) let_depths_[let] = static_cast<int>(depth);
    }

    Plan plan() {
        plan_.depths.resize(rules_.ready.size());
        for (std::size_t depth = 1; depth < rules_.ready.size(); ++depth) plan_choice(depth);
        if (!rules_.time.empty()) plan_times();
        return std::move(plan_);
    }

   private:
    void plan_choice(std::size_t depth) {
        const Choice& choice = rules_.choices[depth - 1];
        DepthPlan& plan = plan_.depths[depth];
        plan.constant_values = depth_of(choice.values.low) == 0 && depth_of(choice.values.high) == 0;
        const bool listed = choice.values.kind == Values::Kind::list;
        const bool in_rules = is_used(choice, rule_programs());
        plan.idle_for_time = listed && !in_rules && !is_used_in_time(choice);
        plan.idle_for_count = listed && !in_rules && !is_used(choice, pointers(rules_.minimize));
        let_growths_.assign(rules_.lets.size(), std::nullopt);
        for (const int number : rules_.ready[depth].requirements)
            plan.growing.push_back(ascends(choice) && fails_for_good(rules_.requirements[number].holds, choice));
    }

    void plan_times() {
        std::set<int> read;
        std::vector<int> depths(rules_.time.size());
        for (std::size_t part = 0; part < rules_.time.size(); ++part) {
            for (const std::string& name : rules_.time[part].value.names()) {
                const auto earlier = std::ranges::find(rules_.time, name, &Part::name);
                if (earlier != rules_.time.end()) {
                    depths[part] = std::max(depths[part], depths[earlier - rules_.time.begin()]);
                } else if (!is_machine(name)) {
                    depths[part] = std::max(depths[part], depth_of(name));
                    if (read.insert(slot_of(name)).second)
                        plan_.depths[depth_of(name)].numbers.push_back(slot_of(name));
                }
            }
            plan_.depths[depths[part]].parts.push_back(static_cast<int>(part));
        }
        int depth = 0;
        for (const IntegerProgram& key : rules_.quality) depth = std::max(depth, depth_of(key));
        plan_.depths[depth].quality = true;
    }

    // ---- names

    bool is_machine(const std::string& name) const {
        return std::ranges::find(rules_.machine, name) != rules_.machine.end();
    }
    const Choice* choice_of(const std::string& name) const {
        for (const Choice& choice : rules_.choices)
            if (std::ranges::find(choice.names, name) != choice.names.end()) return &choice;
        return nullptr;
    }
    int slot_of(const std::string& name) const {
        const auto index = [&](const std::vector<std::string>& names) {
            return std::ranges::find(names, name) - names.begin();
        };
        const auto let = std::ranges::find(rules_.lets, name, &Let::name);
        if (let != rules_.lets.end()) return let->slot;
        if (choice_of(name) != nullptr) return rules_.point_slot() + static_cast<int>(index(rules_.chosen));
        return is_machine(name) ? rules_.machine_slot() + static_cast<int>(index(rules_.machine))
                                : static_cast<int>(index(rules_.given));
    }
    int depth_of(const std::string& name) const {
        const auto let = std::ranges::find(rules_.lets, name, &Let::name);
        if (let != rules_.lets.end()) return let_depths_[let - rules_.lets.begin()];
        const Choice* choice = choice_of(name);
        return choice == nullptr ? 0 : static_cast<int>(choice - rules_.choices.data()) + 1;
    }
    int depth_of(const IntegerProgram& program) const {
        int depth = 0;
        for (const std::string& name : program.names()) depth = std::max(depth, depth_of(name));
        return depth;
    }

    // ---- idle choices

    static std::vector<const IntegerProgram*> pointers(const std::vector<IntegerProgram>& programs) {
        std::vector<const IntegerProgram*> all;
        for (const IntegerProgram& program : programs) all.push_back(&program);
        return all;
    }
    // Every let is one: a let that has no value is an error wherever it is used.
    std::vector<const IntegerProgram*> rule_programs() const {
        std::vector<const IntegerProgram*> all;
        for (const Choice& choice : rules_.choices) {
            all.push_back(&choice.values.low);
            all.push_back(&choice.values.high);
        }
        for (const Let& let : rules_.lets) all.push_back(&let.value);
        for (const Requirement& requirement : rules_.requirements) all.push_back(&requirement.holds);
        return all;
    }
    template <typename T>
    static bool names_one_of(const Program<T>& program, const Choice& choice) {
        return std::ranges::any_of(choice.names, [&](const std::string& name) {
            return std::ranges::find(program.names(), name) != program.names().end();
        });
    }
    static bool is_used(const Choice& choice, const std::vector<const IntegerProgram*>& programs) {
        return std::ranges::any_of(programs,
                                   [&](const IntegerProgram* program) { return names_one_of(*program, choice); });
    }
    bool is_used_in_time(const Choice& choice) const {
        return is_used(choice, pointers(rules_.quality)) ||
               std::ranges::any_of(rules_.time, [&](const Part& part) { return names_one_of(part.value, choice); });
    }

    // ---- growing requirements

    static bool ascends(const Choice& choice) {
        const std::vector<std::int64_t>& list = choice.values.list;
        if (choice.names.size() > 1 || choice.values.kind == Values::Kind::kernels) return false;
        return choice.values.kind != Values::Kind::list || std::ranges::is_sorted(list);
    }

    bool fails_for_good(const IntegerProgram& holds, const Choice& choice) {
        const Expression& tree = holds.tree();
        if (tree.operation != Operation::compare || tree.comparisons.size() != 1) return false;
        const Operation operation = tree.comparisons.front();
        const bool turned = operation == Operation::at_least || operation == Operation::greater;
        if (!turned && operation != Operation::at_most && operation != Operation::less) return false;
        return growth(tree.parts[turned ? 1 : 0], choice).grows &&
               growth(tree.parts[turned ? 0 : 1], choice).independent;
    }

    static bool starts_at_zero(const Values& values) {
        if (values.kind == Values::Kind::divisors || values.kind == Values::Kind::powers) return true;
        if (values.kind == Values::Kind::list)
            return std::ranges::all_of(values.list, [](std::int64_t value) { return value >= 0; });
        return values.kind == Values::Kind::range && values.low.tree().operation == Operation::number &&
               values.low.tree().whole >= 0;
    }

    // Lets name lets: each is looked into once for a choice.
    Growth growth_of_name(const std::string& name, const Choice& choice) {
        const auto let = std::ranges::find(rules_.lets, name, &Let::name);
        if (let != rules_.lets.end()) {
            std::optional<Growth>& known = let_growths_[let - rules_.lets.begin()];
            if (!known) known = growth(let->value.tree(), choice);
            return *known;
        }
        const Choice* chosen = choice_of(name);
        if (chosen != nullptr) return {chosen != &choice, true, starts_at_zero(chosen->values)};
        if (std::ranges::find(plan_.not_negative, slot_of(name)) == plan_.not_negative.end())
            plan_.not_negative.push_back(slot_of(name));
        return {true, true, true};
    }

    Growth growth(const Expression& tree, const Choice& choice) {
        if (tree.operation == Operation::number) return {true, true, tree.whole >= 0};
        if (tree.operation == Operation::name) return growth_of_name(tree.name, choice);
        std::vector<Growth> parts;
        for (const Expression& part : tree.parts) parts.push_back(growth(part, choice));
        const bool independent = std::ranges::all_of(parts, &Growth::independent);
        const bool all_grow = std::ranges::all_of(parts, &Growth::grows);
        const bool none_negative = std::ranges::all_of(parts, &Growth::not_negative);
        const auto by = [&](bool grows, bool not_negative) {
            return Growth{independent, independent || grows, not_negative};
        };
        switch (tree.operation) {
            case Operation::add:
            case Operation::minimum:
            case Operation::maximum: return by(all_grow, none_negative);
            case Operation::multiply: return by(all_grow && none_negative, none_negative);
            case Operation::subtract: return by(parts[0].grows && parts[1].independent, false);
            case Operation::floor_divide:
            case Operation::ceil_divide:
            case Operation::round_up:
                return by(parts[0].grows && parts[1].independent && parts[1].not_negative, none_negative);
            case Operation::choose:
                return by(parts[0].grows && parts[1].independent && parts[2].grows,
                          parts[0].not_negative && parts[2].not_negative);
            case Operation::modulo: return by(false, none_negative);
            default: return by(false, false);
        }
    }

    const Rules& rules_;
    std::vector<int> let_depths_;
    std::vector<std::optional<Growth>> let_growths_;
    Plan plan_;
};

}  // namespace

Plan plan_of(const Rules& rules) { return Planner(rules).plan(); }

}  // namespace tilewright::tiles
