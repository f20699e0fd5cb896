#include "run/zigzag/workload.hpp"

#include <map>
#include <variant>

#include "zigzag/forms/translate.hpp"

namespace tilewright {
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
