#include "run/evaluate_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "account/zigzag/translate.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "mapping/validity.hpp"
#include "model/model.hpp"
#include "workload/widths.hpp"

namespace tilewright {
namespace {

constexpr std::array kRules{std::string_view("exact"), std::string_view("timeloop"), std::string_view("zigzag")};

// Says in `result` what is wrong with the mapping, if anything.
bool is_legal(const Mapping& mapping, const Architecture& architecture, report::LayerResult& result) {
    for (const Violation& violation : check(result.einsum, architecture, mapping))
        result.failures.push_back(violation.message + " [" + violation_kind_name(violation.kind) + "]");
    return result.failures.empty();
}

void evaluate_exactly(const Mapping& mapping, const Architecture& architecture, report::LayerResult& result) {
    if (!is_legal(mapping, architecture, result)) return;
    Mapping plain = mapping;
    plain.options.clear();
    result.evaluation = evaluate(result.einsum, architecture, plain);
}

void refuse(const char* peer, const std::string& reason, report::LayerResult& result) {
    result.failures = {fmt::format("{} cannot express it: {} [unsupported]", peer, reason)};
}

void evaluate_as_timeloop(const Mapping& mapping, const Architecture& architecture,
                          const account::TimeloopOptions& options, report::LayerResult& result) {
    if (const std::string width = own_width_in(result.einsum); !width.empty()) return refuse("Timeloop", width, result);
    const account::TimeloopResult counted = account::timeloop(result.einsum, architecture, mapping, options);
    if (counted.refusal)
        result.failures = {counted.refusal->message + " [" + violation_kind_name(counted.refusal->kind) + "]"};
    else
        result.evaluation = account::to_evaluation(counted, architecture);
}

void evaluate_as_zigzag(const Mapping& mapping, const Architecture& architecture, report::LayerResult& result) {
    if (!is_legal(mapping, architecture, result)) return;
    if (const std::string width = own_width_in(result.einsum); !width.empty())
        return refuse("This translation to ZigZag", width, result);
    const auto translated = zigzag::translate(result.einsum, architecture, mapping);
    if (const std::string* reason = std::get_if<std::string>(&translated)) return refuse("ZigZag", *reason, result);
    const auto& same = std::get<zigzag::Translation>(translated);
    const zigzag::Result counted = zigzag::evaluate(
        same.accelerator, same.layer, spatial_pair(same.accelerator, same.layer, same.unrolling), same.mapping);
    if (!counted.refusal.empty()) return refuse("ZigZag", counted.refusal, result);
    result.evaluation = zigzag::to_evaluation(counted, same, result.einsum, architecture);
}

void evaluate_by(const Accounting& accounting, const Mapping& mapping, const Architecture& architecture,
                 report::LayerResult& result) {
    switch (accounting.rules) {
        case Rules::exact: return evaluate_exactly(mapping, architecture, result);
        case Rules::timeloop: return evaluate_as_timeloop(mapping, architecture, accounting.timeloop, result);
        case Rules::zigzag: return evaluate_as_zigzag(mapping, architecture, result);
    }
}

}  // namespace

std::string_view name_of(Rules rules) { return kRules[static_cast<std::size_t>(rules)]; }

std::optional<Rules> rules_named(std::string_view name) {
    const auto* const found = std::find(kRules.begin(), kRules.end(), name);
    if (found == kRules.end()) return std::nullopt;
    return static_cast<Rules>(found - kRules.begin());
}

std::vector<std::string> rules_names() { return {kRules.begin(), kRules.end()}; }

report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const Accounting& accounting) {
    report::LayerResult result = report::unmapped(layer);
    result.mapping = mapping;
    try {
        evaluate_by(accounting, mapping, architecture, result);
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {},
                         "layer '" + layer.name + "' is too large: a count does not fit in 64 bits");
    }
    return result;
}

}  // namespace tilewright
