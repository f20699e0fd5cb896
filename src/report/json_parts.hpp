// What JSON documents begin with, and how they become text. Internal to report/.
#pragma once

#include <string>

#include "report/report.hpp"
#include "yaml/writer.hpp"

namespace tilewright::report {

using yaml::Json;

Json json_of(const Provenance& provenance);

/// What every document begins with: its schema, who wrote it, and from what.
Json document(const std::string& schema, const Provenance& provenance);

/// As text, with a final newline; bytes that are not UTF-8 are replaced.
std::string dumped(const Json& json);

}  // namespace tilewright::report
