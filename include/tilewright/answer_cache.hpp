// SPDX-License-Identifier: Apache-2.0
// AnswerCache: what was found before, in memory and on disk, for as many runs, threads and processes as there are.
//
//     AnswerCache cache({.directory = "/tmp/answers"});
//     const NetworkAnswer answer = map_network(problem, options, {.cache = &cache});
//     std::cout << cache.found() << " answers were known\n";
//
// Thread-safe. Answers do not depend on what a cache holds. A disk that cannot be written is told to Options::warn,
// once, and the search goes on.
#pragma once

#include "run/answer_cache.hpp"
