// fused-certificate documents: the claim of `map --fuse -o`, with everything needed to judge it (docs/certificate.md,
// schemas/fused-certificate-1.schema.json).
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/fused/claim.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

struct FusedCertificate {
    std::string tool_version;
    int model_version = 0;
    certificate::fused_proof::Claim claim;
};

/// The document, with its seal: a hash of the rest. Equal certificates give equal bytes.
std::string write_fused_certificate(const FusedCertificate& certificate);

struct FusedCertificateFile {
    FusedCertificate certificate;
    bool seal_holds = false;  ///< unchanged since it was written
    /// Places of its parts: "seal", "model", "value", "duals.3", "mapping", ...
    std::map<std::string, Location> places;
};

/// Throws InputError at unreadable places. Its claims need not be true.
FusedCertificateFile read_fused_certificate(const yaml::Node& root);

/// First difference of two cascades relevant to mappings and plans, in words, or "".
std::string difference(const Cascade& cascade, const Cascade& other);

}  // namespace tilewright::native
