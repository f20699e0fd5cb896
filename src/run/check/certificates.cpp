#include "run/check/certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "certificate/claim/check.hpp"
#include "certificate/codesign/check_tree.hpp"
#include "certificate/fused/claim.hpp"
#include "mapping/fused/text.hpp"
#include "model/version.hpp"
#include "native/certificates/certificate.hpp"
#include "native/certificates/fused_certificate.hpp"
#include "native/certificates/machine_certificate.hpp"
#include "native/certificates/package_certificate.hpp"
#include "native/problem.hpp"
#include "package/plan_text.hpp"
#include "run/check/file_names.hpp"
#include "run/package/map_package.hpp"
#include "run/words.hpp"
#include "yaml/node.hpp"

namespace tilewright {
namespace {

using certificate::Certificate;
using certificate::Claim;
using FusedClaim = certificate::fused_proof::Claim;

std::string place_of(std::size_t layer, const std::string& field) {
    return "layers." + std::to_string(layer) + (field.empty() ? "" : "." + field);
}

// Of the field, or of what it lies in.
template <class Places>
Location location_of(const Places& places, std::string path) {
    while (true) {
        if (const auto found = places.find(path); found != places.end()) return found->second;
        const std::size_t dot = path.rfind('.');
        if (dot == std::string::npos) break;
        path.resize(dot);
    }
    const auto whole = places.find("schema");
    return whole == places.end() ? Location{} : whole->second;
}

// "conv1", "conv1 and 3 more"
std::string title_of(const Claim& claim) {
    const std::size_t others = claim.names.size() - 1;
    return claim.names.front() + (others == 0 ? "" : fmt::format(" and {} more", others));
}

// What a certificate speaks of, against what lies and what was given beside it.
class Comparison {
   public:
    Comparison(const native::CertificateFile& file, const GivenInputs& given, CertificateVerdict& verdict)
        : file_(file), certificate_(file.certificate), given_(given), verdict_(verdict) {}

    void run(const std::string& path) {
        std::string text =
            fmt::format("certificate {}: {} layer shapes of {}{} on {}{} (machine {}), mapping.yaml {}", path,
                        certificate_.claims.size(), certificate_.network.empty() ? "a network" : certificate_.network,
                        given_.network ? "" : ", as the file has it,", certificate_.machine.name,
                        given_.machine ? "" : ", the file's own machine", native::hash_of(certificate_.machine),
                        certificate_.mapping_hash);
        verdict_.confirmed.push_back(text + compared_with_file(path));
        if (!certificate_.unclaimed.empty()) note("unclaimed", "no claim about " + list_words(certificate_.unclaimed));
        if (given_.machine) compare_machine(*given_.machine);
        if (given_.network) compare_network(*given_.network);
    }

   private:
    void note(const std::string& path, const std::string& message) {
        verdict_.problems.push_back({location_of(file_.places, path), message});
    }

    // Where `map -o` puts both.
    std::string compared_with_file(const std::string& path) {
        const std::filesystem::path mapping = std::filesystem::path(path).parent_path() / kMappingFile;
        std::error_code ignored;
        if (std::filesystem::path(path).filename() != kCertificateFile || !std::filesystem::exists(mapping, ignored))
            return " (not beside it: not compared)";
        const std::string hash = content_hash(read_file(mapping, kAnySize));
        if (hash == certificate_.mapping_hash) return " (as beside it)";
        note("mapping", fmt::format("{} has the hash {}: not that of the certificate", mapping.string(), hash));
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
                const bool left_out = given_.left_out && given_.left_out(name);
                if (!known && !left_out)
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
                                                      ": these are not the sparse optimizations of the given machine, "
                                                      "or not the given densities");
        if (!given_.constraints) return;
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
        note(place_of(index, "answers"), layer + ": the given mapping is not the claimed one");
    }

