#include "run/zigzag/evaluate.hpp"

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "zigzag/stalls/stalls.hpp"

namespace tilewright {
namespace {

// Memories too small for a given mapping: bits lacking, and bits per operand.
std::vector<std::string> shortages(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                                   const zigzag::Result& result) {
    std::vector<std::string> failures;
    for (const zigzag::SharedMemory& memory : accelerator.memories) {
        std::int64_t needed = 0;
        std::vector<std::string> needs;
        for (std::size_t i = 0; i < layer.operands.size(); ++i) {
            const int level = memory.level_of(layer.operands[i].memory);
            if (level < 0) continue;
            const std::int64_t bits = result.movement[i].bits[level + 1];
            needed = checked_add(needed, bits);
            needs.push_back("operand " + layer.operands[i].name + " needs " + std::to_string(bits));
        }
        if (needed > memory.size_bits)
            failures.push_back("memory '" + memory.name + "' lacks " + std::to_string(needed - memory.size_bits) +
                               " bits: " + list_words(needs) + ", there are " + std::to_string(memory.size_bits));
    }
    return failures;
}

report::ZigzagLayer evaluate_given(const zigzag::Accelerator& accelerator, const ZigzagLayerProblem& problem,
                                   const ZigzagAccounting& accounting) {
    const ZigzagUnrolling& unrolling = problem.unrollings.front();
    GivenMapping given = given_mapping(accelerator, problem, unrolling, accounting.evenness);
    report::ZigzagLayer layer{problem.layer,
                              unrolling.unrolling,
                              unrolling.spatial,
                              std::move(given.mapping),
                              {},
                              {},
                              {},
                              place_of_mapping(problem)};
    if (!layer.mapping) {
        layer.failures.push_back(given.failure);
        return layer;
    }
    zigzag::Result result = evaluate_zigzag(accelerator, problem.layer, unrolling, *layer.mapping, accounting);
    if (!result.refusal.empty())
        layer.failures.push_back(result.refusal);
    else if (!given.allocated)
        layer.failures = shortages(accelerator, problem.layer, result);
    if (layer.failures.empty()) layer.result = std::move(result);
    return layer;
}

}  // namespace

zigzag::Result evaluate_zigzag(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                               const ZigzagUnrolling& unrolling, const zigzag::UnevenMapping& mapping,
                               const ZigzagAccounting& accounting) {
    zigzag::Result result = zigzag::evaluate(accelerator, layer, unrolling.spatial, mapping);
    if (accounting.latency == orders::LatencyModel::zigzag || !result.refusal.empty()) return result;
    stalls::Result ours = stalls::latency(accelerator, layer, unrolling.unrolling, mapping);
    result.refusal = ours.refusal;
    result.latency = ours.latency;
    result.ports = std::move(ours.ports);
    for (std::size_t i = 0; i < ours.double_buffered.size(); ++i)
        for (std::size_t l = 0; l < ours.double_buffered[i].size(); ++l)
            result.levels[i][l].double_buffered = ours.double_buffered[i][l];
    return result;
}

report::ZigzagReport evaluate_zigzag(const ZigzagProblem& problem, const ZigzagAccounting& accounting) {
    report::ZigzagReport report;
    report.accelerator = problem.accelerator;
    report.network = problem.network;
    for (const ZigzagLayerProblem& layer : problem.layers) {
        try {
            report.layers.push_back(evaluate_given(problem.accelerator, layer, accounting));
        } catch (const OverflowError&) {
            fail_too_large(layer.layer.name);
        }
    }
    return report;
}

void explain_shortages_of_a_core(report::ZigzagReport& report) {
    for (report::ZigzagLayer& one : report.layers)
        for (std::string& failure : one.failures)
            if (failure.find(" lacks ") != std::string::npos)
                failure += "; of Stream's cores this is one alone, without the memory of the others";
}

}  // namespace tilewright
