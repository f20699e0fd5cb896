// The JSON of `tilewright show` for a cascade, field by field (yaml/archive.hpp). Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/cascade/cascade.hpp"
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

}  // namespace tilewright::document
