#include "native/certificates/cascade_json.hpp"

#include <algorithm>
#include <array>

#include "native/problem.hpp"
#include "workload/cascade/builder.hpp"

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

}  // namespace

Json json_of(const Cascade& cascade) {
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

std::string difference(const Cascade& cascade, const Cascade& other) {
    if (json_of(cascade) == json_of(other)) return "";
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
