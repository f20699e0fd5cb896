#include "native/certificates/fused_certificate.hpp"

#include <algorithm>

#include "mapping/fused/text.hpp"
#include "native/certificates/cascade_json.hpp"
#include "native/certificates/frame.hpp"

namespace tilewright::native {
namespace {

using FusedClaim = certificate::fused_proof::Claim;

constexpr const char* kFusedCertificateSchema = "tilewright-fused-certificate/1";
constexpr const char* kSpaceInWords = "all fused mappings that docs/fusion.md lists under The space";

constexpr const char* kProduct = "edp";

Json unsealed_of(const FusedCertificate& certificate) {
    const FusedClaim& claim = certificate.claim;
    Json json = frame_of(kFusedCertificateSchema, certificate.tool_version, certificate.model_version);
    json["objective"] = claim.objective;
    json["space"] = kSpaceInWords;
    json["value"] = claim.value;
    if (claim.bound != claim.value) json["bound"] = claim.bound;
    if (claim.objective != kProduct) json["duals"] = claim.duals;
    for (const certificate::fused_proof::Line& line : claim.lines)
        json["lines"].push_back({{"energy", line.energy}, {"cycles", line.cycles}, {"duals", line.duals}});
    json["mapping"] = lines_of(to_text(claim.mapping, claim.cascade, claim.machine));
    json["machine"] = native::json_of(claim.machine);
    json["network"] = native::json_of(claim.cascade);
    return json;
}

void read_lines(const yaml::Node& list, std::vector<certificate::fused_proof::Line>& lines) {
    for (const yaml::Node& node : list_of(list)) {
        node.expect_keys({"energy", "cycles", "duals"});
        certificate::fused_proof::Line& line = lines.emplace_back();
        Reader::read(node.at("energy"), line.energy);
        Reader::read(node.at("cycles"), line.cycles);
        Reader::read(node.at("duals"), line.duals);
    }
}

// The place of a mapping line is its text's place in the document.
FusedMapping mapping_in(const yaml::Node& list, const Cascade& cascade, const Architecture& machine) {
    const std::string text = text_of_lines(list);
    try {
        return parse_fused_mapping(text, cascade, machine, "mapping").mapping;
    } catch (const InputError& error) {
        fail_at_line(list, error);
    }
}

}  // namespace

std::string write_fused_certificate(const FusedCertificate& certificate) {
    return sealed_text(unsealed_of(certificate));
}

FusedCertificateFile read_fused_certificate(const yaml::Node& root) {
    const bool is_product = root.at("objective").text() == kProduct;
    root.expect_keys({"schema", "tool", "model", "objective", "space", "value", "bound", is_product ? "lines" : "duals",
                      "mapping", "machine", "network", "seal"});
    FusedCertificateFile file;
    FusedCertificate& certificate = file.certificate;
    read_frame(root, kFusedCertificateSchema, certificate.tool_version, certificate.model_version);
    expect_text(root.at("space"), kSpaceInWords);
    FusedClaim& claim = certificate.claim;
    claim.objective = root.at("objective").text();
    Reader::read(root.at("value"), claim.value);
    claim.bound = claim.value;  // of the best one
    if (const yaml::Node* bound = root.find("bound")) Reader::read(*bound, claim.bound);
    if (is_product)
        read_lines(root.at("lines"), claim.lines);
    else
        Reader::read(root.at("duals"), claim.duals);
    claim.machine = architecture_of(root.at("machine"));
    claim.cascade = cascade_of(root.at("network"));
    claim.mapping = mapping_in(root.at("mapping"), claim.cascade, claim.machine);
    file.seal_holds = seal_holds(root, unsealed_of(certificate));
    constexpr int kDownToRanks = 7;  // network.einsums.2.einsum.tensors.0.ranks
    note_places(root, "", kDownToRanks, file.places);
    return file;
}

}  // namespace tilewright::native
