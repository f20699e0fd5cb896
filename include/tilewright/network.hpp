// SPDX-License-Identifier: Apache-2.0
// Network: the layers of a model that are mapped, those that are not, and networks by name.
//
//     const Network network = zoo_network("bert-base", {{"sequence", 128}});
//     for (const DistinctLayer& shape : distinct_layers(network)) std::cout << shape.repeats << '\n';
//
// Thread-safe: values and pure functions. zoo_network() throws InputError(unknown_name) with the nearest name.
#pragma once

#include "workload/network.hpp"
#include "workload/zoo/zoo.hpp"
