// SPDX-License-Identifier: Apache-2.0
// Objective: what a search minimises: energy, latency, their product, a weighted product, or the Pareto front of both.
//
//     const Objective ed2p = parse_objective("energy*latency^2").value();
//     const double value = ed2p.score(energy_pj, cycles).value;      // pJ * cycles^2
//
// Thread-safe: values and pure functions.
#pragma once

#include "model/objective.hpp"
