// ZigZag's equations and relations as text: "O[b][k][oy]+=W[k][c]*I[b][c][iy]" and "iy=2*oy+1*fy".
#pragma once

#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::zigzag {

struct EquationOperand {
    std::string name;
    std::vector<std::string> axes;  ///< in upper case
};

/// The result first. Throws InputError at `node`.
std::vector<EquationOperand> parse_equation(const yaml::Node& node);

/// name = first_step * first + second_step * second; absent steps are 1.
struct Relation {
    std::string name;
    std::int64_t first_step = 1;
    std::string first;
    std::int64_t second_step = 1;
    std::string second;
};

/// Throws InputError at `node`.
Relation parse_relation(const yaml::Node& node);

}  // namespace tilewright::zigzag
