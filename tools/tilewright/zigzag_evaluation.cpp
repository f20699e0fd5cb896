#include "zigzag_evaluation.hpp"

#include <variant>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "output.hpp"
#include "stalls/stalls.hpp"

namespace tilewright::cli {
namespace {

/// The memories that cannot hold what a given mapping keeps there: how many bits they lack, and who needs how many.
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

report::ZigzagLayer evaluate_layer(const std::string& verb, ZigzagInputs& inputs, const zigzag::Layer& layer,
                                   const ZigzagOptions& options) {
    const zigzag::Accelerator& accelerator = inputs.accelerator(verb);
    const ZigzagProblem problem = inputs.problem(verb, layer);
    GivenMapping given =
        given_mapping(problem, accelerator, options.even ? zigzag::Evenness::even : zigzag::Evenness::uneven);
    report::ZigzagLayer result{problem.layer, problem.unrolling, problem.spatial, given.mapping, {}, {}, {}};
    if (!given.mapping) {
        result.failures.push_back(given.failure);
        return result;
    }
    zigzag::Result evaluated = evaluate_zigzag(accelerator, problem, *given.mapping, options);
    if (!evaluated.refusal.empty())
        result.failures.push_back(evaluated.refusal);
    else if (!given.allocated)
        result.failures = shortages(accelerator, problem.layer, evaluated);
    if (result.failures.empty()) result.result = std::move(evaluated);
    return result;
}

}  // namespace

void ZigzagOptions::declare(Options& options) {
    options.group("ZigZag's files");
    options.flag("even", 0, "zigzag: operands that share a memory keep the same loops there", &even);
    options.value("latency", 0, "MODEL", "zigzag: its latency, or our model of stalls on ports", &latency).choices = {
        "zigzag", "stalls"};
}

zigzag::Result evaluate_zigzag(const zigzag::Accelerator& accelerator, const ZigzagProblem& problem,
                               const zigzag::UnevenMapping& mapping, const ZigzagOptions& options) {
    zigzag::Result result = zigzag::evaluate(accelerator, problem.layer, problem.spatial, mapping);
    if (options.latency != "stalls" || !result.refusal.empty()) return result;
    stalls::Result ours = stalls::latency(accelerator, problem.layer, problem.unrolling, mapping);
    result.refusal = ours.refusal;
    result.latency = ours.latency;
    result.ports = std::move(ours.ports);
    for (std::size_t i = 0; i < ours.double_buffered.size(); ++i)
        for (std::size_t l = 0; l < ours.double_buffered[i].size(); ++l)
            result.levels[i][l].double_buffered = ours.double_buffered[i][l];
    return result;
}

ZigzagComparison compare_zigzag(const std::string& verb, Inputs& inputs, const ZigzagOptions& options) {
    const report::ZigzagReport report = evaluate_zigzag_files(verb, inputs, options);
    if (report.layers.size() != 1) fail_usage(verb, "takes one layer; choose one with --layers");
    const report::ZigzagLayer& one = report.layers.front();
    if (!one.result || !one.mapping)
        throw InputError(ErrorCode::bad_value, {}, "layer '" + one.layer.name + "': " + list_words(one.failures));
    auto translated = to_chain(report.accelerator, one.layer, one.unrolling, *one.mapping);
    if (const std::string* reason = std::get_if<std::string>(&translated))
        throw InputError(ErrorCode::unsupported, {}, "layer '" + one.layer.name + "' is ZigZag's only: " + *reason);
    ZigzagComparison comparison{std::get<zigzag::Chain>(std::move(translated)), {}};
    const zigzag::Chain& chain = comparison.chain;
    const zigzag::Translation same{report.accelerator, one.layer,       one.unrolling,
                                   *one.mapping,       chain.memory_of, chain.tensor_of};
    comparison.zigzag = to_evaluation(*one.result, same, chain.einsum, chain.architecture);
    return comparison;
}

report::ZigzagReport evaluate_zigzag_files(const std::string& verb, Inputs& inputs, const ZigzagOptions& options) {
    ZigzagInputs& files = inputs.zigzag();
    report::ZigzagReport report;
    report.accelerator = files.accelerator(verb);
    report.network = files.network();
    report.notes = files.notes();
    const std::vector<zigzag::WorkloadLayer> layers = files.layers(verb);
    if (!files.has_mapping()) fail_usage(verb, "no mapping: give a ZigZag mapping file");
    std::vector<std::string> names;
    for (const zigzag::WorkloadLayer& one : layers) names.push_back(one.layer.name);
    const std::vector<bool> wanted = inputs.wanted(names, report.network);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!wanted[i]) continue;
        try {
            report.layers.push_back(evaluate_layer(verb, files, layers[i].layer, options));
        } catch (const OverflowError&) {
            throw InputError(ErrorCode::overflow, {},
                             "layer '" + names[i] + "' is too large: a count does not fit in 64 bits");
        }
    }
    report.provenance = provenance(verb, inputs.read());
    report.provenance.accounting = "zigzag";
    report.provenance.options.emplace_back("latency", options.latency);
    if (options.even) report.provenance.options.emplace_back("even", "true");
    return report;
}

}  // namespace tilewright::cli
