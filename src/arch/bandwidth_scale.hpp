// Memory::bandwidth_scale by tensor: by name, else for written tensors by the role Outputs.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Empty without an entry: 1.
std::optional<double> bandwidth_scale(const Tensor& tensor, const Memory& memory);

}  // namespace tilewright
