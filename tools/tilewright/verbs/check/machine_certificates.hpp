// Certificates of best machines on the command line: written by explore --prove, judged by check.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "codesign/search.hpp"
#include "run/codesign/machine_subject.hpp"
#include "verbs/check/certificates.hpp"

namespace tilewright::cli {

/// What a certificate is of.
struct ProvenMachine {
    const MachineQuestion& question;
    const codesign::Answer& answer;  ///< proven, with its tree
    const MapOptions& options;
    std::string network;
};

/// The document. Throws InputError(unsupported) where the checker would not know what to say.
std::string machine_certificate_json(const ProvenMachine& proven, MachineSubject& machines);

/// Checks a certificate file, on all cores; Ctrl-C leaves the rest unconfirmed. Throws InputError where it cannot be
/// read. `progress`: called with a line for people, from any thread.
CertificateVerdict check_machine_certificate(const std::string& file, std::uintmax_t most_bytes,
                                             const std::function<void(const std::string&)>& progress);

}  // namespace tilewright::cli
