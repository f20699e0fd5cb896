#include "timeloop/expression/expression.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "cim/encoding.hpp"

namespace tilewright::timeloop {
namespace {

using Arguments = std::vector<Value>;
using OfArrays = std::optional<Value> (*)(const Arguments&);

constexpr std::int64_t kLongestRange = 100'000;

std::optional<std::vector<double>> numbers_of(const Value& value) {
    const auto* list = std::get_if<std::vector<Value>>(&value.data);
    if (list == nullptr) return std::nullopt;
    std::vector<double> numbers;
    for (const Value& one : *list) {
        if (!one.is_number()) return std::nullopt;
        numbers.push_back(one.real());
    }
    return numbers;
}

Value list_of(const std::vector<double>& numbers) {
    std::vector<Value> list;
    for (const double one : numbers) list.push_back({one});
    return {std::move(list)};
}

// A histogram for cim::bits_of.
std::optional<cim::Histogram> bins_of(const Arguments& arguments) {
    std::optional<std::vector<double>> bins = arguments.size() == 1 ? numbers_of(arguments[0]) : std::nullopt;
    return bins && cim::bits_of(*bins) ? bins : std::nullopt;
}

bool is_encoding(const std::string& name) { return name.ends_with("_hist") && cim::encoding_named(name).has_value(); }

// Encoded bins are read by encoded_hist_to_avg_slice() alone.
std::optional<Value> encoded(const std::string& name, const Arguments& arguments) {
    if (!bins_of(arguments)) return std::nullopt;
    Parts parts;
    parts.size = 2;
    parts.find = [name, bins = arguments[0]](std::string_view part) -> std::optional<Value> {
        return part == "encoding" ? std::optional(Value{name}) : part == "bins" ? std::optional(bins) : std::nullopt;
    };
    return Value{std::move(parts)};
}

// encoded_hist_to_avg_slice(encoded bins, bits, bits of a slice, return_per_slice)
std::optional<Value> means_of_slices(const Arguments& arguments) {
    const auto* parts =
        arguments.size() == 3 || arguments.size() == 4 ? std::get_if<Parts>(&arguments[0].data) : nullptr;
    const std::optional<Value> encoding = parts == nullptr ? std::nullopt : parts->find("encoding");
    const auto within = [](const Value& one) { return one.is_number() && one.real() >= 1.0 && one.real() <= 4096.0; };
    if (!encoding || !within(arguments[1]) || !within(arguments[2])) return std::nullopt;
    const std::vector<double> slices = cim::cimloop_mean_slices(
        *numbers_of(*parts->find("bins")), *cim::encoding_named(std::get<std::string>(encoding->data)),
        static_cast<int>(arguments[1].real()), static_cast<int>(arguments[2].real()));
    if (arguments.size() == 4 && arguments[3].is_number() && arguments[3].real() != 0.0) return list_of(slices);
    double sum = 0.0;
    for (const double one : slices) sum += one;
    return Value{sum / static_cast<double>(slices.size())};
}

// Halves of a histogram added up: how often each magnitude occurs.
std::optional<Value> magnitudes(const Arguments& arguments) {
    const std::optional<cim::Histogram> bins = bins_of(arguments);
    if (!bins) return std::nullopt;
    std::vector<double> made(bins->begin() + std::ssize(*bins) / 2, bins->end());
    for (std::size_t i = 1; i < made.size(); ++i) made[i] += (*bins)[made.size() - 1 - i];
    return list_of(made);
}

std::optional<Value> phases(const Arguments& arguments, bool may_split) {
    if (arguments.size() != 2 || !arguments[0].is_number() || !arguments[1].is_number()) return std::nullopt;
    const double bits = arguments[0].real();
    if (!may_split || bits <= arguments[1].real()) return list_of({bits});
    return list_of({std::ceil(bits / 2), std::floor(bits / 2)});
}

// Steps of a converter that sees each phase's sum: bits of the output less those of the phases before.
std::optional<Value> output_steps(const Arguments& arguments) {
    const auto steps = arguments.size() == 2 ? numbers_of(arguments[1]) : std::nullopt;
    if (!steps || !arguments[0].is_number()) return std::nullopt;
    double sum = 0.0;
    double left = arguments[0].real();
    for (const double bits : *steps) {
        sum += std::max(left, 0.0);
        left -= bits;
    }
    return Value{sum};
}

std::optional<Value> sum_of(const Arguments& arguments) {
    const auto* list = arguments.size() == 2 ? std::get_if<std::vector<Value>>(&arguments[1].data) : nullptr;
    const auto* function = list == nullptr ? nullptr : std::get_if<Function>(&arguments[0].data);
    if (function == nullptr || !is_array_function(function->name)) return std::nullopt;
    double sum = 0.0;
    for (const Value& one : *list) {
        const std::optional<Value> term = array_function(function->name, {one});
        if (!term || !term->is_number()) return std::nullopt;
        sum += term->real();
    }
    return Value{sum};
}

std::optional<Value> numbered(const Arguments& arguments) {
    const auto* list = arguments.size() == 1 ? std::get_if<std::vector<Value>>(&arguments[0].data) : nullptr;
    if (list == nullptr) return std::nullopt;
    std::vector<Value> pairs;
    for (const Value& one : *list)
        pairs.push_back({std::vector<Value>{{static_cast<std::int64_t>(pairs.size())}, one}});
    return Value{std::move(pairs)};
}

std::optional<Value> range(const Arguments& arguments) {
    if (arguments.empty() || arguments.size() > 2 || !arguments[0].is_whole() || !arguments.back().is_whole())
        return std::nullopt;
    const std::int64_t first = arguments.size() == 2 ? std::get<std::int64_t>(arguments[0].data) : 0;
    const std::int64_t end = std::get<std::int64_t>(arguments.back().data);
    if (end > first && (first < -kLongestRange || end > kLongestRange)) return std::nullopt;
    std::vector<Value> all;
    for (std::int64_t at = first; at < end; ++at) all.push_back({at});
    return Value{std::move(all)};
}

const std::map<std::string, OfArrays, std::less<>>& of_arrays() {
    static const std::map<std::string, OfArrays, std::less<>> kKnown{
        {"bits2integration_steps",
         [](const Arguments& arguments) -> std::optional<Value> {
             if (arguments.size() != 1 || !arguments[0].is_number()) return std::nullopt;
             return Value{std::exp2(arguments[0].real()) - 1.0};
         }},
        {"bits2phase_1phase", [](const Arguments& arguments) { return phases(arguments, false); }},
        {"bits2phase_2phase", [](const Arguments& arguments) { return phases(arguments, true); }},
        {"encoded_hist_to_avg_slice", means_of_slices},
        {"enumerate", numbered},
        {"hist_to_magnitude", magnitudes},
        {"is_hist_signed",
         [](const Arguments& arguments) -> std::optional<Value> {
             const std::optional<cim::Histogram> bins = bins_of(arguments);
             return bins ? std::optional(Value{std::int64_t{cim::is_signed(*bins) ? 1 : 0}}) : std::nullopt;
         }},
        {"list",
         [](const Arguments& arguments) -> std::optional<Value> {
             const bool is_list =
                 arguments.size() == 1 && std::holds_alternative<std::vector<Value>>(arguments[0].data);
             return is_list ? std::optional(arguments[0]) : std::nullopt;
         }},
        {"range", range},
        {"sum_map", sum_of},
        {"sum_phase_out_bits", output_steps},
    };
    return kKnown;
}

}  // namespace

const std::vector<std::string>& known_functions() {
    static const std::vector<std::string> kKnown = [] {
        std::vector<std::string> all{"len", "str",  "ceil",  "floor", "round", "int", "abs", "float", "sqrt",
                                     "exp", "log2", "log10", "log",   "min",   "max", "sum", "prod",  "pow"};
        for (const auto& [name, function] : of_arrays()) all.push_back(name);
        return all;
    }();
    return kKnown;
}

bool is_array_function(const std::string& name) { return of_arrays().contains(name) || is_encoding(name); }

bool is_known_function(const std::string& name) {
    return is_encoding(name) || std::ranges::find(known_functions(), name) != known_functions().end();
}

std::optional<Value> array_function(const std::string& name, const Arguments& arguments) {
    if (is_encoding(name)) return encoded(name, arguments);
    return of_arrays().at(name)(arguments);
}

}  // namespace tilewright::timeloop
