// Certificates on the command line, as map writes them (run/check judges them).
#pragma once

#include <string>

#include "fusion/optimize.hpp"
#include "inputs/cascades.hpp"
#include "options/search.hpp"
#include "report/report.hpp"
#include "sparse/design.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// certificate.json of all layers whose answer came with a bound that can be proven again; "" when there is none.
/// `problem`: what was searched, layer by layer of the report; `mapping_yaml`: the file that it speaks of.
std::string certificate_json(const report::Report& report, const NetworkProblem& problem, const PlannedSearch& settings,
                             const std::string& mapping_yaml);

/// By its first lines ("tilewright-certificate/"): whatever else is wrong with it is for the reader to say.
bool says_schema(const std::string& file, const char* schema);

/// Says that there is nothing to certify, and removes a certificate of an earlier run, which would be taken for this
/// one's.
void leave_no_certificate(const std::string& file);

// Certificates of fused mappings on the command line: as map --fuse writes them (run/check judges them).

/// certificate.json: that the mapping is the best, or how far below it nothing is. "" with a note where nothing is
/// claimed of it.
std::string fused_certificate_json(const Cascade& cascade, const Architecture& machine, const Objective& objective,
                                   const fusion::Answer& answer, const std::string& tool_version);

}  // namespace tilewright::cli
