// SPDX-License-Identifier: Apache-2.0
// MapOptions: mapper, objective, factor rule and budget of a search. The defaults are those of `tilewright map`.
//
//     MapOptions options;
//     options.mapper = MapperKind::hybrid;
//     options.evaluations = 20'000;
//     if (const std::string problem = problem_with(options); !problem.empty()) std::cerr << problem << '\n';
//
// Thread-safe: values and pure functions.
#pragma once

#include "run/options.hpp"
