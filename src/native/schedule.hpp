// schedule.json: schedules as text and back (docs/schedule.md).
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "schedule/problem/schedule.hpp"
#include "schedule/schedulers/staying.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// One layer's schedule with its subject. One machine per file.
struct LayerSchedule {
    std::vector<std::string> names;  ///< of the layers of this shape
    std::int64_t repeats = 1;
    schedule::Problem problem;
    schedule::Schedule schedule;
};

/// A layer in the network's order, with its schedule in the file.
struct OrderedStep {
    std::string name;
    int schedule = 0;  ///< among the layers of the file
    std::int64_t groups = 1;
    std::int64_t images = 1;
    std::int64_t repeats = 1;
};

/// Execution order of the layers, and the outputs staying in the scratchpad.
struct NetworkOrder {
    std::vector<OrderedStep> steps;
    std::vector<schedule::StayingTensor> staying;
};

/// Equal schedules give equal bytes. One transfer or execution a line. The order is written if tensors stay.
std::string write_schedules(const std::vector<LayerSchedule>& layers, const NetworkOrder& order = {});

/// A schedule in a file, with the places of its parts.
struct LayerScheduleFile {
    LayerSchedule layer;
    Location place;
    std::vector<Location> transfers;
    std::vector<Location> executions;

    /// Of a place of validate(): "transfers[3]".
    Location at(const std::string& part) const;
};

/// Throws InputError at unreadable places. The schedule need not be legal.
std::vector<LayerScheduleFile> read_schedules(const yaml::Node& root);

/// The order for validate_staying(), with the places of its parts.
struct NetworkOrderFile {
    std::vector<schedule::NetworkStep> steps;
    std::vector<schedule::StayingTensor> staying;
    std::vector<Location> step_places;
    std::vector<Location> staying_places;

    /// Of a place of validate_staying(): "order[3]", "staying[0]".
    Location at(const std::string& part) const;
};

/// Empty if the file has none. Throws InputError if steps and schedules do not match: a name absent from its schedule,
/// a layer run never or twice, repeats other than the steps', or a layer keeping tensors without an order.
NetworkOrderFile read_order(const yaml::Node& root, const std::vector<LayerScheduleFile>& layers);

}  // namespace tilewright::native
