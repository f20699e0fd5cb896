#include <optional>
#include <string>
#include <vector>
#include "report/cascade/cascade.hpp"
#include "report/cascade/document.hpp"
#include "report/fields.hpp"

namespace tilewright::document {

void fields(yaml::Archive& archive, ShownTerm& term) {
    archive("dimension", term.dimension);
    archive("coefficient", yaml::Signed{term.coefficient});
}

void fields(yaml::Archive& archive, ShownCoordinate& coordinate) {
    archive.name("Coordinate", "Along one axis of the tensor: the sum of the terms and the offset.");
    archive("terms", coordinate.terms);
    archive("offset", yaml::Signed{coordinate.offset});
}

void fields(yaml::Archive& archive, ShownAccess& access) {
    archive.name("Access");
    archive("operand", access.operand, "of the einsum");
    archive("tensor", access.tensor, "of the cascade");
    archive("written", access.written);
    archive.where(access.anywhere, "anywhere", access.anywhere, "any step may need any word");
    archive.where(!access.anywhere, "coordinates", access.coordinates, "by axis of the tensor");
}

void fields(yaml::Archive& archive, ShownEinsum& einsum) {
    archive.name("CascadeEinsum");
    archive("name", einsum.name);
    archive("operator", einsum.op, "that it came from");
    archive("kind", einsum.kind, "\"contraction\", \"elementwise\", \"pooling\", \"statistics\", \"copy\"");
    archive("online", einsum.online, "its statistics may be read unfinished");
    archive("repeats", einsum.repeats);
    archive("einsum", einsum.einsum);
    archive("extents", einsum.extents, "by dimension");
    archive("operations_per_point", einsum.operations_per_point, "by class of operations");
    archive("accesses", einsum.accesses);
}

void fields(yaml::Archive& archive, ShownTensor& tensor) {
    archive.name("CascadeTensor");
    archive("name", tensor.name);
    archive("role", tensor.role, "\"input\", \"weight\", \"cache\", \"intermediate\", \"output\"");
    archive("shape", tensor.shape, "words along each axis");
    archive("bits", tensor.bits, "of a word; 0: as many as the words of each memory have");
    archive("bytes", tensor.bytes, "with word_bits where bits is 0");
    archive("writers", tensor.writers, "einsums");
    archive("readers", tensor.readers);
    archive("carried_from", tensor.carried_from, "the tensor that the repeat before made as it");
    archive("view_of", tensor.view_of);
}

void fields(yaml::Archive& archive, ShownCascade& cascade) {
    archive.name("Cascade");
    archive("name", cascade.name);
    archive("word_bits", cascade.word_bits, "of the words of tensors that do not say");
    archive("einsums", cascade.einsums, "in the order in which they run");
    archive("tensors", cascade.tensors);
    archive("roles", cascade.roles, "sums by role, everything as often as it runs");
    archive("not_covered", cascade.not_covered, "operators of the model that are no einsums");
}

void fields(yaml::Archive& archive, ShownCascadeFile& file) {
    archive.constant("schema", "tilewright-show/1");
    archive("cascade", file.cascade, "a network as one workload");
}

}  // namespace tilewright::document

namespace tilewright::report {

void fields(yaml::Archive& archive, RoleSum& sum) {
    archive.name("RoleSum");
    archive("words", sum.words);
    archive("bytes", sum.bytes);
}

}  // namespace tilewright::report

namespace tilewright {

void fields(yaml::Archive& archive, NotCovered& rest) {
    archive.name("NotCovered");
    archive("name", rest.name);
    archive("operator", rest.op);
    archive("reason", rest.reason);
    archive("bytes", rest.bytes, "that it reads and writes");
    archive("operations", rest.operations);
    archive("computes", rest.computes);
}

}  // namespace tilewright

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
    return dumped(yaml::place_of(document::ShownCascadeFile{std::move(shown)}));
}

}  // namespace tilewright::report
