// What JSON documents begin with, and how they become text. Internal to report/.
#pragma once

#include <string>

#include "report/report.hpp"
#include "yaml/archive.hpp"

namespace tilewright::report {

using yaml::Json;

Json json_of(const Provenance& provenance);

/// What every document begins with: its schema, who wrote it, and from what.
Json document(const std::string& schema, const Provenance& provenance);

/// The document as text, with a final newline. Text that is not UTF-8 (names from foreign files) has the bad bytes
/// replaced.
std::string dumped(const Json& json);

}  // namespace tilewright::report
