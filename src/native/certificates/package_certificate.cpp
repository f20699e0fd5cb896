#include "native/certificates/package_certificate.hpp"

#include <algorithm>

#include "native/certificates/cascade_json.hpp"
#include "native/certificates/claim_json.hpp"
#include "native/certificates/frame.hpp"
#include "native/certificates/package_json.hpp"
#include "package/plan_text.hpp"

namespace tilewright::native {
namespace {

using PackageClaim = certificate::package_proof::Claim;
using certificate::package_proof::Leaf;

constexpr const char* kSchema = "tilewright-package-certificate/1";
constexpr const char* kSpace = "all plans that docs/packages-of-cores.md lists under The search";

Json unsealed_of(const PackageCertificate& certificate) {
    const PackageClaim& claim = certificate.claim;
    Json json = frame_of(kSchema, certificate.tool_version, certificate.model_version);
    json["objective"] = claim.objective;
    json["space"] = kSpace;
    json["value"] = claim.value;
    if (claim.bound != claim.value) json["bound"] = claim.bound;
    json["potentials"] = claim.potentials;
    json["plan"] = lines_of(package::to_text(claim.plan, claim.cascade));
    json["leaves"] = Json::array();
    for (const Leaf& leaf : claim.leaves) {
        const package::CoreKind& kind = claim.package.kinds[leaf.kind];
        json["leaves"].push_back({{"einsum", claim.cascade.einsums[leaf.einsum].name},
                                  {"kind", kind.name},
                                  {"claim", native::json_of(leaf.claim, *kind.architecture)}});
    }
    json["package"] = native::json_of(claim.package);
    json["network"] = native::json_of(claim.cascade);
    return json;
}

// The place of a line of the plan is its text's place in the document.
package::Plan plan_in(const yaml::Node& list, const PackageClaim& claim) {
    const std::string text = text_of_lines(list);
    try {
        return package::parse_plan(text, claim.cascade, claim.package.core_count(), "plan");
    } catch (const InputError& error) {
        fail_at_line(list, error);
    }
}

template <typename Named>
int number_of(const yaml::Node& node, const std::vector<Named>& all) {
    const auto found = std::ranges::find(all, node.text(), &Named::name);
    if (found == all.end()) node.fail(ErrorCode::unknown_name, "there is no '" + node.text() + "'");
    return static_cast<int>(found - all.begin());
}

Leaf leaf_of(const yaml::Node& node, const PackageClaim& claim) {
    node.expect_keys({"einsum", "kind", "claim"});
    Leaf leaf;
    leaf.einsum = number_of(node.at("einsum"), claim.cascade.einsums);
    leaf.kind = number_of(node.at("kind"), claim.package.kinds);
    const package::CoreKind& kind = claim.package.kinds[leaf.kind];
    if (!kind.architecture)
        node.at("kind").fail(ErrorCode::bad_value, "cores of lanes have no leaves to claim: expected one of a machine");
    leaf.claim = claim_of(node.at("claim"), *kind.architecture);
    return leaf;
}

}  // namespace

std::string write_package_certificate(const PackageCertificate& certificate) {
    return sealed_text(unsealed_of(certificate));
}

PackageCertificateFile read_package_certificate(const yaml::Node& root) {
    root.expect_keys({"schema", "tool", "model", "objective", "space", "value", "bound", "potentials", "plan", "leaves",
                      "package", "network", "seal"});
    PackageCertificateFile file;
    read_frame(root, kSchema, file.certificate.tool_version, file.certificate.model_version);
    expect_text(root.at("space"), kSpace);
    PackageClaim& claim = file.certificate.claim;
    claim.objective = root.at("objective").text();
    Reader::read(root.at("value"), claim.value);
    claim.bound = claim.value;  // of the best one
    if (const yaml::Node* bound = root.find("bound")) Reader::read(*bound, claim.bound);
    Reader::read(root.at("potentials"), claim.potentials);
    claim.package = package_of(root.at("package"));
    claim.cascade = cascade_of(root.at("network"));
    claim.plan = plan_in(root.at("plan"), claim);
    for (const yaml::Node& leaf : list_of(root.at("leaves"))) claim.leaves.push_back(leaf_of(leaf, claim));
    file.seal_holds = seal_holds(root, unsealed_of(file.certificate));
    constexpr int kDownToClaims = 7;  // leaves.2.claim.answers.0.mapping
    note_places(root, "", kDownToClaims, file.places);
    return file;
}

}  // namespace tilewright::native
