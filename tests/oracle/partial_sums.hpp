// The judge of model/exact/partial_sums.hpp: goes through every multiply-accumulate of a small nest and notes under
// which instance of each memory it is done. Shares nothing with what it judges.
#pragma once

#include <vector>

#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::oracle {

/// By memory and tensor: words of a result of which all contributions are made under one instance of the memory, so
/// that the last of them makes the word final there. Meaningful where the memory keeps the tensor.
std::vector<std::vector<double>> words_finished_under_one(const Einsum& einsum, const Mapping& mapping, int memories);

}  // namespace tilewright::oracle
