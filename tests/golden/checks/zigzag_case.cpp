#include "zigzag_case.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/numbers/checked.hpp"
#include "cases.hpp"
#include "zigzag/files/load.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;

bool is_zigzag_case(const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "mapping.json") && std::filesystem::exists(folder / "accelerator.yaml");
}

int dimension_of(const zigzag::Layer& layer, const json& name) {
    const int dimension = zigzag::find_dimension(layer, name.get<std::string>());
    if (dimension < 0) throw std::invalid_argument("the layer has no dimension " + name.dump());
    return dimension;
}

bool exceeds_layer(const zigzag::ArrayUnrolling& unrolling, const zigzag::Layer& layer) {
    for (int d = 0; d < layer.dimension_count(); ++d) {
        std::int64_t product = 1;
        for (const auto& row : unrolling)
            for (const zigzag::Unrolling& one : row)
                if (one.dimension == d) product = saturating_mul(product, one.factor);
        if (product > layer.dimensions[d].extent) return true;
    }
    return false;
}

/// Throws std::runtime_error when there is none.
json required_json(const std::filesystem::path& folder, const std::string& name) {
    std::optional<json> found = read_json(folder, name);
    if (!found) throw std::runtime_error("there is no " + name);
    return *std::move(found);
}

std::vector<zigzag::TemporalLoop> loops_of(const json& recorded, const zigzag::Layer& layer) {
    std::vector<zigzag::TemporalLoop> loops;
    for (const json& loop : recorded) loops.push_back({dimension_of(layer, loop.at(0)), loop.at(1)});
    return loops;
}

zigzag::UnevenMapping mapping_of(const json& recorded, const zigzag::Layer& layer) {
    zigzag::UnevenMapping mapping;
    for (const zigzag::Operand& operand : layer.operands) {
        auto& levels = mapping.operands.emplace_back();
        for (const json& level : recorded.at(operand.name)) levels.push_back(loops_of(level, layer));
    }
    return mapping;
}

}  // namespace

std::vector<std::filesystem::path> zigzag_cases_in(const std::filesystem::path& folder) {
    if (is_zigzag_case(folder)) return {folder};
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_directory() && is_zigzag_case(entry.path())) cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    return cases;
}

ZigzagInputs read_zigzag_inputs(const std::filesystem::path& folder) {
    ZigzagInputs inputs;
    inputs.accelerator = zigzag::read_accelerator(zigzag::load(folder / "accelerator.yaml").root);
    inputs.layer = zigzag::read_workload(zigzag::load(folder / "layer.yaml").root).at(0).layer;
    const json mapping = required_json(folder, "mapping.json");
    inputs.unrolling = zigzag_unrolling_of(mapping.at("spatial_mapping_user"), inputs.accelerator, inputs.layer);
    inputs.requested = mapping.contains("spatial_mapping_requested")
                           ? zigzag_unrolling_of(mapping["spatial_mapping_requested"], inputs.accelerator, inputs.layer)
                           : inputs.unrolling;
    inputs.requested_in_order = !exceeds_layer(inputs.requested, inputs.layer);
    inputs.mapping = mapping_of(mapping.at("temporal_mapping"), inputs.layer);
    inputs.order = loops_of(mapping.at("loop_order_inner_to_outer"), inputs.layer);
    inputs.even = mapping.value("temporal_mapping_type", "uneven") == "even";
    inputs.allocated = !mapping.value("source", "explicit").starts_with("explicit");
    return inputs;
}

zigzag::ArrayUnrolling zigzag_unrolling_of(const json& recorded, const zigzag::Accelerator& accelerator,
                                           const zigzag::Layer& layer) {
    zigzag::ArrayUnrolling unrolling(accelerator.array.size());
    for (const auto& [name, factors] : recorded.items()) {
        const int row = zigzag::find_array_dimension(accelerator, name);
        if (row < 0) throw std::invalid_argument("the array has no dimension '" + name + "'");
        for (const auto& [dimension, factor] : factors.items())
            if (const int d = zigzag::find_dimension(layer, dimension); d >= 0)
                unrolling[row].push_back({d, factor.get<std::int64_t>()});
    }
    return unrolling;
}

Differences check_zigzag_case(const std::filesystem::path& folder) {
    Differences differences;
    try {
        const ZigzagInputs inputs = read_zigzag_inputs(folder);
        compare_zigzag_mapping(inputs, required_json(folder, "mapping.json"), differences);
        const zigzag::SpatialPair spatial = zigzag::spatial_pair(inputs.accelerator, inputs.layer, inputs.unrolling);
        const zigzag::Result result = zigzag::evaluate(inputs.accelerator, inputs.layer, spatial, inputs.mapping);
        if (!result.refusal.empty())
            differences.problem("refused", result.refusal);
        else
            compare_zigzag(result, inputs, required_json(folder, "expected.json"), differences);
    } catch (const std::exception& error) {
        differences.problem("error", error.what());
    }
    return differences;
}

}  // namespace tilewright::golden
