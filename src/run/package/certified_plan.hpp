// Plans on packages with certificates: `map --package --certificate` as a library.
//
//     const CertifiedPlan plan = map_package_certified(problem, objective, version());
//     if (plan.certificate.empty()) std::cout << plan.no_certificate << '\n';
//
// Pure; thread-safe for different problems.
#pragma once

#include <optional>
#include <string>

#include "run/package/map_package.hpp"

namespace tilewright {

struct CertifiedPlan {
    std::optional<report::PackageReport> report;  ///< nothing: no plan was found
    std::string certificate;                      ///< the document (docs/certificate.md); "": none
    std::string no_certificate;                   ///< why, in words
    std::string note;                             ///< on what is claimed, "": nothing
};

/// As map_package(), with a certificate of the plan: that it is the best where that can be shown again, else how far
/// below it nothing is.
CertifiedPlan map_package_certified(const PackageProblem& problem, const Objective& objective,
                                    const std::string& tool_version, const StopSource* stop = nullptr,
                                    const TellPackageProgress& tell = {});

}  // namespace tilewright
