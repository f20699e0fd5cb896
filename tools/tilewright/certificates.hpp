// Certificates on the command line: written by map, judged by check.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "search.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// certificate.json of all layers whose answer came with a bound; "" when there is none. `tasks`: what was searched,
/// layer by layer of the report.
std::string certificate_json(const report::Report& report, const std::vector<Task>& tasks, const SearchPlan& plan);

/// One thing that is wrong with a certificate, or not confirmed.
struct CertificateProblem {
    Location where;
    std::string message;
};

struct CertificateVerdict {
    std::vector<std::string> confirmed;  ///< a sentence per layer
    std::vector<CertificateProblem> problems;
    bool interrupted = false;
};

/// Checks all claims of a certificate file, on all cores; Ctrl-C leaves the rest unconfirmed. Throws InputError where
/// it cannot be read. `progress`: called with a line for people.
CertificateVerdict check_certificate(const yaml::Node& root, const std::function<void(const std::string&)>& progress);

}  // namespace tilewright::cli
