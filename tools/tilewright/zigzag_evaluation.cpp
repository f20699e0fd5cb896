#include "zigzag_evaluation.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "output.hpp"

namespace tilewright::cli {
namespace {

report::ZigzagLayer evaluate_layer(const std::string& verb, ZigzagInputs& inputs, const zigzag::Layer& layer,
                                   zigzag::Evenness evenness) {
    const zigzag::Accelerator& accelerator = inputs.accelerator(verb);
    const ZigzagProblem problem = inputs.problem(verb, layer);
    GivenMapping given = given_mapping(problem, accelerator, evenness);
    report::ZigzagLayer result{problem.layer, problem.unrolling, problem.spatial, given.mapping, {}, {}, {}};
    if (!given.mapping) {
        result.failures.push_back(given.failure);
        return result;
    }
    zigzag::Result evaluated = zigzag::evaluate(accelerator, problem.layer, problem.spatial, *given.mapping);
    if (evaluated.refusal.empty())
        result.result = std::move(evaluated);
    else
        result.failures.push_back(evaluated.refusal);
    return result;
}

}  // namespace

void ZigzagOptions::declare(Options& options) {
    options.flag("even", 0, "zigzag: operands that share a memory keep the same loops there, when an ordering is given",
                 &even);
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
    const auto evenness = options.even ? zigzag::Evenness::even : zigzag::Evenness::uneven;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!wanted[i]) continue;
        try {
            report.layers.push_back(evaluate_layer(verb, files, layers[i].layer, evenness));
        } catch (const OverflowError&) {
            throw InputError(ErrorCode::overflow, {},
                             "layer '" + names[i] + "' is too large: a count does not fit in 64 bits");
        }
    }
    report.provenance = provenance(verb, inputs.read());
    report.provenance.accounting = "zigzag";
    return report;
}

}  // namespace tilewright::cli
