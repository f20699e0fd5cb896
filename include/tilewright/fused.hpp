// SPDX-License-Identifier: Apache-2.0
// map_fused(): the best fused mapping of a cascade, proven where that is said.
//
//     const Cascade layers = parse_cascade("B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", extents, "two");
//     const report::FusionReport found = map_fused(layers, Machine::named("fused-npu"), {.threads = 1});
//     if (!found.mapping.empty()) std::cout << report::fusion_text(found);
//
// Equal problems and options give equal answers on any number of threads, but for a time limit and a stop. Thread-safe:
// values in, values out. Throws InputError(usage) for what fusion does not search (docs/fusion.md).
#pragma once

#include "report/fused/fusion_report.hpp"
#include "run/fused/map_cascade.hpp"
#include "workload/cascade/text.hpp"
#include "workload/zoo/cascades.hpp"
