// The JSON of `tilewright llm` as values; fields in fields.hpp. Internal to report/.
#pragma once

#include "report/llm/serving.hpp"

namespace tilewright::document {

/// A point with values derived from its costs.
struct ServedPoint {
    llm::PhaseCosts of;
};

/// "tilewright-llm/1"
struct Serving {
    report::Provenance provenance;
    std::string architecture;
    std::string network;
    std::string latency;
    std::vector<ServedPoint> points;
    std::optional<report::ServedReport> served;
    std::vector<std::string> notes;
    bool interrupted = false;
};

}  // namespace tilewright::document