    const native::CertificateFile& file_;
    const Certificate& certificate_;
    const GivenInputs& given_;
    CertificateVerdict& verdict_;
};

// What lies beside it where `map -o` puts both; "" when it is the same, or not there.
std::string difference_beside(const std::string& path, const FusedClaim& claim) {
    const std::filesystem::path mapping = std::filesystem::path(path).parent_path() / kFusedFile;
    std::error_code ignored;
    if (std::filesystem::path(path).filename() != kCertificateFile || !std::filesystem::exists(mapping, ignored))
        return "";
    if (read_file(mapping, kAnySize) == to_text(claim.mapping, claim.cascade, claim.machine)) return "";
    return mapping.string() + " is not the mapping that the certificate speaks of";
}

bool is_stopped(const CertificateControl& control) { return control.stop != nullptr && control.stop->requested(); }

void tell(const CertificateControl& control, const std::string& text) {
    if (control.progress) control.progress(text);
}

// What holds of every kind of certificate before its claims are looked at.
template <class File>
bool has_sound_frame(const File& file, CertificateVerdict& verdict) {
    const auto note = [&](const char* place, const std::string& message) {
        verdict.problems.push_back({location_of(file.places, place), message});
    };
    if (!file.seal_holds) note("seal", "the certificate was changed after it was written: its seal does not fit");
    if (file.certificate.model_version == kModelVersion) return true;
    note("model", fmt::format("it was made with version {} of the cost model, this is version {}",
                              file.certificate.model_version, kModelVersion));
    return false;
}

CertificateVerdict check_layers(const yaml::Node& root, const std::string& path, const GivenInputs& given,
                                const CertificateControl& control) {
    const native::CertificateFile file = native::read_certificate(root);
    CertificateVerdict verdict;
    if (!has_sound_frame(file, verdict)) return verdict;
    Comparison(file, given, verdict).run(path);
    const std::vector<Claim>& claims = file.certificate.claims;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        tell(control, fmt::format("[{}/{}] {}", i + 1, claims.size(), title_of(claims[i])));
        const certificate::Verdict one =
            certificate::check(claims[i], file.certificate.machine, [&] { return is_stopped(control); });
        for (const certificate::Finding& finding : one.findings)
            verdict.problems.push_back(
                {location_of(file.places, place_of(i, finding.field)), title_of(claims[i]) + ": " + finding.message});
        if (one.findings.empty()) verdict.confirmed.push_back("confirmed: " + title_of(claims[i]) + ": " + one.proof);
    }
    return verdict;
}

CertificateVerdict check_fused(const yaml::Node& root, const std::string& path, const GivenInputs& given,
                               const CertificateControl& control) {
    const native::FusedCertificateFile file = native::read_fused_certificate(root);
    const FusedClaim& claim = file.certificate.claim;
    CertificateVerdict verdict;
    const auto note = [&](const std::string& place, const std::string& message) {
        verdict.problems.push_back({location_of(file.places, place), message});
    };
    if (!has_sound_frame(file, verdict)) return verdict;
    verdict.confirmed.push_back(fmt::format(
        "certificate {}: a fused mapping of {}{} on {}{} (machine {})", path,
        claim.cascade.name.empty() ? "a network" : claim.cascade.name, given.cascade ? "" : ", as the file has it,",
        claim.machine.name, given.machine ? "" : ", the file's own machine", native::hash_of(claim.machine)));
    if (const std::string different = difference_beside(path, claim); !different.empty()) note("mapping", different);
    if (given.machine)
        if (const std::string different = native::difference(claim.machine, *given.machine); !different.empty())
            note("machine", "this is not the given machine: " + different);
    if (given.cascade)
        if (const std::string different = native::difference(claim.cascade, *given.cascade); !different.empty())
            note("network", "this is not the given network: " + different);
    const certificate::fused_proof::Verdict one =
        certificate::fused_proof::check(claim, [&] { return is_stopped(control); });
    for (const certificate::fused_proof::Finding& finding : one.findings) note(finding.field, finding.message);
    if (one.findings.empty()) verdict.confirmed.push_back("confirmed: " + one.proof);
    return verdict;
}

// Where `map -o` puts both.
std::string difference_beside(const std::string& path, const certificate::package_proof::Claim& claim) {
    const std::filesystem::path plan = std::filesystem::path(path).parent_path() / kPlanFile;
    std::error_code ignored;
    if (std::filesystem::path(path).filename() != kCertificateFile || !std::filesystem::exists(plan, ignored))
        return "";
    if (read_file(plan, kAnySize) == package::to_text(claim.plan, claim.cascade)) return "";
    return plan.string() + " is not the plan that the certificate speaks of";
}

