// What `tilewright show` says of a cascade as JSON, field by field (yaml/archive.hpp). Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/cascade/sums.hpp"
#include "yaml/archive.hpp"

namespace tilewright::document {

struct ShownTerm {
    std::string dimension;
    std::int64_t coefficient = 1;
};
struct ShownCoordinate {
    std::vector<ShownTerm> terms;
    std::int64_t offset = 0;
};
struct ShownAccess {
    std::string operand;
    std::string tensor;
    bool written = false;
    bool anywhere = false;
    std::vector<ShownCoordinate> coordinates;
};
struct ShownEinsum {
    std::string name;
    std::string op;
    std::string kind;
    bool online = false;
    std::int64_t repeats = 1;
    std::string einsum;
    yaml::Entries<std::int64_t> extents;
    yaml::Entries<std::int64_t> operations_per_point;
    std::vector<ShownAccess> accesses;
};
struct ShownTensor {
    std::string name;
    std::string role;
    std::vector<std::int64_t> shape;
    std::int64_t bits = 0;
    std::int64_t bytes = 0;
    std::vector<std::string> writers;
    std::vector<std::string> readers;
    std::optional<std::string> carried_from;
    std::optional<std::string> view_of;
};
struct ShownCascade {
    std::string name;
    std::int64_t word_bits = 0;
    std::vector<ShownEinsum> einsums;
    std::vector<ShownTensor> tensors;
    yaml::Entries<report::RoleSum> roles;
    std::vector<NotCovered> not_covered;
};
struct ShownCascadeFile {
    ShownCascade cascade;
};

template <typename Archive, yaml::Of<ShownTerm> T>
void fields(Archive& archive, T& term) {
    archive("dimension", term.dimension);
    archive("coefficient", yaml::Signed{term.coefficient});
}

template <typename Archive, yaml::Of<ShownCoordinate> T>
void fields(Archive& archive, T& coordinate) {
    archive.name("Coordinate", "Along one axis of the tensor: the sum of the terms and the offset.");
    archive("terms", coordinate.terms);
    archive("offset", yaml::Signed{coordinate.offset});
}

template <typename Archive, yaml::Of<ShownAccess> T>
void fields(Archive& archive, T& access) {
    archive.name("Access");
    archive("operand", access.operand, "of the einsum");
    archive("tensor", access.tensor, "of the cascade");
    archive("written", access.written);
    archive.where(access.anywhere, "anywhere", access.anywhere, "any step may need any word");
    archive.where(!access.anywhere, "coordinates", access.coordinates, "by axis of the tensor");
}

template <typename Archive, yaml::Of<ShownEinsum> T>
void fields(Archive& archive, T& einsum) {
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

template <typename Archive, yaml::Of<ShownTensor> T>
void fields(Archive& archive, T& tensor) {
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

template <typename Archive, yaml::Of<ShownCascade> T>
void fields(Archive& archive, T& cascade) {
    archive.name("Cascade");
    archive("name", cascade.name);
    archive("word_bits", cascade.word_bits, "of the words of tensors that do not say");
    archive("einsums", cascade.einsums, "in the order in which they run");
    archive("tensors", cascade.tensors);
    archive("roles", cascade.roles, "sums by role, everything as often as it runs");
    archive("not_covered", cascade.not_covered, "operators of the model that are no einsums");
}

template <typename Archive, yaml::Of<ShownCascadeFile> T>
void fields(Archive& archive, T& file) {
    archive.constant("schema", "tilewright-show/1");
    archive("cascade", file.cascade, "a network as one workload");
}

}  // namespace tilewright::document

namespace tilewright::report {

template <typename Archive, yaml::Of<RoleSum> T>
void fields(Archive& archive, T& sum) {
    archive.name("RoleSum");
    archive("words", sum.words);
    archive("bytes", sum.bytes);
}

}  // namespace tilewright::report

namespace tilewright {

template <typename Archive, yaml::Of<NotCovered> T>
void fields(Archive& archive, T& rest) {
    archive.name("NotCovered");
    archive("name", rest.name);
    archive("operator", rest.op);
    archive("reason", rest.reason);
    archive("bytes", rest.bytes, "that it reads and writes");
    archive("operations", rest.operations);
    archive("computes", rest.computes);
}

}  // namespace tilewright
