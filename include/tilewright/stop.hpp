// SPDX-License-Identifier: Apache-2.0
// StopSource: how long work is told to stop, by a signal handler or another thread; the best so far is kept.
//
//     StopSource stop;
//     std::thread clock([&] { std::this_thread::sleep_for(10s); stop.request(); });
//     const LayerAnswer answer = map_layer(problem, options, {.stop = &stop});
//
// Thread-safe; request() may be called from a signal handler. A source stays stopped: make one for each run.
#pragma once

#include "base/stop.hpp"
