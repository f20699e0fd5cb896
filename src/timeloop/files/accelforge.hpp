// AccelForge's files: section names as Timeloop's, with another meaning.
#pragma once

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// unsupported, with the tool's name, for AccelForge's machines (arch: nodes of !Memory, !Toll, ...), workloads
/// (workload: einsums) and mappings (mapping: nodes).
void refuse_accelforge(const yaml::Node& document);

}  // namespace tilewright::timeloop
