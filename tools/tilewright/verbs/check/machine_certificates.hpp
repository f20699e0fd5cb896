// Certificates of best machines on the command line: as explore --prove writes them (run/check judges them).
#pragma once

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

}  // namespace tilewright::cli
