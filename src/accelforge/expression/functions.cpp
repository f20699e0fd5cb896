#include <algorithm>
#include <cmath>

#include "accelforge/expression/evaluate.hpp"
#include "cim/encoding.hpp"

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

// Functions that AccelForge's arrays computing in memory bring as Python. Bins with their encoding are a thing with two
// parts.
using OfArrays = std::optional<Value> (*)(const std::vector<Value>&);

Value list_of(const std::vector<double>& numbers) {
    std::vector<Value> all;
    for (const double one : numbers) all.push_back({one});
    return {std::make_shared<const std::vector<Value>>(std::move(all))};
}

std::optional<std::vector<double>> numbers_of(const Value& value) {
    if (value.list() == nullptr || !std::ranges::all_of(*value.list(), &Value::is_number)) return std::nullopt;
    std::vector<double> numbers;
    for (const Value& one : *value.list()) numbers.push_back(one.number());
    return numbers;
}

std::optional<cim::Histogram> bins_of(const std::vector<Value>& arguments) {
    std::optional<cim::Histogram> bins = arguments.size() == 1 ? numbers_of(arguments[0]) : std::nullopt;
    return bins && cim::bits_of(*bins) ? bins : std::nullopt;
}

std::optional<Value> encoded(const std::string& function, const std::vector<Value>& arguments) {
    if (!bins_of(arguments)) return std::nullopt;
    std::map<std::string, Value, std::less<>> record{{"encoding", Value{function}}, {"bins", arguments[0]}};
    return Value{std::make_shared<const std::map<std::string, Value, std::less<>>>(std::move(record))};
}

// encoded_hist_to_avg_slice(encoded bins, bits, bits of a slice, return_per_slice)
std::optional<Value> means_of_slices(const std::vector<Value>& arguments) {
    if (arguments.size() < 3 || arguments.size() > 4) return std::nullopt;
    const auto* record = std::get_if<RecordValue>(&arguments[0].data);
    if (record == nullptr || !(*record)->contains("encoding")) return std::nullopt;
    for (const Value& one : {arguments[1], arguments[2]})
        if (!one.is_number() || !(one.number() >= 1.0 && one.number() <= 4096.0)) return std::nullopt;
    const std::vector<double> slices = cim::cimloop_mean_slices(
        *numbers_of((*record)->at("bins")), *cim::encoding_named(std::get<std::string>((*record)->at("encoding").data)),
        static_cast<int>(arguments[1].number()), static_cast<int>(arguments[2].number()));
    if (arguments.size() == 4 && is_true(arguments[3])) return list_of(slices);
    double sum = 0.0;
    for (const double one : slices) sum += one;
    return Value{sum / static_cast<double>(slices.size())};
}

// Halves of a histogram added up: how often each magnitude occurs.
std::optional<Value> magnitudes(const std::vector<Value>& arguments) {
    const std::optional<cim::Histogram> bins = bins_of(arguments);
    if (!bins) return std::nullopt;
    std::vector<double> made(bins->begin() + std::ssize(*bins) / 2, bins->end());
    for (std::size_t i = 1; i < made.size(); ++i) made[i] += (*bins)[made.size() - 1 - i];
    return list_of(made);
}

std::optional<Value> phases(const std::vector<Value>& arguments, bool may_split) {
    if (arguments.size() != 2 || !arguments[0].is_number() || !arguments[1].is_number()) return std::nullopt;
    const double bits = arguments[0].number();
    if (!may_split || bits <= arguments[1].number()) return list_of({bits});
    return list_of({std::ceil(bits / 2), std::floor(bits / 2)});
}

// sum_map(function, list)
std::optional<Value> sum_of(const std::vector<Value>& arguments) {
    if (arguments.size() != 2 || arguments[1].list() == nullptr) return std::nullopt;
    const auto* function = std::get_if<FunctionValue>(&arguments[0].data);
    double sum = 0.0;
    for (const Value& one : *arguments[1].list()) {
        const std::optional<Value> term = function == nullptr ? std::nullopt : called(function->name, {one});
        if (!term || !term->is_number()) return std::nullopt;
        sum += term->number();
    }
    return Value{sum};
}

// Steps of a converter that sees each phase's sum: bits of the output less those of the phases before.
std::optional<Value> output_steps(const std::vector<Value>& arguments) {
    const auto steps = arguments.size() == 2 ? numbers_of(arguments[1]) : std::nullopt;
    if (!steps || !arguments[0].is_number()) return std::nullopt;
    double sum = 0.0;
    double left = arguments[0].number();
    for (const double bits : *steps) {
        sum += std::max(left, 0.0);
        left -= bits;
    }
    return Value{sum};
}

const std::map<std::string, OfArrays, std::less<>>& of_arrays() {
    static const std::map<std::string, OfArrays, std::less<>> kKnown{
        {"encoded_hist_to_avg_slice", means_of_slices},
        {"hist_to_magnitude", magnitudes},
        {"is_hist_signed",
         [](const std::vector<Value>& arguments) -> std::optional<Value> {
             const std::optional<cim::Histogram> bins = bins_of(arguments);
             return bins ? std::optional(Value{cim::is_signed(*bins)}) : std::nullopt;
         }},
        {"bits2phase_1phase", [](const std::vector<Value>& arguments) { return phases(arguments, false); }},
        {"bits2phase_2phase", [](const std::vector<Value>& arguments) { return phases(arguments, true); }},
        {"bits2integration_steps",
         [](const std::vector<Value>& arguments) -> std::optional<Value> {
             if (arguments.size() != 1 || !arguments[0].is_number()) return std::nullopt;
             return Value{std::exp2(arguments[0].number()) - 1.0};
         }},
        {"sum_map", sum_of},
        {"sum_phase_out_bits", output_steps},
    };
    return kKnown;
}

bool is_encoding(const std::string& name) { return name.ends_with("_hist") && cim::encoding_named(name).has_value(); }

}  // namespace

bool is_function(const std::string& name) {
    return name == "len" || name == "range" || name == "bool" || name == "pow" || name == "list" || name == "tuple" ||
           of_one().contains(name) || of_many().contains(name) || of_arrays().contains(name) || is_encoding(name);
}

std::optional<Value> called(const std::string& function, const std::vector<Value>& arguments) {
    if (of_many().contains(function)) return of_list(function, arguments);
    if (function == "range") return range(arguments);
    if (is_encoding(function)) return encoded(function, arguments);
    if (const auto known = of_arrays().find(function); known != of_arrays().end()) return known->second(arguments);
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