template <typename Note>
void compare_package(const certificate::package_proof::Claim& claim, const GivenInputs& given, const Note& note) {
    if (given.package)
        if (const std::string different = native::difference(claim.package, *given.package); !different.empty())
            note("package", "this is not the given package: " + different);
    if (given.cascade) {
        const std::string different = native::difference(claim.cascade, without_constant_axes(*given.cascade));
        if (!different.empty()) note("network", "this is not the given network: " + different);
    }
    if (!given.package || !given.package_constraints) return;
    for (std::size_t i = 0; i < claim.leaves.size(); ++i) {
        const certificate::package_proof::Leaf& leaf = claim.leaves[i];
        if (leaf.kind >= static_cast<int>(given.package->kinds.size()) || !given.package->kinds[leaf.kind].architecture)
            continue;
        const Einsum& einsum = claim.cascade.einsums[leaf.einsum].einsum;
        const std::string different =
            native::difference(leaf.claim.constraints, given.package_constraints(leaf.kind, einsum), leaf.claim.einsum);
        if (!different.empty())
            note("leaves." + std::to_string(i) + ".claim.constraints",
                 "these are not the constraints of the given package's cores: " + different);
    }
}

CertificateVerdict check_package(const yaml::Node& root, const std::string& path, const GivenInputs& given,
                                 const CertificateControl& control) {
    const native::PackageCertificateFile file = native::read_package_certificate(root);
    const certificate::package_proof::Claim& claim = file.certificate.claim;
    CertificateVerdict verdict;
    const auto note = [&](const std::string& place, const std::string& message) {
        verdict.problems.push_back({location_of(file.places, place), message});
    };
    if (!has_sound_frame(file, verdict)) return verdict;
    verdict.confirmed.push_back(fmt::format("certificate {}: a plan of {}{} on {}{}", path,
                                            claim.cascade.name.empty() ? "a network" : claim.cascade.name,
                                            given.cascade ? "" : ", as the file has it,", claim.package.name,
                                            given.package ? "" : ", the file's own package"));
    if (const std::string different = difference_beside(path, claim); !different.empty()) note("plan", different);
    compare_package(claim, given, note);
    const certificate::package_proof::Verdict one =
        certificate::package_proof::check(claim, [&] { return is_stopped(control); });
    for (const certificate::Finding& finding : one.findings) note(finding.field, finding.message);
    if (one.findings.empty()) verdict.confirmed.push_back("confirmed: " + one.proof);
    return verdict;
}

CertificateVerdict check_best_machine(const yaml::Node& root, const CertificateControl& control) {
    const native::MachineCertificateFile file = native::read_machine_certificate(root);
    const certificate::MachineCertificate& certificate = file.certificate;
    CertificateVerdict verdict;
    if (!has_sound_frame(file, verdict)) return verdict;
    std::mutex telling;
    const certificate::TreeVerdict found = certificate::check(
        certificate, [&] { return is_stopped(control); },
        [&](std::size_t done, std::size_t all) {
            const std::lock_guard lock(telling);
            tell(control, fmt::format("[{}/{}] boxes of machines", done, all));
        });
    for (const certificate::Finding& finding : found.findings)
        verdict.problems.push_back({location_of(file.places, finding.field), finding.message});
    if (found.findings.empty())
        verdict.confirmed.push_back(fmt::format(
            "confirmed: {}: best machine {}: {}", certificate.network,
            certificate.best ? fmt::format("of {} {:.10g}", certificate.space.objective, certificate.best->value)
                             : "none",
            found.proof));
    return verdict;
}

}  // namespace

void give_in_parts_of_bits(const NetworkProblem& problem, GivenInputs& given) {
    const InParts parts = in_parts_of_bits(problem);
    if (!parts.machine) return;
    given.machine = parts.machine;
    for (const ShapeProblem& shape : parts.problem.shapes)
        for (Layer& layer : given.network->layers)
            if (std::ranges::find(shape.names, layer.name) != shape.names.end())
                layer.einsum.tensors = shape.layer.einsum.tensors;
}

CertificateVerdict check_certificate(const std::string& text, const std::string& file, const GivenInputs& given,
                                     const CertificateControl& control) {
    const yaml::Node root = yaml::parse_text(text, file, yaml::Duplicates::refuse);
    const std::string schema = root.is_map() && root.has("schema") ? root.at("schema").text() : "";
    CertificateVerdict verdict;
    if (schema.starts_with("tilewright-fused-certificate/"))
        verdict = check_fused(root, file, given, control);
    else if (schema.starts_with(native::kPackageCertificate))
        verdict = check_package(root, file, given, control);
    else if (schema.starts_with(native::kMachineCertificate))
        verdict = check_best_machine(root, control);
    else
        verdict = check_layers(root, file, given, control);
    verdict.interrupted = is_stopped(control);
    return verdict;
}

}  // namespace tilewright
