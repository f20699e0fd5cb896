// package-certificate documents: the claim of `map --package --certificate`, with everything needed to judge it
// (docs/certificate.md, schemas/package-certificate-1.schema.json).
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/package/claim.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

inline constexpr const char* kPackageCertificate = "tilewright-package-certificate/";

struct PackageCertificate {
    std::string tool_version;
    int model_version = 0;
    certificate::package_proof::Claim claim;
};

/// The document, with its seal: a hash of the rest. Equal certificates give equal bytes.
std::string write_package_certificate(const PackageCertificate& certificate);

struct PackageCertificateFile {
    PackageCertificate certificate;
    bool seal_holds = false;  ///< unchanged since it was written
    /// Places of its parts: "seal", "model", "value", "potentials.3", "leaves.2.claim.bound", ...
    std::map<std::string, Location> places;
};

/// Throws InputError at unreadable places. Its claims need not be true.
PackageCertificateFile read_package_certificate(const yaml::Node& root);

/// First part in which they differ, in words, or "".
std::string difference(const package::Package& package, const package::Package& other);

}  // namespace tilewright::native
