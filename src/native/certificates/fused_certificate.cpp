#include "native/certificates/fused_certificate.hpp"

#include <algorithm>
#include <array>

#include "base/numbers/checked.hpp"
#include "mapping/fused/text.hpp"
#include "native/problem.hpp"
#include "native/problem_json.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::native {
namespace {

constexpr std::array kRoles = {TensorRole::input, TensorRole::weight, TensorRole::cache, TensorRole::intermediate,
                               TensorRole::output};
constexpr std::array kKinds = {EinsumKind::contraction, EinsumKind::elementwise, EinsumKind::pooling,
                               EinsumKind::statistics, EinsumKind::copy};

template <typename Enums>
auto named_one_of(const yaml::Node& node, const Enums& enums) {
    std::vector<std::string> names;
    for (const auto one : enums) {
        names.emplace_back(to_text(one));
        if (names.back() == node.text()) return one;
    }
    node.fail(ErrorCode::bad_value, "expected one of " + list_words(names) + ", found '" + node.text() + "'");
}

Json name_or_null(const Cascade& cascade, int tensor) {
    return tensor < 0 ? Json(nullptr) : Json(cascade.tensors[tensor].name);
}

int tensor_named(const yaml::Node& node, const Cascade& cascade) {
    const int tensor = find_tensor(cascade, node.text());
    if (tensor < 0) node.fail(ErrorCode::unknown_tensor, "there is no tensor '" + node.text() + "'");
    return tensor;
}

Json json_of_access(const Access& access, const Cascade& cascade, const Einsum& einsum) {
    Json json;
    json["tensor"] = cascade.tensors[access.tensor].name;
    json["anywhere"] = access.anywhere;
    json["coordinates"] = Json::array();
    for (const Coordinate& coordinate : access.coordinates) {
        Json terms = Json::array();
        for (const Term& term : coordinate.terms)
            terms.push_back({einsum.dimensions[term.dimension].name, term.coefficient});
        json["coordinates"].push_back({{"offset", coordinate.offset}, {"terms", terms}});
    }
    return json;
}

Access access_of(const yaml::Node& node, const Cascade& cascade, const Einsum& einsum) {
    node.expect_keys({"tensor", "anywhere", "coordinates"});
    Access access{tensor_named(node.at("tensor"), cascade)};
    Reader::read(node.at("anywhere"), access.anywhere);
    for (const yaml::Node& one : list_of(node.at("coordinates"))) {
        one.expect_keys({"offset", "terms"});
        Coordinate& coordinate = access.coordinates.emplace_back();
        coordinate.offset = one.at("offset").integer();
        for (const yaml::Node& term : list_of(one.at("terms"))) {
            if (list_of(term).size() != 2) term.fail(ErrorCode::bad_value, "expected a dimension and a number");
            const int dimension = find_dimension(einsum, term.items()[0].text());
            if (dimension < 0)
                term.fail(ErrorCode::unknown_name, "there is no dimension '" + term.items()[0].text() + "'");
            coordinate.terms.push_back({dimension, term.items()[1].integer()});
        }
    }
    return access;
}

CascadeEinsum einsum_in(const yaml::Node& node, const Cascade& cascade) {
    node.expect_keys({"name", "kind", "online", "einsum", "accesses"});
    CascadeEinsum one{.name = node.at("name").text(), .op = "", .einsum = einsum_of(node.at("einsum"))};
    one.kind = named_one_of(node.at("kind"), kKinds);
    Reader::read(node.at("online"), one.online);
    for (const yaml::Node& access : list_of(node.at("accesses")))
        one.accesses.push_back(access_of(access, cascade, one.einsum));
    return one;
}

void read_tensors(const yaml::Node& list, CascadeBuilder& builder) {
    for (const yaml::Node& node : list_of(list)) {
        node.expect_keys({"name", "role", "shape", "bits", "carried_from", "view_of"});
        std::vector<std::int64_t> shape;
        std::int64_t bits = 0;
        Reader::read(node.at("shape"), shape);
        Reader::read(node.at("bits"), bits);
        builder.tensor(node.at("name").text(), named_one_of(node.at("role"), kRoles), shape, bits);
    }
}

void read_blocks(const yaml::Node& list, Cascade& cascade) {
    for (const yaml::Node& node : list_of(list)) {
        node.expect_keys({"name", "first", "end", "count"});
        Block block{node.at("name").text()};
        const std::int64_t first = node.at("first").integer();
        const std::int64_t end = node.at("end").integer();
        block.count = node.at("count").positive();
        if (first < 0 || first >= end || end > cascade.einsum_count())
            node.fail(ErrorCode::bad_value, "expected first < end, and end at most the number of einsums");
        block.first = static_cast<int>(first);
        block.end = static_cast<int>(end);
        cascade.blocks.push_back(std::move(block));
    }
}

Json network_json(const Cascade& cascade) {
    Json json;
    json["name"] = cascade.name;
    json["tensors"] = Json::array();
    for (const CascadeTensor& tensor : cascade.tensors)
        json["tensors"].push_back({{"name", tensor.name},
                                   {"role", to_text(tensor.role)},
                                   {"shape", tensor.shape},
                                   {"bits", tensor.bits},
                                   {"carried_from", name_or_null(cascade, tensor.carried_from)},
                                   {"view_of", name_or_null(cascade, tensor.view_of)}});
    json["einsums"] = Json::array();
    for (const CascadeEinsum& one : cascade.einsums) {
        Json accesses = Json::array();
        for (const Access& access : one.accesses) accesses.push_back(json_of_access(access, cascade, one.einsum));
        json["einsums"].push_back({{"name", one.name},
                                   {"kind", to_text(one.kind)},
                                   {"online", one.online},
                                   {"einsum", native::json_of(one.einsum)},
                                   {"accesses", accesses}});
    }
    json["blocks"] = Json::array();
    for (const Block& block : cascade.blocks)
        json["blocks"].push_back(
            {{"name", block.name}, {"first", block.first}, {"end", block.end}, {"count", block.count}});
    return json;
}

// Sound, as problem_with(cascade) says.
Cascade cascade_of(const yaml::Node& node) {
    node.expect_keys({"name", "tensors", "einsums", "blocks"});
    CascadeBuilder builder(node.at("name").text());
    read_tensors(node.at("tensors"), builder);
    for (const yaml::Node& one : list_of(node.at("einsums"))) builder.einsum(einsum_in(one, builder.so_far()));
    Cascade cascade = builder.so_far();
    const std::vector<yaml::Node>& tensors = node.at("tensors").items();
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        const yaml::Node& carried = tensors[t].at("carried_from");
        const yaml::Node& view = tensors[t].at("view_of");
        if (!yaml::is_absent(&carried)) cascade.tensors[t].carried_from = tensor_named(carried, cascade);
        if (!yaml::is_absent(&view)) cascade.tensors[t].view_of = tensor_named(view, cascade);
    }
    read_blocks(node.at("blocks"), cascade);
    if (cascade.einsums.empty()) node.at("einsums").fail(ErrorCode::bad_value, "expected at least one einsum");
    if (const std::string problem = problem_with(cascade); !problem.empty()) node.fail(ErrorCode::bad_value, problem);
    return cascade;
}

