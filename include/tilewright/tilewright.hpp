// SPDX-License-Identifier: Apache-2.0
// All of Tilewright's library: the other headers of this folder. docs/library.md has a worked example.
//
//     #include <tilewright/tilewright.hpp>
//
//     using namespace tilewright;
//     const LayerAnswer answer = map_layer(layer_problem(conv2d(64, 64, 56, 3), Machine::named("eyeriss")));
//
// What lies beside this folder in tilewright/parts/ is included by these headers and by no others: names and places
// there may change. Thread-safety is said header by header; in short, values and pure functions.
#pragma once

#include "tilewright/answer_cache.hpp"
#include "tilewright/architecture.hpp"
#include "tilewright/certificate.hpp"
#include "tilewright/constraints.hpp"
#include "tilewright/einsum.hpp"
#include "tilewright/error.hpp"
#include "tilewright/evaluate.hpp"
#include "tilewright/fused.hpp"
#include "tilewright/machine.hpp"
#include "tilewright/map_layer.hpp"
#include "tilewright/map_network.hpp"
#include "tilewright/mapping.hpp"
#include "tilewright/network.hpp"
#include "tilewright/objective.hpp"
#include "tilewright/onnx.hpp"
#include "tilewright/options.hpp"
#include "tilewright/package.hpp"
#include "tilewright/report.hpp"
#include "tilewright/shapes.hpp"
#include "tilewright/stop.hpp"
#include "tilewright/validity.hpp"
#include "tilewright/version.hpp"
