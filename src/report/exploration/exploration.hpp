// An exploration for people (a table) and for programs (CSV, JSON lines).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::report {

struct Exploration {
    std::string title;  ///< "resnet50 on simba"
    const explore::Specification* specification = nullptr;
    std::vector<explore::Row> rows;       ///< in order of display
    std::string selection;                ///< the rows' selection: "the front of energy and latency"
    std::int64_t left_out = 0;            ///< selected rows not shown
    std::vector<std::size_t> objectives;  ///< metrics optimised; the first one is drawn
    std::vector<explore::Row> failures;   ///< to be named
    explore::Counts counts;               ///< of the whole exploration
    bool complete = true;
    std::string hash;  ///< of all rows; "" without any
    std::vector<std::string> notes;
};

std::string exploration_text(const Exploration& exploration);

/// A row a point: its number, knobs, status, metrics. Metrics of failed points are empty.
std::string exploration_csv(const explore::Specification& specification, const std::vector<explore::Row>& rows);

/// One document, "tilewright-exploration/1" (schemas/exploration-1.schema.json): space, progress, and the points shown,
/// each as in exploration_json_lines().
std::string exploration_json(const Exploration& exploration, const std::string& tool_version);

/// An object a point: {"point": 0, "buffer.depth": 4096, "status": "valid", "energy_pj": ...}; a failed point has a
/// "message" in place of the metrics.
std::string exploration_json_lines(const explore::Specification& specification, const std::vector<explore::Row>& rows);

}  // namespace tilewright::report
