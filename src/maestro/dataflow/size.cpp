#include "maestro/dataflow/size.hpp"

#include <algorithm>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::dataflow {
namespace {

SizeValue value_of_term(const SizeTerm& term, const Extents& extents, const Parameters& parameters) {
    if (const auto* number = std::get_if<std::int64_t>(&term)) return {*number, ""};
    if (const auto* axis = std::get_if<Axis>(&term)) {
        if (extents[*axis] > 0) return {extents[*axis], ""};
        return {0, "the layer has no dimension " + std::string(name_of(*axis))};
    }
    const auto& name = std::get<std::string>(term);
    const auto found = parameters.find(name);
    if (found == parameters.end()) return {0, "'" + name + "' is left open"};
    return {found->second, ""};
}

SizeValue combined(std::int64_t left, std::int64_t right, Arithmetic operation) {
    try {
        switch (operation) {
            case Arithmetic::add: return {checked_add(left, right), ""};
            case Arithmetic::subtract: return {checked_add(left, checked_mul(right, -1)), ""};
            case Arithmetic::multiply: return {checked_mul(left, right), ""};
            case Arithmetic::divide: break;
        }
    } catch (const OverflowError&) {
        return {0, "it does not fit in 64 bits"};
    }
    if (right <= 0) return {0, "it divides by " + std::to_string(right)};
    return {left / right, ""};
}

// Precedence of an operation: sums 1, products 2, everything else 3.
int strength(Arithmetic operation) { return operation == Arithmetic::add || operation == Arithmetic::subtract ? 1 : 2; }

char symbol(Arithmetic operation) {
    constexpr std::array<char, 4> kSymbols{'+', '-', '*', '/'};
    return kSymbols[static_cast<std::size_t>(operation)];
}

std::string term_text(const SizeTerm& term) {
    if (const auto* number = std::get_if<std::int64_t>(&term)) return std::to_string(*number);
    if (const auto* axis = std::get_if<Axis>(&term)) return "Sz(" + std::string(name_of(*axis)) + ")";
    return std::get<std::string>(term);
}

}  // namespace

Size Size::combine(Size left, const Size& right, Arithmetic operation) {
    left.postfix.insert(left.postfix.end(), right.postfix.begin(), right.postfix.end());
    left.postfix.emplace_back(operation);
    return left;
}

SizeValue value_of(const Size& size, const Extents& extents, const Parameters& parameters) {
    std::vector<std::int64_t> stack;
    for (const SizeTerm& term : size.postfix) {
        SizeValue next;
        if (const auto* operation = std::get_if<Arithmetic>(&term)) {
            const std::int64_t right = stack.back();
            stack.pop_back();
            next = combined(stack.back(), right, *operation);
            stack.pop_back();
        } else {
            next = value_of_term(term, extents, parameters);
        }
        if (!next.problem.empty()) return next;
        stack.push_back(next.value);
    }
    return {stack.back(), ""};
}

std::vector<std::string> parameters_of(const Size& size) {
    std::vector<std::string> names;
    for (const SizeTerm& term : size.postfix)
        if (const auto* name = std::get_if<std::string>(&term))
            if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
    return names;
}

bool is_plain(const Size& size) { return size.postfix.size() == 1; }

std::string to_text(const Size& size) {
    std::vector<std::pair<std::string, int>> stack;  // text and precedence of its outermost operation
    for (const SizeTerm& term : size.postfix) {
        const auto* operation = std::get_if<Arithmetic>(&term);
        if (operation == nullptr) {
            stack.emplace_back(term_text(term), 3);
            continue;
        }
        const int own = strength(*operation);
        auto [right, right_strength] = std::move(stack.back());
        stack.pop_back();
        auto [left, left_strength] = std::move(stack.back());
        stack.pop_back();
        if (left_strength < own) left = "(" + left + ")";
        if (right_strength <= own) right = "(" + right + ")";
        stack.emplace_back(left + symbol(*operation) + right, own);
    }
    return stack.back().first;
}

namespace {

constexpr std::array<std::string_view, kAxes> kNames{"N", "G", "K", "C", "R", "S", "Y", "X", "Y'", "X'", "M"};

}  // namespace

std::string_view name_of(Axis axis) { return kNames[static_cast<std::size_t>(axis)]; }

std::optional<Axis> axis_named(std::string_view name) {
    for (const Axis axis : all_axes())
        if (name_of(axis) == name) return axis;
    return std::nullopt;
}

std::vector<std::string> axis_names() { return {kNames.begin(), kNames.end()}; }

}  // namespace tilewright::dataflow
