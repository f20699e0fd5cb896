// fused-certificate documents: what `map --fuse -o` claims, with all that is needed to judge it (docs/certificate.md,
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

/// The document, with its seal: a hash of all the rest. Equal certificates give equal bytes.
std::string write_fused_certificate(const FusedCertificate& certificate);

/// As it stands in a file.
struct FusedCertificateFile {
    FusedCertificate certificate;
    bool seal_holds = false;  ///< nothing was changed since it was written
    /// Where its parts are: "seal", "model", "value", "duals.3", "mapping", ...
    std::map<std::string, Location> places;
};

/// Throws InputError at the place of what cannot be read. What it says need not be true.
FusedCertificateFile read_fused_certificate(const yaml::Node& root);

/// In words where two cascades differ in what fused mappings depend on; "" when they do not.
std::string difference(const Cascade& cascade, const Cascade& other);

}  // namespace tilewright::native
