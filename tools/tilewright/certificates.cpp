#include "certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "certificate/claim/check.hpp"
#include "interrupt.hpp"
#include "model/version.hpp"
#include "native/certificates/certificate.hpp"
#include "native/problem.hpp"
#include "output.hpp"
#include "run/search.hpp"
#include "run/words.hpp"

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
    if (layer.words.has_partial_sums())
        reason = "its partial sums have a width of their own, which the checker does not know";
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

// "conv1", "conv1 and 3 more"
std::string title_of(const Claim& claim) {
    const std::size_t others = claim.names.size() - 1;
    return claim.names.front() + (others == 0 ? "" : fmt::format(" and {} more", others));
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
        (says_schema(file, "tilewright-certificate/") || says_schema(file, "tilewright-fused-certificate/")))
        std::filesystem::remove(file, ignored);
}

namespace {

// What a certificate speaks of, against what lies and what was given beside it.
class Comparison {
   public:
    Comparison(const native::CertificateFile& file, const ProvidedInputs& given, CertificateVerdict& verdict)
        : file_(file), certificate_(file.certificate), given_(given), verdict_(verdict) {}

    void run(const std::string& path) {
        std::string text =
            fmt::format("certificate {}: {} layer shapes of {}{} on {}{} (machine {}), mapping.yaml {}", path,
                        certificate_.claims.size(), certificate_.network.empty() ? "a network" : certificate_.network,
                        given_.network ? "" : ", as the file has it,", certificate_.machine.name,
                        given_.machine ? "" : ", the file's own machine", native::hash_of(certificate_.machine),
                        certificate_.mapping_hash);
        verdict_.confirmed.push_back(text + compared_with_file(path));
        if (!certificate_.unclaimed.empty())
            note("unclaimed", "nothing is claimed of " + list_words(certificate_.unclaimed));
        if (given_.machine) compare_machine(*given_.machine);
        if (given_.network) compare_network(*given_.network);
    }

   private:
    void note(const std::string& path, const std::string& message) {
        verdict_.problems.push_back({location_of(file_, path), message});
    }

    // Where `map -o` puts both.
    std::string compared_with_file(const std::string& path) {
        const std::filesystem::path mapping = std::filesystem::path(path).parent_path() / kMappingFile;
        std::error_code ignored;
        if (std::filesystem::path(path).filename() != kCertificateFile || !std::filesystem::exists(mapping, ignored))
            return " (not beside it: not compared)";
        const std::string hash = content_hash(read_file(mapping, kAnySize));
        if (hash == certificate_.mapping_hash) return " (as beside it)";
        note("mapping", fmt::format("{} has the hash {}: it is not the one that the certificate speaks of",
                                    mapping.string(), hash));
        return " (not the one beside it)";
    }

    void compare_machine(const Architecture& machine) {
        const std::string difference = native::difference(certificate_.machine, machine);
        if (!difference.empty()) return note("machine", "this is not the given machine: " + difference);
        verdict_.confirmed.push_back("compared: machine " + machine.name + " is the given one");
    }

    const Claim* claim_of(const std::string& layer) const {
        for (const Claim& claim : certificate_.claims)
            if (std::ranges::find(claim.names, layer) != claim.names.end()) return &claim;
        return nullptr;
    }

    void compare_network(const Network& network) {
        const std::size_t before = verdict_.problems.size();
        if (certificate_.network != network.name)
            note("network",
                 "it is of the network '" + certificate_.network + "', and '" + network.name + "' was given");
        for (const Layer& layer : network.layers) compare_layer(layer, network);
        for (std::size_t i = 0; i < certificate_.claims.size(); ++i)
            for (const std::string& name : certificate_.claims[i].names) {
                const bool known = std::ranges::find(network.layers, name, &Layer::name) != network.layers.end();
                if (!known && !given_.left_out(name))
                    note(place_of(i, "names"), "the given network '" + network.name + "' has no layer '" + name + "'");
            }
        for (const auto& [layer, mapping, places] : given_.mappings)
            compare_mapping(network.layers[layer].name, mapping);
        if (verdict_.problems.size() == before)
            verdict_.confirmed.push_back(fmt::format("compared: {} layers of {} are the given ones{}",
                                                     network.layers.size(), network.name,
                                                     given_.mappings.empty() ? "" : ", and so are their mappings"));
    }

    void compare_layer(const Layer& layer, const Network& network) {
        const Claim* const claim = claim_of(layer.name);
        if (claim == nullptr) {
            if (std::ranges::find(certificate_.unclaimed, layer.name) == certificate_.unclaimed.end())
                note("layers", "layer '" + layer.name + "' of the given network '" + network.name + "' is missing");
            return;
        }
        const auto index = static_cast<std::size_t>(claim - certificate_.claims.data());
        if (const std::string different = native::difference(claim->einsum, layer.einsum); !different.empty())
            return note(place_of(index, "einsum"), layer.name + " is not the given layer: " + different);
        if (!given_.machine) return;
        if (claim->zeros != (given_.zeros ? given_.zeros(layer) : std::nullopt))
            return note(place_of(index, "zeros"), layer.name +
                                                      ": this is not what the given machine does about zeros, "
                                                      "or these are not the given densities");
        const std::string different =
            native::difference(claim->constraints, given_.constraints(layer.einsum), claim->einsum);
        if (!different.empty())
            note(place_of(index, "constraints"), layer.name + ": these are not the given constraints: " + different);
    }

    void compare_mapping(const std::string& layer, const Mapping& mapping) {
        const Claim* const claim = claim_of(layer);
        if (claim == nullptr ||
            std::ranges::find(claim->answers, mapping, &certificate::Answer::mapping) != claim->answers.end())
            return;
        const auto index = static_cast<std::size_t>(claim - certificate_.claims.data());
        note(place_of(index, "answers"), layer + ": the given mapping is not the one that is claimed to be best");
    }

    const native::CertificateFile& file_;
    const Certificate& certificate_;
    const ProvidedInputs& given_;
    CertificateVerdict& verdict_;
};

}  // namespace

CertificateVerdict check_certificate(const std::string& path, std::uintmax_t most_bytes, const ProvidedInputs& given,
                                     const std::function<void(const std::string&)>& progress) {
    const native::CertificateFile file =
        native::read_certificate(yaml::parse_file(path, yaml::Duplicates::refuse, most_bytes));
    CertificateVerdict verdict;
    const auto note = [&](const std::string& place, const std::string& message) {
        verdict.problems.push_back({location_of(file, place), message});
    };
    if (!file.seal_holds) note("seal", "the certificate was changed after it was written: its seal does not fit");
    if (file.certificate.model_version != kModelVersion) {
        note("model", fmt::format("it was made with version {} of the cost model, this is version {}",
                                  file.certificate.model_version, kModelVersion));
        return verdict;
    }
    Comparison(file, given, verdict).run(path);
    StopSource stop;
    const Interrupt interrupt(stop);
    const std::vector<Claim>& claims = file.certificate.claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        progress(fmt::format("[{}/{}] {}", i + 1, claims.size(), title_of(claims[i])));
        const certificate::Verdict one =
            certificate::check(claims[i], file.certificate.machine, [&stop] { return stop.requested(); });
        for (const certificate::Finding& finding : one.findings)
            note(place_of(i, finding.field), title_of(claims[i]) + ": " + finding.message);
        if (one.findings.empty()) verdict.confirmed.push_back("confirmed: " + title_of(claims[i]) + ": " + one.proof);
    }
    verdict.interrupted = interrupt.happened();
    return verdict;
}

}  // namespace tilewright::cli
