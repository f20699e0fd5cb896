// The document of ZigZag's accounting ("tilewright-zigzag") as values, and their fields (yaml/archive.hpp): what is
// written, what is read back for pictures, and what schemas/zigzag-1.schema.json is made from. Internal to report/.
#pragma once

#include "report/document_fields.hpp"
#include "report/zigzag.hpp"

namespace tilewright::document {

/// One operand at one memory.
struct ZigzagLevel {
    std::string memory;
    zigzag::LevelCost of;
};

struct ZigzagTransfer {
    std::string operand;
    std::int64_t level = 0;
    zigzag::PortActivity of;
};

struct ZigzagPort {
    std::string memory;
    std::string port;
    std::int64_t stall_cycles = 0;
    std::vector<ZigzagTransfer> transfers;
};

struct ZigzagLatency {
    zigzag::Latency of;
    double total_cycles = 0.0;
    double utilization = 0.0;
};

struct ZigzagCosts {
    double energy_pj = 0.0;
    double mac_energy_pj = 0.0;
    double memory_energy_pj = 0.0;
    ZigzagLatency latency;
    yaml::Entries<std::vector<ZigzagLevel>> operands;  ///< the level nearest the units first
    std::vector<ZigzagPort> ports;
};

struct ZigzagLoop {
    std::string dimension;
    std::int64_t size = 1;
};

/// What is said of a search of orders.
struct ZigzagSearch {
    SearchSummary of;
};

struct ZigzagLayer {
    std::string name;
    std::string op;
    yaml::Entries<std::int64_t> dimensions;
    std::int64_t operations = 0;
    yaml::Entries<yaml::Entries<std::int64_t>> spatial_mapping;  ///< [dimension of the array][dimension of the layer]
    std::vector<std::string> failures;
    std::optional<yaml::Entries<std::vector<std::vector<ZigzagLoop>>>> temporal_mapping;  ///< [operand][level]
    std::optional<ZigzagCosts> evaluation;
    std::optional<ZigzagSearch> search;
};

/// "tilewright-zigzag"
struct Zigzag {
    report::Provenance provenance;
    bool interrupted = false;
    std::vector<std::string> notes;
    std::string accelerator;
    std::int64_t units = 1;
    std::string network;
    std::vector<ZigzagLayer> layers;
};

/// Its key, of each direction.
template <typename Use>
void each_direction(const Use& use) {
    for (int d = 0; d < zigzag::kDirections; ++d) {
        const auto direction = static_cast<zigzag::Direction>(d);
        use(std::string(zigzag::long_name_of(direction)), direction);
    }
}

template <typename Archive, typename Values>
void by_direction(Archive& archive, const char* key, Values& values) {
    archive.group(
        key,
        [&](auto& group) {
            each_direction(
                [&](const std::string& name, zigzag::Direction direction) { group(name.c_str(), values[direction]); });
        },
        "in ZigZag's words: high is away from the multipliers");
}

template <typename Archive, yaml::Of<ZigzagLevel> T>
void fields(Archive& archive, T& level) {
    auto& of = level.of;
    archive.name("Level", "one operand at one memory, all instances");
    archive("memory", level.memory);
    by_direction(archive, "word_accesses", of.words);
    archive("energy_pj", of.energy_pj);
    by_direction(archive, "energy_pj_by_direction", of.energy_pj_by_direction);
    archive.group(
        "utilization",
        [&](auto& share) {
            share("individual", of.utilization);
            share("shared", of.shared_utilization);
            share("effective_individual", of.effective_utilization);
            share("effective_shared", of.effective_shared_utilization);
        },
        "shares of one instance");
    archive("double_buffered", of.double_buffered);
}

template <typename Archive, yaml::Of<ZigzagTransfer> T>
void fields(Archive& archive, T& one) {
    yaml::Choice direction{one.of.direction, {}};
    each_direction([&](const std::string& name, zigzag::Direction of) { direction.names.emplace_back(of, name); });
    archive.name("Transfer");
    archive("operand", one.operand);
    archive("level", one.level);
    archive("direction", direction);
    archive("needed_cycles", one.of.transfer.real_cycles);
    archive("allowed_cycles", one.of.transfer.allowed_cycles);
    archive("period_cycles", one.of.transfer.period_cycles);
    archive("count", one.of.transfer.count);
}

template <typename Archive, yaml::Of<ZigzagPort> T>
void fields(Archive& archive, T& port) {
    archive.name("Port");
    archive("memory", port.memory);
    archive("port", port.port);
    archive("stall_cycles", yaml::Signed{port.stall_cycles}, "negative: slack");
    archive("transfers", port.transfers);
}

template <typename Archive, yaml::Of<ZigzagLatency> T>
void fields(Archive& archive, T& latency) {
    auto& of = latency.of;
    std::int64_t spatial_stall_cycles = of.spatial_stall_cycles();
    archive.name("Latency");
    archive("ideal_cycles", of.ideal_cycles);
    archive("ideal_temporal_cycles", of.ideal_temporal_cycles);
    archive.derived("spatial_stall_cycles", yaml::Signed{spatial_stall_cycles}, "ideal_temporal_cycles - ideal_cycles");
    archive("temporal_stall_cycles", yaml::Signed{of.stall_cycles});
    archive("onloading_cycles", yaml::Signed{of.onloading_cycles}, "negative where ZigZag's own is");
    archive("offloading_cycles", yaml::Signed{of.offloading_cycles});
    archive("total_cycles", latency.total_cycles);
    archive("utilization", latency.utilization);
}

template <typename Archive, yaml::Of<ZigzagCosts> T>
void fields(Archive& archive, T& costs) {
    archive.name("Evaluation");
    archive("energy_pj", costs.energy_pj);
    archive("mac_energy_pj", costs.mac_energy_pj);
    archive("memory_energy_pj", costs.memory_energy_pj);
    archive("latency", costs.latency);
    archive("operands", costs.operands, "by operand, the level nearest the multipliers first");
    archive("ports", costs.ports);
}

template <typename Archive, yaml::Of<ZigzagLoop> T>
void fields(Archive& archive, T& loop) {
    archive.name("Loop", "its dimension and its iterations");
    archive.items(loop.dimension, yaml::Positive{loop.size});
}

template <typename Archive, yaml::Of<ZigzagSearch> T>
void fields(Archive& archive, T& search) {
    archive("evaluations", search.of.evaluations, "orders that were costed");
    archive("valid", search.of.valid, "of those, the ones that fit");
    archive("stopped_by", search.of.stopped_by);
    archive.also("proven", search.of.proven, "no order is better");
}

template <typename Archive, yaml::Of<ZigzagLayer> T>
void fields(Archive& archive, T& layer) {
    const bool evaluated = layer.evaluation.has_value();
    archive.name("Layer");
    archive("name", layer.name);
    archive("operator", layer.op);
    archive("dimensions", layer.dimensions);
    archive("operations", layer.operations);
    archive("spatial_mapping", layer.spatial_mapping,
            "by dimension of the array, the dimensions of the layer that are unrolled there");
    archive.derived("status", yaml::Choice<const bool>{evaluated, {{true, "evaluated"}, {false, "no_mapping"}}});
    archive.where(!evaluated, "failures", layer.failures);
    archive.where_any("temporal_mapping", layer.temporal_mapping,
                      "by operand, the loops of each memory level, innermost first");
    archive.where_any("evaluation", layer.evaluation);
    archive.where_any("search", layer.search);
}

template <typename Archive, yaml::Of<Zigzag> T>
void fields(Archive& archive, T& zigzag) {
    begin(archive, "tilewright-zigzag/1", zigzag.provenance);
    archive.also("interrupted", zigzag.interrupted, "the search was cut short; the mappings are the best so far");
    archive.also("notes", zigzag.notes);
    archive.group("accelerator", [&](auto& accelerator) {
        accelerator("name", zigzag.accelerator);
        accelerator("units", yaml::Positive{zigzag.units});
    });
    archive("network", zigzag.network);
    archive("layers", zigzag.layers);
}

}  // namespace tilewright::document
