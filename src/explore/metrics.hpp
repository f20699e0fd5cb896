// Metrics of a point, limits on them, and the Pareto front.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "explore/space.hpp"

namespace tilewright::explore {

struct Metric {
    std::string name;   ///< with its unit: "energy_pj"; a column of the store
    std::string alias;  ///< "energy"; "" if absent
    bool more_is_better = false;

    bool operator==(const Metric&) const = default;
};

enum class Status {
    valid,       ///< measured, within all limits
    over_limit,  ///< measured, beyond a limit
    failed,      ///< not measured, with the reason in the message
};

struct Row {
    Point point = 0;
    Status status = Status::valid;
    std::vector<double> values;  ///< by metric; empty if failed
    std::string message;         ///< why it failed

    bool operator==(const Row&) const = default;
};

/// Index of the metric of this name or alias. Throws InputError(unknown_name) at `where`, naming the nearest.
std::size_t metric_named(const std::vector<Metric>& metrics, std::string_view name, const Location& where);

/// The same for comma-separated names.
std::vector<std::size_t> metrics_named(const std::vector<Metric>& metrics, std::string_view names,
                                       const Location& where);

/// "area_mm2<16", "utilization>=0.5": a metric or a knob, a relation and a number.
struct Condition {
    enum class Relation { less, at_most, more, at_least, equal, differs };

    std::string name;  ///< of the metric (never its alias) or knob
    Relation relation = Relation::less;
    double bound = 0.0;
    Location where;

    bool holds(double value) const;
};

/// Reads a condition on one of `metrics` or, if there are any, a knob of `space`. Throws InputError at `where`.
Condition parse_condition(std::string_view text, const std::vector<Metric>& metrics, const Space* space,
                          const Location& where);

/// A bound on one of `metrics`, without `=`: a measured value almost never equals a number. Throws InputError at
/// `where`.
Condition parse_limit(std::string_view text, const std::vector<Metric>& metrics, const Location& where);

/// "area_mm2<16"
std::string to_text(const Condition& condition);

/// Whether a row satisfies a condition; false for a failed row and for a non-numeric knob value.
bool satisfies(const Row& row, const Condition& condition, const std::vector<Metric>& metrics, const Space& space);

/// Non-dominated rows in `objectives`, all ties included. Rows without values are left out. Sorted by the first
/// objective, best first, then by point.
std::vector<Row> pareto_front(const std::vector<Row>& rows, const std::vector<std::size_t>& objectives,
                              const std::vector<Metric>& metrics);

}  // namespace tilewright::explore
