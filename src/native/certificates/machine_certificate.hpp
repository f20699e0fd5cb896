// Certificates of best machines (docs/certificate.md), written and read.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "certificate/codesign/tree.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// "tilewright-machine-certificate/": marks a file as one in its first lines.
inline constexpr const char* kMachineCertificate = "tilewright-machine-certificate/";

/// The document, with its seal: a hash of the rest. Equal certificates give equal bytes.
std::string write_machine_certificate(const certificate::MachineCertificate& certificate);

struct MachineCertificateFile {
    certificate::MachineCertificate certificate;
    bool seal_holds = false;                 ///< unchanged since it was written
    std::map<std::string, Location> places;  ///< of "seal", "model", "best", "tree.12.layers.3", ...
};

/// Throws InputError at unreadable places. Its claims need not be true.
MachineCertificateFile read_machine_certificate(const yaml::Node& root);

}  // namespace tilewright::native
