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
    Layer layer;                                                ///< derived; default links: O to O, W to I2, I to I1
    std::vector<std::pair<std::string, std::int64_t>> sources;  ///< operand and its source layer's id
};

/// `root`: a parsed sequence of layers. Throws InputError; OverflowError for an uncountably large layer.
std::vector<WorkloadLayer> read_workload(const yaml::Node& root);

/// True for a file resembling a ZigZag workload, sound or not.
bool is_workload(const yaml::Node& root);

}  // namespace tilewright::zigzag
