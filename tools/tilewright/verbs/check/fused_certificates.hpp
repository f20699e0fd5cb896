// Certificates of fused mappings on the command line: as map --fuse writes them (run/check judges them).
#pragma once

#include <string>

#include "fusion/optimize.hpp"
#include "verbs/check/certificates.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::cli {

/// certificate.json: that the mapping is the best, or how far below it nothing is. "" with a note where nothing is
/// claimed of it.
std::string fused_certificate_json(const Cascade& cascade, const Architecture& machine, const Objective& objective,
                                   const fusion::Answer& answer, const std::string& tool_version);

}  // namespace tilewright::cli
