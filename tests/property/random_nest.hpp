// Random small nests: einsums of many kinds, machines of one to five memories, and every kind of even mapping.
#pragma once

#include <cstdint>

#include "nest.hpp"

namespace tilewright::property {

/// The nest of this seed, the same on every machine; of at most `operations` multiply-accumulates on at most 256 units.
Nest random_nest(std::uint64_t seed, std::int64_t operations);

/// The same, with remainders, and some tensor passes by memories over a fan-out. In every other one of them a vector is
/// multiplied, or several: their words rest while what is asked of them goes on.
Nest random_passing_nest(std::uint64_t seed, std::int64_t operations);

/// The nest of a seed without remainders and with the stores of each memory split and moved at random.
Nest random_uneven_nest(std::uint64_t seed, std::int64_t operations);

}  // namespace tilewright::property
