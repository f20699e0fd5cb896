#include "run/physical/time_as_built.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "run/composition.hpp"

namespace tilewright {
namespace {

std::int64_t whole_cycles(const PhysicalLatency& latency) {
    return std::max<std::int64_t>(1, std::llround(latency.cycles));
}

// What leaks follows from the time; the sums are those of the exact model.
void add_up(double longer, Evaluation& all) {
    all.compute_leakage_pj *= longer;
    all.energy_pj = all.compute_energy_pj + all.compute_leakage_pj;
    for (MemoryEvaluation& memory : all.memories) {
        memory.leakage_pj *= longer;
        memory.energy_pj = memory.leakage_pj;
        for (const TensorTraffic& traffic : memory.tensors)
            memory.energy_pj += traffic.energy_pj + traffic.address_energy_pj;
        all.energy_pj += memory.energy_pj + memory.link_energy_pj;
    }
}

void take(const PhysicalLatency& found, const Architecture& architecture, report::LayerResult& layer) {
    layer.as_built =
        report::AsBuilt{found.cycles, found.us * 1e-6, found.bound, waits_for_memory(found), layer.evaluation->cycles};
    layer.evaluation = with_cycles(*layer.evaluation, architecture, whole_cycles(found));
}

// A sentence for each reason, with the layers that it is of.
void add_reasons(report::Report& report) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const report::LayerResult& layer : report.layers) {
        if (layer.not_as_built.empty()) continue;
        auto found = std::ranges::find(reasons, layer.not_as_built, &decltype(reasons)::value_type::first);
        if (found == reasons.end()) found = reasons.insert(reasons.end(), {layer.not_as_built, {}});
        found->second.push_back(layer.names.front());
    }
    for (const auto& [reason, layers] : reasons)
        report.notes.push_back(fmt::format("no time as built of {}: {}", list_words(layers), reason));
}

}  // namespace

Evaluation with_cycles(const Evaluation& plain, const Architecture& architecture, std::int64_t cycles) {
    Evaluation all = plain;
    const std::int64_t leaking = plain.cycles - plain.link_latency_cycles;
    all.cycles = cycles;
    all.link_latency_cycles = 0;
    all.bounding_memory = -1;
    all.utilization = static_cast<double>(all.computes) / static_cast<double>(architecture.compute.instances) /
                      static_cast<double>(cycles);
    add_up(leaking > 0 ? static_cast<double>(cycles) / static_cast<double>(leaking) : 1.0, all);
    return all;
}

std::string why_not_as_built(const LayerProblem& problem) {
    std::vector<Capability> together = capabilities_of(problem, {});
    together.push_back(Capability::as_built);
    return refusal(together);
}

void take_time_as_built(const silicon::Silicon& silicon, report::Report& report) {
    bool any = false;
    for (report::LayerResult& layer : report.layers) {
        if (!layer.mapping || !layer.evaluation || !layer.not_as_built.empty()) continue;
        auto latency = physical_latency(layer.einsum, report.architecture, *layer.mapping, silicon);
        if (auto* refusal = std::get_if<std::string>(&latency)) {
            layer.not_as_built = std::move(*refusal);
            continue;
        }
        any = true;
        take(std::get<PhysicalLatency>(latency), report.architecture, layer);
    }
    add_reasons(report);
    if (!any) return;
    for (std::string& note : physical_caveats(silicon)) report.notes.push_back(std::move(note));
}

std::vector<std::string> time_as_built_notes(const silicon::Silicon& silicon, const NetworkProblem& problem,
                                             report::Report report) {
    constexpr const char* kHow = "; --latency physical finds the least such time";
    for (const ShapeProblem& shape : problem.shapes)
        if (!why_not_as_built(shape.layer).empty()) return {};
    take_time_as_built(silicon, report);
    const std::int64_t mapped = report::totals(report).layers - report::totals(report).missing;
    std::erase_if(report.layers, [](const report::LayerResult& layer) { return !layer.as_built; });
    const report::Totals sum = report::totals(report);
    if (sum.layers == 0)
        return {std::string("as built (docs/silicon.md) the time of these mappings is not known") + kHow};
    const std::string known = sum.layers == mapped ? ""
                                                   : fmt::format(" in {} of {} layers; of the others that is not known",
                                                                 count_text(sum.layers), count_text(mapped));
    return {fmt::format("as built (docs/silicon.md) these mappings take {} cycles ({}){}{}", count_text(sum.cycles),
                        si_text(static_cast<double>(sum.cycles) * report.architecture.cycle_seconds, "s"), known,
                        kHow)};
}

}  // namespace tilewright
