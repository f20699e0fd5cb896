// Reads ZigZag workloads in equation form.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yaml/node.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

struct WorkloadLayer {
    std::int64_t id = 0;
    Layer layer;  ///< derived; the operands are linked as usual: O to O, W to I2, I to I1
    std::vector<std::pair<std::string, std::int64_t>> sources;  ///< operand and the id of the layer it comes from
};

/// `root` is a parsed file: a sequence of layers. Throws InputError; OverflowError for a layer too large to count.
std::vector<WorkloadLayer> read_workload(const yaml::Node& root);

/// True for a file that looks like a ZigZag workload, sound or not.
bool is_workload(const yaml::Node& root);

}  // namespace tilewright::zigzag
