// SPDX-License-Identifier: Apache-2.0
// map_network(): every distinct layer of a network once, side by side on all threads.
//
//     const NetworkProblem problem = network_problem(network, machine);
//     const NetworkAnswer answer = map_network(problem);
//     if (const auto sum = totals(problem, answer)) std::cout << sum->energy_pj << " pJ\n";
//
// Thread-safe: any number of runs at once. Throws InputError(overflow) that names the layer that is too large.
#pragma once

#include "run/map_network.hpp"
