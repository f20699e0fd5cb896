// Random small layers with random dataflows: legal ones, and ones that repeat, skip or exceed.
#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "dataflow/problem.hpp"

namespace tilewright::property {

struct RandomDataflow {
    dataflow::Layer layer;
    dataflow::Problem problem;
    dataflow::Dataflow flow;
    dataflow::LevelsResult levels;
    dataflow::Hardware hardware;
};

/// The same seed gives the same dataflow.
RandomDataflow random_dataflow(std::uint64_t seed);

/// Layer, levels and hardware, for a person.
std::string to_text(const RandomDataflow& random);

}  // namespace tilewright::property
