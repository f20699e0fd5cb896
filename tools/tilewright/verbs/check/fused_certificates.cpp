#include "verbs/check/fused_certificates.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/files/file.hpp"
#include "certificate/fused/claim.hpp"
#include "mapping/fused/text.hpp"
#include "model/version.hpp"
#include "native/certificates/fused_certificate.hpp"
#include "native/problem.hpp"
#include "output/output.hpp"
#include "terminal/interrupt.hpp"

namespace tilewright::cli {
namespace {

using FusedClaim = certificate::fused_proof::Claim;

// Of the field, or of what it lies in.
Location place_in(const native::FusedCertificateFile& file, std::string path) {
    while (true) {
        if (const auto found = file.places.find(path); found != file.places.end()) return found->second;
        const std::size_t dot = path.rfind('.');
        if (dot == std::string::npos) return file.places.at("schema");
        path.resize(dot);
    }
}

// What lies beside it where `map -o` puts both; "" when it is the same, or not there.
std::string difference_beside(const std::string& path, const FusedClaim& claim) {
    const std::filesystem::path mapping = std::filesystem::path(path).parent_path() / kFusedFile;
    std::error_code ignored;
    if (std::filesystem::path(path).filename() != kCertificateFile || !std::filesystem::exists(mapping, ignored))
        return "";
    if (read_file(mapping, kAnySize) == to_text(claim.mapping, claim.cascade, claim.machine)) return "";
    return mapping.string() + " is not the mapping that the certificate speaks of";
}

}  // namespace

std::string fused_certificate_json(const Cascade& cascade, const Architecture& machine, const Objective& objective,
                                   const fusion::Answer& answer, const std::string& tool_version) {
    if (!answer.fused || answer.floor_bound <= 0.0) return "";
    const std::string name(objective_name(objective.kind));
    if (const std::string problem = certificate::fused_proof::problem_with(cascade, machine, name); !problem.empty()) {
        print_error("note: no certificate: " + problem);
        return "";
    }
    const fused::Evaluation& cost = answer.fused->evaluation;
    const double value = objective.score(cost.energy_pj, static_cast<double>(cost.cycles)).value;
    constexpr double kDigits = 1e-9;
    const double bound = answer.floor_bound < value * (1.0 - kDigits) ? answer.floor_bound : value;
    FusedClaim claim{cascade, machine, name, answer.fused->mapping, value, bound, answer.duals};
    for (const fusion::ProvenSum& sum : answer.sums) claim.lines.push_back({sum.energy, sum.cycles, sum.duals});
    if (objective.kind == ObjectiveKind::edp &&
        certificate::fused_proof::least_product(claim.lines) < bound * (1.0 - kDigits)) {
        print_error("note: no certificate: lines that are nearly parallel leave open where they meet");
        return "";
    }
    return native::write_fused_certificate({tool_version, kModelVersion, std::move(claim)});
}

CertificateVerdict check_fused_certificate(const std::string& path, std::uintmax_t most_bytes,
                                           const std::optional<Architecture>& machine,
                                           const std::optional<Cascade>& cascade) {
    const native::FusedCertificateFile file =
        native::read_fused_certificate(yaml::parse_file(path, yaml::Duplicates::refuse, most_bytes));
    const FusedClaim& claim = file.certificate.claim;
    CertificateVerdict verdict;
    const auto note = [&](const std::string& place, const std::string& message) {
        verdict.problems.push_back({place_in(file, place), message});
    };
    if (!file.seal_holds) note("seal", "the certificate was changed after it was written: its seal does not fit");
    if (file.certificate.model_version != kModelVersion) {
        note("model", fmt::format("it was made with version {} of the cost model, this is version {}",
                                  file.certificate.model_version, kModelVersion));
        return verdict;
    }
    verdict.confirmed.push_back(fmt::format("certificate {}: a fused mapping of {}{} on {}{} (machine {})", path,
                                            claim.cascade.name.empty() ? "a network" : claim.cascade.name,
                                            cascade ? "" : ", as the file has it,", claim.machine.name,
                                            machine ? "" : ", the file's own machine", native::hash_of(claim.machine)));
    if (const std::string different = difference_beside(path, claim); !different.empty()) note("mapping", different);
    if (machine)
        if (const std::string different = native::difference(claim.machine, *machine); !different.empty())
            note("machine", "this is not the given machine: " + different);
    if (cascade)
        if (const std::string different = native::difference(claim.cascade, *cascade); !different.empty())
            note("network", "this is not the given network: " + different);
    StopSource stop;
    const Interrupt interrupt(stop);
    const certificate::fused_proof::Verdict one =
        certificate::fused_proof::check(claim, [&stop] { return stop.requested(); });
    for (const certificate::fused_proof::Finding& finding : one.findings) note(finding.field, finding.message);
    if (one.findings.empty()) verdict.confirmed.push_back("confirmed: " + one.proof);
    verdict.interrupted = interrupt.happened();
    return verdict;
}

}  // namespace tilewright::cli
