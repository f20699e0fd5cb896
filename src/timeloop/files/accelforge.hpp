// Files of AccelForge, whose sections are called like Timeloop's but say something else.
#pragma once

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// unsupported, with the name of the tool, for a document of AccelForge's: its machines (arch: nodes of !Memory, !Toll,
/// ...), workloads (workload: einsums) and mappings (mapping: nodes).
void refuse_accelforge(const yaml::Node& document);

}  // namespace tilewright::timeloop
