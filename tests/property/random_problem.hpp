// Random mapping problems small enough to try every mapping: layer, machine, constraints, objective.
#pragma once

#include <cstdint>
#include <string>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "model/objective.hpp"
#include "workload/einsum.hpp"

namespace tilewright::property {

struct Problem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;
    Objective objective;
};

/// Two to five memories with up to two fan-outs, capacities that bind, energies per block and cluster, leakage, wires
/// and bandwidths in some, constraints in some.
Problem random_problem(std::uint64_t seed, std::int64_t operations);

/// Gives the wires below every memory a price.
void make_wires_cost(std::uint64_t seed, Architecture& architecture);

/// Gives the words below some memories priced passages, of some tensors.
void add_passages(std::uint64_t seed, const Einsum& einsum, Architecture& architecture);

/// Writes of one memory stop the units, in half of the machines.
void add_stalls(std::uint64_t seed, Architecture& architecture);

/// Aligns tiles in memories of limited size, buffers some tensors, reserves words. Those still hold their words or
/// more.
void add_rooms(std::uint64_t seed, const Einsum& einsum, Architecture& architecture);

/// Takes all constraints away (but often that everything starts in the outermost memory), and gives the machine a
/// second fan-out directly inside another one, as the columns and rows of a mesh are.
void make_free(std::uint64_t seed, Problem& problem);

std::string to_text(const Problem& problem);

}  // namespace tilewright::property
