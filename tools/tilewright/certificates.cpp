#include "certificates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/check.hpp"
#include "frontend/native/certificate.hpp"
#include "interrupt.hpp"
#include "model/version.hpp"
#include "report/number.hpp"

namespace tilewright::cli {
namespace {

using certificate::Certificate;
using certificate::Claim;

certificate::Answer answer_of(const Mapping& mapping, double energy_pj, std::int64_t cycles) {
    return {mapping, {energy_pj, static_cast<double>(cycles)}};
}

bool has_claim(const report::LayerResult& layer, bool front) {
    return layer.mapping && layer.evaluation && layer.search && layer.search->lower_bound &&
           (layer.search->proven || !front);
}

Claim claim_of(const report::LayerResult& layer, const Task& task, const SearchPlan& plan, bool front) {
    Claim claim;
    claim.names = layer.names;
    claim.einsum = layer.einsum;
    claim.constraints = task.constraints;
    if (!plan.factors.empty()) claim.space.factors = plan.factors;
    claim.objective = plan.objective;
    if (plan.factors == name_of(FactorRule::ruby_s)) claim.space.factors = plan.factors;
    for (const report::FrontMapping& point : layer.front)
        claim.answers.push_back(answer_of(point.mapping, point.energy_pj, point.cycles));
    if (!front) claim.answers = {answer_of(*layer.mapping, layer.evaluation->energy_pj, layer.evaluation->cycles)};
    if (plan.uneven) claim.space.storage = "uneven";
    const Objective objective = parse_objective(plan.objective).value();
    claim.score = objective.score(layer.evaluation->energy_pj, layer.evaluation->cycles).value;
    claim.bound = layer.search->proven ? claim.score : std::min(*layer.search->lower_bound, claim.score);
    // That nothing is faster does not say that nothing as fast takes less energy.
    if (!layer.search->proven && objective.kind == ObjectiveKind::latency)
        claim.bound = std::min(claim.bound, claim.score * (1.0 - 1e-8));
    return claim;
}

std::string place_of(std::size_t layer, const std::string& field) {
    return "layers." + std::to_string(layer) + (field.empty() ? "" : "." + field);
}

// Of the field, or of what it lies in.
Location location_of(const native::CertificateFile& file, std::string path) {
    while (true) {
        if (const auto found = file.places.find(path); found != file.places.end()) return found->second;
        const std::size_t dot = path.rfind('.');
        if (dot == std::string::npos) return {};
        path.resize(dot);
    }
}

std::string title_of(const Claim& claim) { return claim.names.empty() ? claim.einsum.name : claim.names.front(); }

}  // namespace

std::string certificate_json(const report::Report& report, const std::vector<Task>& tasks, const SearchPlan& plan) {
    const bool front = parse_objective(plan.objective).value().kind == ObjectiveKind::pareto;
    Certificate certificate;
    certificate.tool_version = report.provenance.tool_version;
    certificate.model_version = kModelVersion;
    certificate.machine = report.architecture;
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
        if (!has_claim(report.layers[i], front)) continue;
        Claim claim = claim_of(report.layers[i], tasks[i], plan, front);
        if (claim.space.is_known()) claim.outline = certificate::outline_of(claim, certificate.machine);
        certificate.claims.push_back(std::move(claim));
    }
    return certificate.claims.empty() ? "" : native::write_certificate(certificate);
}

CertificateVerdict check_certificate(const yaml::Node& root, const std::function<void(const std::string&)>& progress) {
    const native::CertificateFile file = native::read_certificate(root);
    CertificateVerdict verdict;
    const auto note = [&](const std::string& path, const std::string& message) {
        verdict.problems.push_back({location_of(file, path), message});
    };
    if (!file.seal_holds) note("seal", "the certificate was changed after it was written: its seal does not fit");
    if (file.certificate.model_version != kModelVersion) {
        note("model", fmt::format("it was made with version {} of the cost model, this is version {}",
                                  file.certificate.model_version, kModelVersion));
        return verdict;
    }
    StopSource stop;
    const Interrupt interrupt(stop);
    const std::vector<Claim>& claims = file.certificate.claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        progress(fmt::format("[{}/{}] {}", i + 1, claims.size(), title_of(claims[i])));
        const certificate::Verdict one =
            certificate::check(claims[i], file.certificate.machine, [&stop] { return stop.requested(); });
        for (const certificate::Finding& finding : one.findings)
            note(place_of(i, finding.field), title_of(claims[i]) + ": " + finding.message);
        if (one.findings.empty()) verdict.confirmed.push_back(title_of(claims[i]) + ": " + one.proof);
    }
    verdict.interrupted = interrupt.happened();
    return verdict;
}

}  // namespace tilewright::cli
