// An exploration file for `tilewright explore` (schemas/explore-1.schema.json):
//
//     arch: simba
//     net: alexnet
//     let: {size: 1k..4k*2}
//     set:
//       GlobalBuffer.depth: size
//       DRAM.read_bandwidth: [8, 16]
//     limits: [area_mm2<16]
//     pareto: [energy, area]
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// A text of the file with its place.
struct PlacedText {
    std::string text;
    Location where;
};

/// A knob or a variable with command-line values, "8,16".
struct PlacedKnob {
    std::string name;
    std::string values;
    Location where;
};

/// Missing parts are empty.
struct Exploration {
    std::string arch;
    std::vector<std::string> nets;
    std::vector<std::string> layers;
    std::vector<PlacedKnob> let;
    std::vector<PlacedKnob> set;
    std::vector<PlacedText> limits;
    std::string mapper;
    std::string objective;
    std::string factors;
    std::string dataflow;
    std::string cost;
    std::vector<std::string> pareto;
    std::string best;
    std::string store;
};

/// Throws InputError for unknown keys, values other than text or numbers, and empty ones.
Exploration read_exploration(const yaml::Node& root);

}  // namespace tilewright::native
