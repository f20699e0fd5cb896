#include "verbs/check/fused_certificates.hpp"

#include "certificate/fused/claim.hpp"
#include "mapping/fused/text.hpp"
#include "model/version.hpp"
#include "native/certificates/fused_certificate.hpp"
#include "native/problem.hpp"
#include "output/output.hpp"
#include "terminal/interrupt.hpp"

namespace tilewright::cli {
std::string fused_certificate_json(const Cascade& cascade, const Architecture& machine, const Objective& objective,
                                   const fusion::Answer& answer, const std::string& tool_version) {
    const std::string name(objective_name(objective.kind));
    if (const std::string problem = certificate::fused_proof::problem_with(cascade, machine, name); !problem.empty()) {
        print_error("note: no certificate: " + problem);
        return "";
    }
    if (!answer.fused || answer.floor_bound <= 0.0) {
        print_error("note: no certificate: the search ended before it had a lower bound");
        return "";
    }
    const fused::Evaluation& cost = answer.fused->evaluation;
    const double value = objective.score(cost.energy_pj, static_cast<double>(cost.cycles)).value;
    constexpr double kDigits = 1e-9;
    const double bound = answer.floor_bound < value * (1.0 - kDigits) ? answer.floor_bound : value;
    certificate::fused_proof::Claim claim{cascade, machine, name, answer.fused->mapping, value, bound, answer.duals};
    for (const fusion::ProvenSum& sum : answer.sums) claim.lines.push_back({sum.energy, sum.cycles, sum.duals});
    if (objective.kind == ObjectiveKind::edp &&
        certificate::fused_proof::least_product(claim.lines) < bound * (1.0 - kDigits)) {
        print_error("note: no certificate: lines that are nearly parallel leave open where they meet");
        return "";
    }
    return native::write_fused_certificate({tool_version, kModelVersion, std::move(claim)});
}

}  // namespace tilewright::cli
