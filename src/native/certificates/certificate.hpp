// certificate.json: writes and reads certificates (docs/certificate.md, schemas/certificate-2.schema.json).
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/claim/certificate.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// The document, with its seal: a hash of the rest. Equal certificates give equal bytes.
std::string write_certificate(const certificate::Certificate& certificate);

struct CertificateFile {
    certificate::Certificate certificate;
    bool seal_holds = false;  ///< unchanged since it was written
    /// Places of its parts: "seal", "model", "layers.0.score", "layers.0.answers.0.mapping", ...
    std::map<std::string, Location> places;
};

/// Throws InputError at unreadable places. Its claims need not be true.
CertificateFile read_certificate(const yaml::Node& root);

}  // namespace tilewright::native
