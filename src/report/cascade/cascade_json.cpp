#include "report/cascade/cascade.hpp"
#include "report/cascade/document.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

using document::ShownAccess;
using document::ShownCoordinate;
using document::ShownEinsum;
using document::ShownTensor;

std::vector<ShownCoordinate> coordinates_of(const CascadeEinsum& one, const Access& access) {
    std::vector<ShownCoordinate> all;
    for (const Coordinate& coordinate : access.coordinates) {
        all.push_back({{}, coordinate.offset});
        for (const Term& term : coordinate.terms)
            all.back().terms.push_back({one.einsum.dimensions[term.dimension].name, term.coefficient});
    }
    return all;
}

ShownEinsum einsum_of(const Cascade& cascade, int index) {
    const CascadeEinsum& one = cascade.einsums[index];
    ShownEinsum shown{one.name,
                      one.op,
                      std::string(to_text(one.kind)),
                      one.online,
                      repeats_of(cascade, index),
                      to_text(one.einsum),
                      {},
                      {},
                      {}};
    for (const Dimension& dimension : one.einsum.dimensions)
        shown.extents.emplace_back(dimension.name, dimension.extent);
    for (const auto& [operation, per_point] : one.operations)
        shown.operations_per_point.emplace_back(to_text(operation), per_point);
    for (std::size_t operand = 0; operand < one.accesses.size(); ++operand) {
        const Access& access = one.accesses[operand];
        const Tensor& tensor = one.einsum.tensors[operand];
        shown.accesses.push_back({tensor.name, cascade.tensors[access.tensor].name, tensor.written, access.anywhere,
                                  coordinates_of(one, access)});
    }
    return shown;
}

std::vector<std::string> names_of(const Cascade& cascade, const std::vector<TensorUse>& uses) {
    std::vector<std::string> all;
    for (const TensorUse& use : uses) all.push_back(cascade.einsums[use.einsum].name);
    return all;
}

ShownTensor tensor_of(const Cascade& cascade, const CascadeTensor& tensor) {
    const auto name = [&](int index) { return index < 0 ? std::nullopt : std::optional(cascade.tensors[index].name); };
    return {tensor.name,
            std::string(to_text(tensor.role)),
            tensor.shape,
            tensor.bits,
            bytes_of(tensor),
            names_of(cascade, tensor.writers),
            names_of(cascade, tensor.readers),
            name(tensor.carried_from),
            name(tensor.view_of)};
}

}  // namespace

std::string cascade_json(const Cascade& cascade) {
    document::ShownCascade shown{cascade.name, kShownWordBits, {}, {}, {}, cascade.not_covered};
    for (int i = 0; i < cascade.einsum_count(); ++i) shown.einsums.push_back(einsum_of(cascade, i));
    for (const CascadeTensor& tensor : cascade.tensors) shown.tensors.push_back(tensor_of(cascade, tensor));
    for (const RoleSum& sum : sums_by_role(cascade)) shown.roles.emplace_back(to_text(sum.role), sum);
    return dumped(yaml::Writer::write(document::ShownCascadeFile{std::move(shown)}));
}

}  // namespace tilewright::report
