#include "run/zigzag/problem.hpp"

#include <map>
#include <variant>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "zigzag/forms/translate.hpp"

namespace tilewright {
namespace {

ZigzagLayerProblem layer_problem(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                                 const std::vector<zigzag::MappingEntry>& entries) {
    ZigzagLayerProblem problem{layer, std::nullopt, {}};
    zigzag::UnrollingRequest request;
    if (const zigzag::MappingEntry* entry = zigzag::entry_for(entries, layer)) {
        problem.entry = *entry;
        zigzag::link_operands(*entry, problem.layer);
        request = zigzag::requested_unrolling(*entry, problem.layer);
    }
    for (zigzag::ArrayUnrolling& unrolling : zigzag::legal_unrollings(accelerator, problem.layer, request)) {
        zigzag::SpatialPair spatial = zigzag::spatial_pair(accelerator, problem.layer, unrolling);
        problem.unrollings.push_back({std::move(unrolling), std::move(spatial)});
    }
    return problem;
}

}  // namespace

void fail_too_large(const std::string& layer) {
    throw InputError(ErrorCode::overflow, {}, "layer '" + layer + "' is too large: a count does not fit in 64 bits");
}

ZigzagProblem zigzag_problem(const zigzag::Accelerator& accelerator, std::string network,
                             const std::vector<zigzag::WorkloadLayer>& layers,
                             const std::vector<zigzag::MappingEntry>& entries) {
    ZigzagProblem problem{accelerator, std::move(network), {}};
    for (const zigzag::WorkloadLayer& one : layers) {
        try {
            problem.layers.push_back(layer_problem(accelerator, one.layer, entries));
        } catch (const OverflowError&) {
            fail_too_large(one.layer.name);
        }
    }
    return problem;
}

GivenMapping given_mapping(const zigzag::Accelerator& accelerator, const ZigzagLayerProblem& problem,
                           const ZigzagUnrolling& unrolling, zigzag::Evenness evenness) {
    if (!problem.entry) return {std::nullopt, "no entry of the mapping file is for it", false, false};
    if (std::string misfit = zigzag::problem_with(accelerator, problem.layer); !misfit.empty())
        return {std::nullopt, misfit, false, false};
    if (auto whole = zigzag::temporal_mapping(*problem.entry, accelerator, problem.layer))
        return {whole, "", false, true};
    const auto order = zigzag::complete_ordering(*problem.entry, problem.layer, unrolling.spatial.fractional);
    if (!order)
        return {std::nullopt,
                "entry '" + problem.entry->name + "' gives neither a temporal_mapping nor a complete temporal_ordering",
                false, false};
    auto allocated = zigzag::allocate(accelerator, problem.layer, unrolling.spatial.fractional, *order, evenness);
    if (const auto* shortage = std::get_if<zigzag::Shortage>(&allocated))
        return {std::nullopt, zigzag::text_of(*shortage, accelerator, problem.layer), false, true};
    return {std::get<zigzag::UnevenMapping>(allocated), "", true, true};
}

Location place_of_mapping(const ZigzagLayerProblem& problem) {
    if (!problem.entry) return {};
    if (problem.entry->temporal) return problem.entry->temporal->where();
    return (problem.entry->ordering.empty() ? problem.entry->where : problem.entry->ordering.front().where).where();
}

namespace {

// To the names of the zoo's networks.
void rename_as_in_the_zoo(Einsum& einsum) {
    static const std::map<std::string, std::string> kNames{{"B", "N"},      {"OX", "P"},     {"OY", "Q"},
                                                           {"FX", "R"},     {"FY", "S"},     {"W", "Weights"},
                                                           {"I", "Inputs"}, {"O", "Outputs"}};
    Einsum renamed = einsum;
    const auto rename_in = [&](auto& items) {
        for (auto& item : items)
            if (const auto found = kNames.find(item.name); found != kNames.end()) item.name = found->second;
    };
    rename_in(renamed.dimensions);
    rename_in(renamed.tensors);
    if (problem_with(renamed).empty()) einsum = renamed;
}

}  // namespace

ZigzagWorkload zigzag_workload(const Network& network) {
    ZigzagWorkload workload;
    workload.left_out = network.unmapped;
    for (const Layer& layer : network.layers) {
        auto made = zigzag::from_einsum(layer.einsum, layer.name, layer.op);
        if (const std::string* reason = std::get_if<std::string>(&made)) {
            workload.notes.push_back("layer '" + layer.name + "' is not mapped: " + *reason);
            workload.left_out.push_back({layer.name, layer.op, *reason});
            continue;
        }
        if (layer.repeats > 1)
            workload.notes.push_back("layer '" + layer.name + "' runs " + std::to_string(layer.repeats) +
                                     " times; it is counted once");
        const auto id = static_cast<std::int64_t>(workload.layers.size());
        workload.layers.push_back({id, std::get<zigzag::Layer>(std::move(made)), {}});
    }
    return workload;
}

Network network_of(const std::vector<zigzag::WorkloadLayer>& workload, std::string name) {
    Network result;
    result.name = std::move(name);
    for (const zigzag::WorkloadLayer& one : workload) {
        Layer layer{one.layer.name, one.layer.operator_type, zigzag::to_einsum(one.layer), 1, {}};
        for (const auto& [operand, source] : one.sources)
            for (std::size_t i = 0; i < workload.size(); ++i)
                if (workload[i].id == source && source != one.id) layer.feeds_from.push_back(static_cast<int>(i));
        layer.einsum.name = one.layer.operator_type;
        rename_as_in_the_zoo(layer.einsum);
        result.layers.push_back(std::move(layer));
    }
    return result;
}

}  // namespace tilewright