using FusedClaim = certificate::fused_proof::Claim;

constexpr const char* kFusedCertificateSchema = "tilewright-fused-certificate/1";
constexpr const char* kSpaceInWords = "all fused mappings that docs/fusion.md lists under The space";

constexpr const char* kProduct = "edp";

Json mapping_lines(const std::string& text) {
    Json lines = Json::array();
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

Json unsealed_of(const FusedCertificate& certificate) {
    const FusedClaim& claim = certificate.claim;
    Json json;
    json["schema"] = kFusedCertificateSchema;
    json["tool"] = {{"name", "tilewright"}, {"version", certificate.tool_version}};
    json["model"] = certificate.model_version;
    json["objective"] = claim.objective;
    json["space"] = kSpaceInWords;
    json["value"] = claim.value;
    if (claim.bound != claim.value) json["bound"] = claim.bound;
    if (claim.objective != kProduct) json["duals"] = claim.duals;
    for (const certificate::fused_proof::Line& line : claim.lines)
        json["lines"].push_back({{"energy", line.energy}, {"cycles", line.cycles}, {"duals", line.duals}});
    json["mapping"] = mapping_lines(to_text(claim.mapping, claim.cascade, claim.machine));
    json["machine"] = native::json_of(claim.machine);
    json["network"] = network_json(claim.cascade);
    return json;
}

void expect_text(const yaml::Node& node, const std::string& text) {
    if (node.text() != text) node.fail(ErrorCode::bad_value, "expected '" + text + "', found '" + node.text() + "'");
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
    std::string text;
    for (const yaml::Node& line : list_of(list)) text += line.text() + "\n";
    try {
        return parse_fused_mapping(text, cascade, machine, "mapping").mapping;
    } catch (const InputError& error) {
        const auto line = static_cast<std::size_t>(std::max<std::int64_t>(1, error.where().line)) - 1;
        const yaml::Node& at = line < list.items().size() ? list.items()[line] : list;
        at.fail(error.code(), error.message());
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
    expect_text(root.at("schema"), kFusedCertificateSchema);
    expect_text(root.at("space"), kSpaceInWords);
    root.at("tool").expect_keys({"name", "version"});
    expect_text(root.at("tool").at("name"), "tilewright");
    FusedCertificateFile file;
    FusedCertificate& certificate = file.certificate;
    certificate.tool_version = root.at("tool").at("version").text();
    certificate.model_version = model_version_of(root);
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

std::string difference(const Cascade& cascade, const Cascade& other) {
    if (network_json(cascade) == network_json(other)) return "";
    const std::size_t count = std::min(cascade.einsums.size(), other.einsums.size());
    for (std::size_t e = 0; e < count; ++e)
        if (cascade.einsums[e].name != other.einsums[e].name)
            return "einsum " + std::to_string(e + 1) + " is '" + cascade.einsums[e].name + "', not '" +
                   other.einsums[e].name + "'";
    if (cascade.einsums.size() != other.einsums.size())
        return std::to_string(cascade.einsums.size()) + " einsums, not " + std::to_string(other.einsums.size());
    for (std::size_t e = 0; e < count; ++e)
        if (const std::string different = difference(cascade.einsums[e].einsum, other.einsums[e].einsum);
            !different.empty())
            return "'" + cascade.einsums[e].name + "': " + different;
    return "tensors, blocks, kinds of einsums or the words that operands stand for differ";
}

}  // namespace tilewright::native
