// Claims about layers in certificates. Internal to native.
#pragma once

#include "certificate/claim/certificate.hpp"
#include "native/problem_json.hpp"

namespace tilewright::native {

Json json_of(const certificate::Claim& claim, const Architecture& machine);
/// Throws InputError at its place. What it claims need not be true.
certificate::Claim claim_of(const yaml::Node& node, const Architecture& machine);

}  // namespace tilewright::native
