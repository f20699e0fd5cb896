// Certificates on the command line: written by map, judged by check.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inputs/mappings.hpp"
#include "options/search.hpp"
#include "report/report.hpp"
#include "sparse/design.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// certificate.json of all layers whose answer came with a bound that can be proven again; "" when there is none.
/// `problem`: what was searched, layer by layer of the report; `mapping_yaml`: the file that it speaks of.
std::string certificate_json(const report::Report& report, const NetworkProblem& problem, const PlannedSearch& settings,
                             const std::string& mapping_yaml);

/// By its first lines ("tilewright-certificate/"): whatever else is wrong with it is for the reader to say.
bool says_schema(const std::string& file, const char* schema);

/// Says that there is nothing to certify, and removes a certificate of an earlier run, which would be taken for this
/// one's.
void leave_no_certificate(const std::string& file);

/// One thing that is wrong with a certificate, or not confirmed.
struct CertificateProblem {
    Location where;
    std::string message;
};

struct CertificateVerdict {
    std::vector<std::string> confirmed;  ///< a sentence about what it speaks of, and one per layer
    std::vector<CertificateProblem> problems;
    bool interrupted = false;
};

/// What the user gave beside a certificate: it has to speak of that.
struct ProvidedInputs {
    std::optional<Architecture> machine;
    std::optional<Network> network;
    std::function<Constraints(const Einsum&)> constraints;             ///< of the given machine
    std::function<std::optional<sparse::Design>(const Layer&)> zeros;  ///< what it does about them
    std::function<bool(const std::string&)> left_out;                  ///< a layer that the user did not ask for
    std::vector<LayerMapping> mappings;                                ///< of the network
};

/// Checks all claims of a certificate file, on all cores, and compares it with mapping.yaml beside it and with what was
/// given; Ctrl-C leaves the rest unconfirmed. Throws InputError where it cannot be read. `progress`: called with a line
/// for people.
CertificateVerdict check_certificate(const std::string& file, std::uintmax_t most_bytes, const ProvidedInputs& given,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace tilewright::cli
