// What a search for the best machine has found out, as a certificate says it (run/check judges it).
#pragma once

#include <string>

#include "codesign/search.hpp"
#include "run/codesign/machine_subject.hpp"

namespace tilewright {

struct ProvenMachine {
    const MachineQuestion& question;
    const codesign::Answer& answer;  ///< proven, with its tree
    const MapOptions& options;
    std::string network;
    std::string tool_version;
};

/// The document. Throws InputError(unsupported) where the checker would not know what to say.
std::string machine_certificate_json(const ProvenMachine& proven, MachineSubject& machines);

}  // namespace tilewright
