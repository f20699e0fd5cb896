// Memory::bandwidth_scale by tensor: by its name, else what is written by its role, Outputs.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Nothing where the memory says nothing of the tensor: 1.
std::optional<double> bandwidth_scale(const Tensor& tensor, const Memory& memory);

}  // namespace tilewright
