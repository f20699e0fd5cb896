#include "native/certificates/certificate.hpp"

#include <algorithm>
#include <set>

#include "native/certificates/claim_json.hpp"
#include "native/certificates/frame.hpp"

namespace tilewright::certificate {

// Found by the archives through the values' namespace.
void fields(yaml::Archive& archive, Outline& outline) {
    archive("assignments", outline.assignments);
    archive("digest", outline.digest);
    archive("reasons", outline.reasons);
}

}  // namespace tilewright::certificate

namespace tilewright::native {
namespace {

using certificate::Answer;
using certificate::Certificate;
using certificate::Claim;

constexpr const char* kCertificateSchema = "tilewright-certificate/2";

Json unsealed(const Certificate& certificate) {
    Json json = frame_of(kCertificateSchema, certificate.tool_version, certificate.model_version);
    json["network"] = certificate.network;
    json["unclaimed"] = Writer::write(certificate.unclaimed);
    json["mapping"] = certificate.mapping_hash;
    json["machine"] = native::json_of(certificate.machine);
    json["layers"] = Json::array();
    for (const Claim& claim : certificate.claims) json["layers"].push_back(native::json_of(claim, certificate.machine));
    return json;
}

// Of layers, with claims or without.
void refuse_double_names(const yaml::Node& root) {
    std::set<std::string> seen;
    const auto take = [&seen](const yaml::Node& name) {
        if (!seen.insert(name.text()).second)
            name.fail(ErrorCode::duplicate_key, "layer '" + name.text() + "' is named twice");
    };
    for (const yaml::Node& layer : root.at("layers").items())
        for (const yaml::Node& name : layer.at("names").items()) take(name);
    for (const yaml::Node& name : list_of(root.at("unclaimed"))) take(name);
}

}  // namespace

Json json_of(const Claim& claim, const Architecture& machine) {
    Json json;
    json["names"] = Writer::write(claim.names);
    json["einsum"] = native::json_of(claim.einsum);
    json["constraints"] = native::json_of(claim.constraints, claim.einsum);
    if (claim.zeros) json["zeros"] = native::json_of(*claim.zeros);
    json["space"] = {{"storage", claim.space.storage},
                     {"factors", claim.space.factors},
                     {"in_words", claim.space.in_words(claim.constraints)}};
    json["objective"] = claim.objective;
    json["answers"] = Json::array();
    for (const Answer& answer : claim.answers)
        json["answers"].push_back({{"energy_pj", answer.cost.energy_pj},
                                   {"cycles", answer.cost.cycles},
                                   {"mapping", native::json_of(answer.mapping, claim.einsum, machine)}});
    json["score"] = claim.score;
    json["bound"] = claim.bound;
    json["proof"] = Writer::write(claim.outline);
    return json;
}

Claim claim_of(const yaml::Node& node, const Architecture& machine) {
    node.expect_keys(
        {"names", "einsum", "constraints", "zeros", "space", "objective", "answers", "score", "bound", "proof"});
    Claim claim;
    Reader::read(node.at("names"), claim.names);
    if (claim.names.empty())
        node.at("names").fail(ErrorCode::bad_value, "expected the names of the layers, found none");
    claim.einsum = einsum_of(node.at("einsum"));
    claim.constraints = constraints_of(node.at("constraints"), claim.einsum, machine.memory_count());
    if (const yaml::Node* const zeros = node.find("zeros"))
        claim.zeros = design_of(*zeros, claim.einsum, machine.memory_count());
    const yaml::Node& space = node.at("space");
    space.expect_keys({"storage", "factors", "in_words"});
    claim.space = {space.at("storage").text(), space.at("factors").text()};
    const std::string words = claim.space.in_words(claim.constraints);
    if (space.at("in_words").text() != words)
        space.at("in_words").fail(ErrorCode::bad_value, "expected '" + words + "'");
    claim.objective = node.at("objective").text();
    for (const yaml::Node& item : list_of(node.at("answers"))) {
        item.expect_keys({"energy_pj", "cycles", "mapping"});
        Answer answer;
        Reader::read(item.at("energy_pj"), answer.cost.energy_pj);
        Reader::read(item.at("cycles"), answer.cost.cycles);
        answer.mapping = native::mapping_of(item.at("mapping"), claim.einsum, machine);
        claim.answers.push_back(std::move(answer));
    }
    Reader::read(node.at("score"), claim.score);
    Reader::read(node.at("bound"), claim.bound);
    Reader::read(node.at("proof"), claim.outline);
    return claim;
}

std::string write_certificate(const Certificate& certificate) { return sealed_text(unsealed(certificate)); }

CertificateFile read_certificate(const yaml::Node& root) {
    root.expect_keys({"schema", "tool", "model", "network", "unclaimed", "mapping", "machine", "layers", "seal"});
    CertificateFile file;
    Certificate& certificate = file.certificate;
    read_frame(root, kCertificateSchema, certificate.tool_version, certificate.model_version);
    certificate.network = root.at("network").text();
    Reader::read(root.at("unclaimed"), certificate.unclaimed);
    certificate.mapping_hash = root.at("mapping").text();
    certificate.machine = architecture_of(root.at("machine"));
    for (const yaml::Node& layer : list_of(root.at("layers")))
        certificate.claims.push_back(claim_of(layer, certificate.machine));
    if (certificate.claims.empty())
        root.at("layers").fail(ErrorCode::bad_value, "expected at least one layer, found none: nothing is claimed");
    refuse_double_names(root);
    file.seal_holds = seal_holds(root, unsealed(certificate));
    constexpr int kDownToMappings = 5;
    note_places(root, "", kDownToMappings, file.places);
    return file;
}

}  // namespace tilewright::native
