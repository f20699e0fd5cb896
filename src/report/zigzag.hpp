// ZigZag's accounting of a network, in text and JSON ("tilewright-zigzag/1").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/report.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::report {

struct ZigzagLayer {
    zigzag::Layer layer;
    zigzag::ArrayUnrolling unrolling;
    zigzag::SpatialPair spatial;
    std::optional<zigzag::UnevenMapping> mapping;
    std::optional<zigzag::Result> result;
    std::vector<std::string> failures;  ///< every reason for a missing result
    std::optional<SearchSummary> search;
    Location place = {};  ///< of a file's mapping
};

std::vector<std::string> placed_failures(const ZigzagLayer& layer);

struct ZigzagReport {
    Provenance provenance;
    zigzag::Accelerator accelerator;
    std::string network;
    std::vector<ZigzagLayer> layers;
    std::vector<std::string> notes;
    bool interrupted = false;
};

/// One layer in full, or the table of a network's layers followed by each in full.
std::string zigzag_text(const ZigzagReport& report);

/// The part of zigzag_text() that fits a screen.
std::string zigzag_summary(const ZigzagReport& report);

/// The loop nests of the mappings, with one memory column per operand.
std::string zigzag_nests_text(const ZigzagReport& report);

/// A machine: its memories, operands, and ports.
std::string zigzag_machine_text(const zigzag::Accelerator& accelerator);

std::string zigzag_json(const ZigzagReport& report);

}  // namespace tilewright::report
