// The pieces that JSON documents are made of. Internal to report/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewright::report {

using Json = nlohmann::ordered_json;

Json json_of(const Einsum& einsum);
Json json_of(const Architecture& architecture);
Json json_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);
Json json_of(const Evaluation& evaluation, const Einsum& einsum);
Json json_of(const Provenance& provenance);
Json json_of(const std::vector<UnmappedOperator>& unmapped);

struct Term;  // report/simulation/terms.hpp
Json terms_json(const std::vector<Term>& terms);

/// What every document begins with: its schema, who wrote it, and from what.
Json document(const std::string& schema, const Provenance& provenance);

/// The document as text, with a final newline. Text that is not UTF-8 (names from foreign files) has the bad bytes
/// replaced.
std::string dumped(const Json& json);

}  // namespace tilewright::report
