// Plans as text, both ways.
//
//     run p by 2                                     # steps of two rows of the last result
//       stage conv1 on 0..3 split k/2 p/2            # core 0: k 0, p 0; core 1: k 0, p 1; ...
//       stage conv2 on 4..5 split c/2 sums scatter k stream W2
//
//     run   := "run" DIMENSION "by" SIZE             of the last stage's einsum
//     stage := "stage" EINSUM "on" cores ["split" {DIMENSION "/" PARTS}] ["sums" ("root" | ("scatter" | "ring")
//     DIMENSION)]
//              ["stream" TENSOR {"," TENSOR}]        cores := (N | N ".." N) {"," ...}
//
// Runs and stages stand in the order of the cascade. "#" begins a comment. Names with blanks, commas or "#" stand in
// double quotes.
#pragma once

#include <string>
#include <string_view>

#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::package {

/// Operand of `einsum` that is its result, and the result's dimensions by axis; -1 where there is none such.
int result_operand(const CascadeEinsum& einsum);
/// Dimension of the einsum along each axis of its result; -1: no single one.
std::vector<int> result_dimensions(const CascadeEinsum& einsum);

std::string to_text(const Plan& plan, const Cascade& cascade);

/// Throws InputError at its place: syntax; unknown_name for einsums, dimensions and tensors with the nearest name;
/// bad_value for stages out of order, a core that there is not, steps along no axis of the result. `file`: for places.
Plan parse_plan(std::string_view text, const Cascade& cascade, int core_count, const std::string& file = "<text>");

}  // namespace tilewright::package
