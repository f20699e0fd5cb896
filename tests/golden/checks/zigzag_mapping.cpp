// Compares how a mapping came about (unrolling, loop factors, allocation).
#include <algorithm>
#include <variant>

#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag_case.hpp"

namespace tilewright::golden {
namespace {

using nlohmann::json;

json to_json(const zigzag::ArrayUnrolling& unrolling, const ZigzagInputs& inputs) {
    json result = json::object();
    for (std::size_t a = 0; a < unrolling.size(); ++a)
        for (const zigzag::Unrolling& one : unrolling[a])
            result[inputs.accelerator.array[a].name][inputs.layer.dimensions[one.dimension].name] = one.factor;
    return result;
}

/// Without the array dimensions that unroll nothing.
json without_empty(const json& unrolling) {
    json result = json::object();
    for (const auto& [name, factors] : unrolling.items())
        if (!factors.empty()) result[name] = factors;
    return result;
}

std::string text(const zigzag::UnevenMapping& mapping, const zigzag::Layer& layer) {
    json result;
    for (std::size_t i = 0; i < mapping.operands.size(); ++i) {
        json& levels = result[layer.operands[i].name] = json::array();
        for (const zigzag::LevelLoops& loops : mapping.operands[i]) {
            json& level = levels.emplace_back(json::array());
            for (const zigzag::TemporalLoop& loop : loops)
                level.push_back({layer.dimensions[loop.dimension].name, loop.size});
        }
    }
    return result.dump();
}

void compare_spatial(const zigzag::SpatialMapping& ours, const zigzag::Layer& layer, const json& theirs,
                     const std::string& name, Differences& differences) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        const json& levels = theirs.at(layer.operands[i].name);
        const std::string at = name + "." + layer.operands[i].name + ".";
        differences.count(at + "levels", static_cast<std::int64_t>(ours.loops[i].size()), levels.size());
        if (ours.loops[i].size() != levels.size()) return;
        for (std::size_t l = 0; l < levels.size(); ++l) {
            const std::string level = at + std::to_string(l) + ".";
            differences.count(level + "loops", static_cast<std::int64_t>(ours.loops[i][l].size()), levels[l].size());
            for (const json& loop : levels[l]) {
                const auto same = std::find_if(ours.loops[i][l].begin(), ours.loops[i][l].end(), [&](const auto& one) {
                    return loop.at(0) == layer.dimensions[one.dimension].name;
                });
                if (same == ours.loops[i][l].end())
                    differences.problem(level + loop.at(0).get<std::string>(), "is not among our loops");
                else
                    differences.close(level + loop.at(0).get<std::string>(), same->size, loop.at(1));
            }
        }
    }
}

/// The products of the recorded order are the loops that the spatial mapping leaves.
void compare_loop_sizes(const ZigzagInputs& inputs, const zigzag::SpatialMapping& fractional,
                        Differences& differences) {
    std::vector<std::int64_t> theirs(inputs.layer.dimensions.size(), 1);
    std::vector<std::int64_t> ours = theirs;
    for (const zigzag::TemporalLoop& loop : inputs.order) theirs[loop.dimension] *= loop.size;
    for (const zigzag::TemporalLoop& loop : zigzag::temporal_loops(inputs.layer, fractional))
        ours[loop.dimension] = loop.size;
    for (std::size_t d = 0; d < ours.size(); ++d)
        differences.count("temporal size " + inputs.layer.dimensions[d].name, ours[d], theirs[d]);
}

void compare_allocation(const ZigzagInputs& inputs, const zigzag::SpatialMapping& fractional,
                        Differences& differences) {
    const auto evenness = inputs.even ? zigzag::Evenness::even : zigzag::Evenness::uneven;
    const auto ours = zigzag::allocate(inputs.accelerator, inputs.layer, fractional, inputs.order, evenness);
    if (const auto* shortage = std::get_if<zigzag::Shortage>(&ours))
        differences.problem("allocation", zigzag::text_of(*shortage, inputs.accelerator, inputs.layer));
    else
        differences.text("allocation", text(std::get<zigzag::UnevenMapping>(ours), inputs.layer),
                         text(inputs.mapping, inputs.layer));
}

}  // namespace

void compare_zigzag_mapping(const ZigzagInputs& inputs, const json& mapping, Differences& differences) {
    if (inputs.requested_in_order)
        differences.text(
            "legal unrolling",
            without_empty(to_json(zigzag::legal(inputs.accelerator, inputs.layer, inputs.requested), inputs)).dump(),
            without_empty(mapping.at("spatial_mapping_user")).dump());
    const zigzag::SpatialPair spatial = zigzag::spatial_pair(inputs.accelerator, inputs.layer, inputs.unrolling);
    if (mapping.contains("spatial_mapping_per_level"))
        compare_spatial(spatial.fractional, inputs.layer, mapping["spatial_mapping_per_level"], "spatial", differences);
    if (mapping.contains("spatial_mapping_per_level_int"))
        compare_spatial(spatial.whole, inputs.layer, mapping["spatial_mapping_per_level_int"], "spatial_int",
                        differences);
    compare_loop_sizes(inputs, spatial.fractional, differences);
    if (inputs.allocated) compare_allocation(inputs, spatial.fractional, differences);
}

}  // namespace tilewright::golden
