#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright::report {

double padding_share(const Einsum& own, const Einsum& padded) {
    return 1.0 - static_cast<double>(operation_count(own)) / static_cast<double>(operation_count(padded));
}

LayerResult unmapped(const Layer& layer) {
    LayerResult result;
    result.names = {layer.name};
    result.op = layer.op;
    result.repeats = layer.repeats;
    result.einsum = layer.einsum;
    return result;
}

std::string missing_text(const Report& report) {
    constexpr std::size_t kMostNames = 12;
    std::vector<std::string> names;
    bool was_stopped = true;
    for (const LayerResult& layer : report.layers) {
        if (layer.evaluation) continue;
        names.insert(names.end(), layer.names.begin(), layer.names.end());
        was_stopped = was_stopped && layer.failures == std::vector<std::string>{kNotSearched};
    }
    if (names.empty()) return "";
    const std::size_t others = names.size() <= kMostNames ? 0 : names.size() - kMostNames + 1;
    if (others > 0) {
        names.resize(kMostNames - 1);
        names.push_back(std::to_string(others) + " others");
    }
    const Totals sum = totals(report);
    const bool is_one = sum.missing == 1;
    const std::string why = was_stopped ? (is_one ? "was not searched and is" : "were not searched and are")
                                        : std::string(is_one ? "is" : "are") + " without a legal mapping and";
    return fmt::format("{} of {} layers {} not in the totals: {}", sum.missing, sum.layers, why, list_words(names));
}

Totals totals(const Report& report) {
    Totals sum;
    for (const LayerResult& layer : report.layers) {
        sum.layers = checked_add(sum.layers, layer.repeats);
        if (!layer.evaluation) {
            sum.missing = checked_add(sum.missing, layer.repeats);
            continue;
        }
        sum.computes = checked_add(sum.computes, checked_mul(layer.evaluation->computes, layer.repeats));
        sum.cycles = checked_add(sum.cycles, checked_mul(layer.evaluation->cycles, layer.repeats));
        const std::int64_t plain = layer.as_built ? layer.as_built->plain_cycles : layer.evaluation->cycles;
        sum.plain_cycles = checked_add(sum.plain_cycles, checked_mul(plain, layer.repeats));
        if (layer.as_built) sum.as_built += layer.repeats;
        sum.energy_pj += layer.evaluation->energy_pj * static_cast<double>(layer.repeats);
    }
    const double slots = static_cast<double>(report.architecture.compute.instances) * static_cast<double>(sum.cycles);
    if (slots > 0.0) sum.utilization = static_cast<double>(sum.computes) / slots;
    return sum;
}

std::string latency_rule(const Report& report) {
    const Totals sum = totals(report);
    const bool asked = std::ranges::any_of(report.layers, [](const auto& one) { return !one.not_as_built.empty(); });
    if (sum.as_built == 0) return asked ? "latency of the plain model, none is known as built" : "";
    if (sum.as_built == sum.layers - sum.missing) return "time as built";
    return fmt::format("time as built of {} of {} layers, of the others the plain model's", count_text(sum.as_built),
                       count_text(sum.layers - sum.missing));
}

std::string accounting_of(const Report& report) {
    const Totals sum = totals(report);
    if (sum.as_built == 0) return report.provenance.accounting;
    return sum.as_built == sum.layers - sum.missing ? kExactAsBuilt : "exact partly as built";
}

std::string accounting_of(const Report& report, const LayerResult& layer) {
    if (layer.as_built) return kExactAsBuilt;
    return std::ranges::any_of(report.layers, [](const LayerResult& one) { return one.as_built.has_value(); })
               ? "exact"
               : report.provenance.accounting;
}

std::string bound_name(Bound bound) {
    switch (bound) {
        case Bound::compute: return "compute";
        case Bound::read_bandwidth: return "read bandwidth";
        case Bound::write_bandwidth: return "write bandwidth";
        case Bound::shared_bandwidth: return "shared bandwidth";
    }
    return "compute";
}

LatencyBound latency_bound(const Evaluation& evaluation, bool on_vector_unit) {
    if (evaluation.bounding_memory < 0) return on_vector_unit ? LatencyBound::vector_unit : LatencyBound::compute;
    switch (evaluation.memories[evaluation.bounding_memory].bound) {
        case Bound::compute: return LatencyBound::compute;
        case Bound::read_bandwidth: return LatencyBound::read_bandwidth;
        case Bound::write_bandwidth: return LatencyBound::write_bandwidth;
        case Bound::shared_bandwidth: return LatencyBound::shared_bandwidth;
    }
    return LatencyBound::compute;
}

std::string bound_name(LatencyBound bound) {
    switch (bound) {
        case LatencyBound::compute: return bound_name(Bound::compute);
        case LatencyBound::read_bandwidth: return bound_name(Bound::read_bandwidth);
        case LatencyBound::write_bandwidth: return bound_name(Bound::write_bandwidth);
        case LatencyBound::shared_bandwidth: return bound_name(Bound::shared_bandwidth);
        case LatencyBound::vector_unit: return kVectorUnit;
        case LatencyBound::as_built: return "time as built";
    }
    return "compute";
}

std::string bound_sentence(const Evaluation& evaluation, bool on_vector_unit) {
    if (latency_bound(evaluation, on_vector_unit) == LatencyBound::vector_unit)
        return "latency is bound by the vector unit: its operations follow one another";
    if (evaluation.bounding_memory < 0)
        return fmt::format("latency is bound by the compute units: {:.1f} % of their cycles do useful work",
                           100.0 * evaluation.utilization);
    const MemoryEvaluation& memory = evaluation.memories[evaluation.bounding_memory];
    const double ratio = static_cast<double>(memory.cycles) / static_cast<double>(evaluation.compute_cycles);
    return fmt::format("latency is bound by {} of {}: {:.3g}x the {} cycles", bound_name(memory.bound), memory.name,
                       ratio, on_vector_unit ? "vector unit's" : "compute");
}

std::string bound_sentence(const LayerResult& layer) {
    if (layer.as_built) return "the time as built is bound by " + layer.as_built->bound;
    const std::string plain = bound_sentence(*layer.evaluation, layer.on_vector_unit);
    return layer.not_as_built.empty() ? plain : plain + "; no time as built: " + layer.not_as_built;
}

std::string failure_text(const LayerResult& layer) {
    std::string text =
        "layer '" + layer.names.front() + "': " + (layer.mapping ? "the mapping is not legal" : "there is no mapping");
    for (const std::string& failure : layer.failures) text += "\n    " + failure;
    return text;
}

std::string no_layer_text(const std::string& network, std::span<const UnmappedOperator> unmapped) {
    std::set<std::string> reasons;
    for (const UnmappedOperator& one : unmapped) reasons.insert(one.op + ": " + one.reason);
    constexpr std::size_t kMost = 5;
    std::string text;
    std::size_t told = 0;
    for (const std::string& reason : reasons)
        if (told++ < kMost) text += (text.empty() ? " (" : "; ") + reason;
    if (reasons.size() > kMost) text += "; ...";
    return fmt::format("network '{}' has no layer to map among {} operators{}", network, unmapped.size(),
                       text.empty() ? "" : text + ")");
}

}  // namespace tilewright::report
