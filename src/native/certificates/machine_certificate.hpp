// Certificates of best machines (docs/certificate.md): writes them and reads them back.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/codesign/tree.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// "tilewright-machine-certificate/": a file that says so in its first lines is one.
inline constexpr const char* kMachineCertificate = "tilewright-machine-certificate/";

/// The document, with its seal: a hash of all the rest. Equal certificates give equal bytes.
std::string write_machine_certificate(const certificate::MachineCertificate& certificate);

/// A certificate as it stands in a file.
struct MachineCertificateFile {
    certificate::MachineCertificate certificate;
    bool seal_holds = false;                 ///< nothing was changed since it was written
    std::map<std::string, Location> places;  ///< of "seal", "model", "best", "tree.12.layers.3", ...
};

/// Throws InputError at the place of what cannot be read. What it says need not be true.
MachineCertificateFile read_machine_certificate(const yaml::Node& root);

}  // namespace tilewright::native
