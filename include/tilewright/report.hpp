// SPDX-License-Identifier: Apache-2.0
// Reports: what was mapped as text for people and as JSON for machines (docs/report.md).
//
//     const report::Report report = report_of(network, machine.architecture(), problem, answer);
//     std::cout << report::summary_text(report);
//     std::ofstream("report.json") << report::report_json(report);
//
// Units are in the names of keys. Equal values give equal bytes. Thread-safe: pure functions. Throws OverflowError
// where a total does not fit in 64 bits.
#pragma once

#include "report/json.hpp"
#include "report/report.hpp"
#include "report/text.hpp"
#include "run/report_of.hpp"
