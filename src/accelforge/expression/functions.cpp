#include "accelforge/expression/functions.hpp"

#include <algorithm>
#include <cmath>

#include "accelforge/expression/evaluate.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kLongestRange = 100'000;

using OfOne = double (*)(double);

const std::map<std::string, OfOne, std::less<>>& of_one() {
    static const std::map<std::string, OfOne, std::less<>> kKnown{
        {"abs", [](double x) { return std::fabs(x); }},    {"ceil", [](double x) { return std::ceil(x); }},
        {"exp", [](double x) { return std::exp(x); }},     {"float", [](double x) { return x; }},
        {"floor", [](double x) { return std::floor(x); }}, {"int", [](double x) { return std::trunc(x); }},
        {"log", [](double x) { return std::log(x); }},     {"log10", [](double x) { return std::log10(x); }},
        {"log2", [](double x) { return std::log2(x); }},   {"round", [](double x) { return std::nearbyint(x); }},
        {"sqrt", [](double x) { return std::sqrt(x); }},
    };
    return kKnown;
}

// Of several numbers, or of one list of them.
using OfMany = double (*)(const std::vector<double>&);

const std::map<std::string, OfMany, std::less<>>& of_many() {
    static const std::map<std::string, OfMany, std::less<>> kKnown{
        {"max", [](const std::vector<double>& all) { return *std::ranges::max_element(all); }},
        {"min", [](const std::vector<double>& all) { return *std::ranges::min_element(all); }},
        {"prod",
         [](const std::vector<double>& all) {
             double product = 1.0;
             for (const double one : all) product *= one;
             return product;
         }},
        {"sum",
         [](const std::vector<double>& all) {
             double sum = 0.0;
             for (const double one : all) sum += one;
             return sum;
         }},
    };
    return kKnown;
}

std::optional<Value> of_list(const std::string& function, const std::vector<Value>& arguments) {
    const std::vector<Value>* list = arguments.size() == 1 ? arguments[0].list() : nullptr;
    std::vector<double> numbers;
    for (const Value& one : list != nullptr ? *list : arguments) {
        if (!one.is_number()) return std::nullopt;
        numbers.push_back(one.number());
    }
    if (numbers.empty() && (function == "max" || function == "min")) return std::nullopt;
    return Value{of_many().at(function)(numbers)};
}

std::optional<Value> length(const Value& value) {
    if (const SetValue* set = value.set()) return Value{static_cast<double>(set->size())};
    if (const auto* list = value.list()) return Value{static_cast<double>(list->size())};
    if (const auto* text = std::get_if<std::string>(&value.data)) return Value{static_cast<double>(text->size())};
    return std::nullopt;
}

std::optional<Value> range(const std::vector<Value>& arguments) {
    if (arguments.empty() || arguments.size() > 2) return std::nullopt;
    for (const Value& one : arguments)
        if (!one.is_number()) return std::nullopt;
    const double first = arguments.size() == 2 ? arguments[0].number() : 0.0;
    const double end = arguments.back().number();
    if (!(end - first <= kLongestRange)) return std::nullopt;
    std::vector<Value> all;
    for (double at = first; at < end; at += 1.0) all.push_back({at});
    return Value{std::make_shared<const std::vector<Value>>(std::move(all))};
}

}  // namespace

bool is_function(const std::string& name) {
    return name == "len" || name == "range" || name == "bool" || name == "pow" || name == "list" || name == "tuple" ||
           of_one().contains(name) || of_many().contains(name);
}

std::optional<Value> called(const std::string& function, const std::vector<Value>& arguments) {
    if (of_many().contains(function)) return of_list(function, arguments);
    if (function == "range") return range(arguments);
    if (function == "pow" && arguments.size() == 2 && arguments[0].is_number() && arguments[1].is_number())
        return Value{std::pow(arguments[0].number(), arguments[1].number())};
    if (arguments.size() != 1) return std::nullopt;
    const Value& argument = arguments[0];
    if (function == "len") return length(argument);
    if (function == "bool") return Value{is_true(argument)};
    if (function == "list" || function == "tuple")
        return argument.list() != nullptr ? std::optional(argument) : std::nullopt;
    if (!of_one().contains(function) || !argument.is_number()) return std::nullopt;
    return Value{of_one().at(function)(argument.number())};
}

}  // namespace tilewright::accelforge
