// certificate.json: writes certificates and reads them back (docs/certificate.md, schemas/certificate-2.schema.json).
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/claim/certificate.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// The document, with its seal: a hash of all the rest. Equal certificates give equal bytes.
std::string write_certificate(const certificate::Certificate& certificate);

/// True for a document that says it is a certificate.
bool is_certificate(const yaml::Node& root);

/// A certificate as it stands in a file.
struct CertificateFile {
    certificate::Certificate certificate;
    bool seal_holds = false;  ///< nothing was changed since it was written
    /// Where its parts are: "seal", "model", "layers.0.score", "layers.0.answers.0.mapping", ...
    std::map<std::string, Location> places;
};

/// Throws InputError at the place of what cannot be read. What it says need not be true.
CertificateFile read_certificate(const yaml::Node& root);

}  // namespace tilewright::native
