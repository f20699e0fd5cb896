// Head of JSON documents, and their text. Internal to report/.
#pragma once

#include <string>

#include "report/report.hpp"
#include "yaml/writer.hpp"

namespace tilewright::report {

using yaml::Json;

Json json_of(const Provenance& provenance);

/// Schema, author, and inputs.
Json document(const std::string& schema, const Provenance& provenance);

/// As text, with a final newline; bytes that are not UTF-8 are replaced.
std::string dumped(const Json& json);

}  // namespace tilewright::report
