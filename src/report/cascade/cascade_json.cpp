#include <nlohmann/json.hpp>

#include "report/cascade/cascade.hpp"
#include "report/cascade/sums.hpp"

namespace tilewright::report {
namespace {

using Json = nlohmann::ordered_json;

Json coordinates_json(const CascadeEinsum& one, const Access& access) {
    Json all = Json::array();
    for (const Coordinate& coordinate : access.coordinates) {
        Json terms = Json::array();
        for (const Term& term : coordinate.terms)
            terms.push_back({{"dimension", one.einsum.dimensions[static_cast<std::size_t>(term.dimension)].name},
                             {"coefficient", term.coefficient}});
        all.push_back({{"terms", std::move(terms)}, {"offset", coordinate.offset}});
    }
    return all;
}

Json accesses_json(const Cascade& cascade, const CascadeEinsum& one) {
    Json all = Json::array();
    for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
        const Access& access = one.accesses[operand];
        Json json{{"operand", one.einsum.tensors[operand].name},
                  {"tensor", cascade.tensors[static_cast<std::size_t>(access.tensor)].name},
                  {"written", one.einsum.tensors[operand].written}};
        if (access.anywhere)
            json["anywhere"] = true;
        else
            json["coordinates"] = coordinates_json(one, access);
        all.push_back(std::move(json));
    }
    return all;
}

Json einsum_json(const Cascade& cascade, int index) {
    const CascadeEinsum& one = cascade.einsums[static_cast<std::size_t>(index)];
    Json operations = Json::object();
    for (const auto& [operation, per_point] : one.operations) operations[std::string(to_text(operation))] = per_point;
    Json extents = Json::object();
    for (const Dimension& dimension : one.einsum.dimensions) extents[dimension.name] = dimension.extent;
    return {{"name", one.name},
            {"operator", one.op},
            {"kind", to_text(one.kind)},
            {"online", one.online},
            {"repeats", repeats_of(cascade, index)},
            {"einsum", to_text(one.einsum)},
            {"extents", std::move(extents)},
            {"operations_per_point", std::move(operations)},
            {"accesses", accesses_json(cascade, one)}};
}

Json uses_json(const Cascade& cascade, const std::vector<TensorUse>& uses) {
    Json all = Json::array();
    for (const TensorUse& use : uses) all.push_back(cascade.einsums[static_cast<std::size_t>(use.einsum)].name);
    return all;
}

Json tensor_json(const Cascade& cascade, const CascadeTensor& tensor) {
    const auto name = [&](int index) {
        return index < 0 ? Json(nullptr) : Json(cascade.tensors[static_cast<std::size_t>(index)].name);
    };
    return {{"name", tensor.name},
            {"role", to_text(tensor.role)},
            {"shape", tensor.shape},
            {"bits", tensor.bits},
            {"bytes", bytes_of(tensor)},
            {"writers", uses_json(cascade, tensor.writers)},
            {"readers", uses_json(cascade, tensor.readers)},
            {"carried_from", name(tensor.carried_from)},
            {"view_of", name(tensor.view_of)}};
}

}  // namespace

std::string cascade_json(const Cascade& cascade) {
    Json json{{"name", cascade.name}, {"word_bits", kShownWordBits}};
    for (int i = 0; i < cascade.einsum_count(); ++i) json["einsums"].push_back(einsum_json(cascade, i));
    for (const CascadeTensor& tensor : cascade.tensors) json["tensors"].push_back(tensor_json(cascade, tensor));
    json["roles"] = Json::object();
    for (const RoleSum& sum : sums_by_role(cascade))
        json["roles"][std::string(to_text(sum.role))] = {{"words", sum.words}, {"bytes", sum.bytes}};
    json["not_covered"] = Json::array();
    for (const NotCovered& rest : cascade.not_covered)
        json["not_covered"].push_back({{"name", rest.name},
                                       {"operator", rest.op},
                                       {"reason", rest.reason},
                                       {"bytes", rest.bytes},
                                       {"operations", rest.operations},
                                       {"computes", rest.computes}});
    return Json{{"schema", "tilewright-show/1"}, {"cascade", std::move(json)}}.dump(2) + "\n";
}

}  // namespace tilewright::report
