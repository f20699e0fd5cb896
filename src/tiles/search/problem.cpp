#include "tiles/search/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

}  // namespace tilewright::tiles
