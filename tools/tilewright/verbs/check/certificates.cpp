#include "verbs/check/certificates.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "certificate/claim/check.hpp"
#include "certificate/fused/claim.hpp"
#include "mapping/fused/text.hpp"
#include "model/version.hpp"
#include "native/certificates/certificate.hpp"
#include "native/certificates/fused_certificate.hpp"
#include "native/certificates/package_certificate.hpp"
#include "native/problem.hpp"
#include "output/output.hpp"
#include "run/search.hpp"
#include "run/words.hpp"
#include "terminal/interrupt.hpp"

namespace tilewright::cli {
namespace {

using certificate::Certificate;
using certificate::Claim;

certificate::Answer answer_of(const Mapping& mapping, double energy_pj, std::int64_t cycles) {
    return {mapping, {energy_pj, static_cast<double>(cycles)}};
}

// Bounds of a search that stands in for the optimal one are quickly found and may take the checker very long.
bool has_claim(const report::LayerResult& layer, const LayerProblem& searched, const MapOptions& options) {
    if (!layer.mapping || !layer.evaluation || !layer.search || !layer.search->lower_bound) return false;
    if (layer.search->proven) return true;
    return options.objective.kind != ObjectiveKind::pareto &&
           !hybrid_stands_in(searched, mapspace_of(searched, options), options);
}

Claim claim_of(const report::LayerResult& layer, const LayerProblem& searched, const PlannedSearch& settings,
               bool front) {
    Claim claim;
    claim.names = layer.names;
    claim.einsum = layer.unpadded ? layer.einsum : searched.einsum;
    claim.constraints = searched.constraints;
    claim.space.factors = name_of(settings.map.factors);
    claim.objective = settings.objective;
    for (const FrontAnswer& point : layer.front)
        claim.answers.push_back(answer_of(point.mapping, point.energy_pj, point.cycles));
    if (!front) claim.answers = {answer_of(*layer.mapping, layer.evaluation->energy_pj, layer.evaluation->cycles)};
    if (settings.map.uneven) claim.space.storage = "uneven";
    const Objective& objective = settings.map.objective;
    claim.score = objective.score(layer.evaluation->energy_pj, layer.evaluation->cycles).value;
    claim.bound = layer.search->proven ? claim.score : std::min(*layer.search->lower_bound, claim.score);
    // That nothing is faster does not say that nothing as fast takes less energy.
    if (!layer.search->proven && objective.kind == ObjectiveKind::latency)
        claim.bound = std::min(claim.bound, claim.score * (1.0 - 1e-8));
    return claim;
}

bool has_blocks(const NetworkProblem& problem) {
    return std::ranges::any_of(problem.shapes,
                               [](const ShapeProblem& shape) { return shape.layer.words.has_blocks(); });
}

/// Why layers have no certificate, each reason once.
using Reasons = std::map<std::string, std::vector<std::string>>;

// Only what single words decide can be proven again.
std::optional<Claim> with_zeros(Claim claim, const sparse::Design& zeros, const Architecture& machine,
                                Reasons& reasons) {
    claim.zeros = zeros;
    const std::string problem = certificate::problem_with_zeros(claim, machine);
    if (problem.empty()) return claim;
    reasons[problem].push_back(claim.names.front());
    return std::nullopt;
}

// What no mapping is below on the machine of the certificate, where scales have the room of the layer that needs most.
double bound_with_room(const LayerProblem& searched, const MapOptions& options, double bound) {
    const SearchResult found = search_layer(searched, options, nullptr);
    if (is_proven(found)) return std::min(bound, found.score.value);
    return std::min(bound, found.lower_bound.value_or(0.0));
}

// The checker has words of one width for each tensor, and one machine for all layers.
std::optional<Claim> known_to_checker(Claim claim, const LayerProblem& layer, const InParts& parts, std::size_t shape,
                                      const MapOptions& options, Reasons& reasons) {
    const char* reason = nullptr;
    if (layer.words.has_partial_sums()) reason = "the checker does not know partial sums of a width of their own";
    if (layer.words.has_blocks() && !parts.machine) reason = "the scales of its blocks take too small parts of a bit";
    if (claim.objective == "pareto" && !layer.is_plain()) reason = "of fronts the checker knows plain words alone";
    if (reason != nullptr) {
        reasons[reason].push_back(claim.names.front());
        return std::nullopt;
    }
    if (layer.words.has_blocks() && !parts.bounded[shape])
        claim.bound = bound_with_room(parts.problem.shapes[shape].layer, options, claim.bound);
    return claim;
}

void tell_reasons(const Reasons& reasons) {
    for (const auto& [reason, layers] : reasons)
        print_error(fmt::format("note: no certificate of layer '{}'{}: {}", layers.front(),
                                layers.size() > 1 ? fmt::format(" and {} more", layers.size() - 1) : "", reason));
}

}  // namespace

std::string certificate_json(const report::Report& report, const NetworkProblem& problem, const PlannedSearch& settings,
                             const std::string& mapping_yaml) {
    const InParts parts = in_parts_of_bits(problem);
    const bool front = settings.map.objective.kind == ObjectiveKind::pareto;
    Certificate certificate;
    certificate.tool_version = report.provenance.tool_version;
    certificate.model_version = kModelVersion;
    certificate.network = report.network;
    certificate.mapping_hash = content_hash(mapping_yaml);
    certificate.machine = has_blocks(problem) && parts.machine ? *parts.machine : report.architecture;
    Reasons reasons;
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
        const report::LayerResult& layer = report.layers[i];
        std::optional<Claim> claim;
        const LayerProblem& searched = parts.problem.shapes[i].layer;
        if (has_claim(layer, problem.shapes[i].layer, settings.map)) claim = claim_of(layer, searched, settings, front);
        if (claim)
            claim = known_to_checker(*std::move(claim), problem.shapes[i].layer, parts, i, settings.map, reasons);
        if (claim && searched.zeros)
            claim = with_zeros(*std::move(claim), *searched.zeros, certificate.machine, reasons);
        if (claim && certificate::has_too_many_assignments(*claim, certificate.machine)) {
            print_error(
                fmt::format("note: no certificate of layer '{}': there are too many ways to choose its spatial "
                            "factors; constraints make them fewer",
                            layer.names.front()));
            claim.reset();
        }
        if (!claim || !can_be_proven(mapspace_of(searched, settings.map), claim->space)) {
            certificate.unclaimed.insert(certificate.unclaimed.end(), layer.names.begin(), layer.names.end());
            continue;
        }
        claim->outline = certificate::outline_of(*claim, certificate.machine);
        certificate.claims.push_back(std::move(*claim));
    }
    tell_reasons(reasons);
    return certificate.claims.empty() ? "" : native::write_certificate(certificate);
}

bool says_schema(const std::string& file, const char* schema) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    std::ifstream in(file, std::ios::binary);
    std::string head(256, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find(schema) != std::string::npos;
}

void leave_no_certificate(const std::string& file) {
    print_error("warning: --certificate " + file + ": there is nothing to certify");
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) &&
        (says_schema(file, "tilewright-certificate/") || says_schema(file, "tilewright-fused-certificate/") ||
         says_schema(file, native::kPackageCertificate)))
        std::filesystem::remove(file, ignored);
}

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
