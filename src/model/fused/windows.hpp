// Between the iterations of an einsum and the words of a shared tensor, both ways, as boxes.
#pragma once

#include <optional>
#include <vector>

#include "model/fused/region.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fused {

/// One interval per dimension.
using Iterations = std::vector<Interval>;

/// All of them.
Iterations all_iterations(const Einsum& einsum);

std::vector<std::int64_t> extents_of(const Iterations& iterations);

/// The smallest box around the words of the tensor that the operand reaches; nothing: it reaches only padding. (A
/// stride may step over the border: what lies between the last word and the border is not in it.)
std::optional<Box> touched(const CascadeEinsum& einsum, int operand, const Iterations& iterations,
                           const CascadeTensor& tensor);

/// The same as if the tensor had no borders.
Box touched_without_borders(const CascadeEinsum& einsum, int operand, const Iterations& iterations,
                            const CascadeTensor& tensor);

/// The smallest box of iterations that makes all of these words: whole reductions. Requires says_its_iterations(). With
/// `borders` the words lie inside the tensor; else a dimension may leave its extent.
Iterations iterations_for(const CascadeEinsum& einsum, int operand, const Box& words, bool borders);

/// True when the box starts behind the beginning of a dimension that is summed over: others came before.
bool is_resumed(const CascadeEinsum& einsum, int operand, const Iterations& iterations);
/// True when the box reaches the end of every dimension that is summed over: no others come later.
bool is_finished(const CascadeEinsum& einsum, int operand, const Iterations& iterations);

}  // namespace tilewright::fused
