// Certificates of fused mappings on the command line: written by map --fuse, judged by check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fusion/optimize.hpp"
#include "verbs/check/certificates.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::cli {

/// The mapping that the certificate speaks of, where `map -o` puts both.
inline constexpr const char* kFusedFile = "mapping.fused";

/// certificate.json: that the mapping is the best, or how far below it nothing is. "" with a note where nothing is
/// claimed of it.
std::string fused_certificate_json(const Cascade& cascade, const Architecture& machine, const Objective& objective,
                                   const fusion::Answer& answer, const std::string& tool_version);

/// Judges it, and compares it with the machine and cascade that the user gave and with mapping.fused beside it. Ctrl-C
/// leaves the rest unconfirmed. Throws InputError where it cannot be read.
CertificateVerdict check_fused_certificate(const std::string& file, std::uintmax_t most_bytes,
                                           const std::optional<Architecture>& machine,
                                           const std::optional<Cascade>& cascade);

}  // namespace tilewright::cli
