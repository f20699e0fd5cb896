// Random small layers with random dataflows: legal ones, and ones that repeat, skip or exceed.
#pragma once

#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::property {

struct RandomDataflow {
    dataflow::Layer layer;
    dataflow::CompleteLayer problem;
    dataflow::Dataflow flow;
    dataflow::LevelsResult levels;
    dataflow::Hardware hardware;
};

/// The same seed gives the same dataflow.
RandomDataflow random_dataflow(std::uint64_t seed);

/// True where the definitions of reuse of dataflows and mappings part: the model of mappings sends all of a tile that
/// moved in several directions, and shares among neighbours only what is identical, no halos (docs/model.md, rules 2
/// and 3).
bool definitions_differ(const dataflow::Level& top);

/// Layer, levels and hardware, for a person.
std::string to_text(const RandomDataflow& random);

}  // namespace tilewright::property
