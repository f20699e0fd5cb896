// The document of ZigZag's accounting ("tilewright-zigzag") as values, and their fields (yaml/archive.hpp): written,
// read back for pictures, and the source of schemas/zigzag-1.schema.json. Internal to report/.
#pragma once

#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/zigzag.hpp"

namespace tilewright::document {

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

}  // namespace tilewright::document
