// schedule.json: schedules as text and back (docs/schedule.md).
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "schedule/problem/schedule.hpp"
#include "schedule/schedulers/staying.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// One layer's schedule and what it is for. All of a file are for one machine.
struct LayerSchedule {
    std::vector<std::string> names;  ///< of the layers of this shape
    std::int64_t repeats = 1;
    schedule::Problem problem;
    schedule::Schedule schedule;
};

/// A layer where it runs in the network, and which of the file's schedules it follows.
struct OrderedStep {
    std::string name;
    int schedule = 0;  ///< among the layers of the file
    std::int64_t groups = 1;
    std::int64_t images = 1;
    std::int64_t repeats = 1;
};

/// In which order the layers run, and which outputs stay in the scratchpad in between.
struct NetworkOrder {
    std::vector<OrderedStep> steps;
    std::vector<schedule::StayingTensor> staying;
};

/// Equal schedules give equal bytes. One transfer or execution a line. The order is written where tensors stay.
std::string write_schedules(const std::vector<LayerSchedule>& layers, const NetworkOrder& order = {});

/// True for a document that says it is one.
bool is_schedule(const yaml::Node& root);

/// A schedule as it stands in a file, and where its parts are.
struct LayerScheduleFile {
    LayerSchedule layer;
    Location place;
    std::vector<Location> transfers;
    std::vector<Location> executions;

    /// Of a place such as validate() names: "transfers[3]".
    Location at(const std::string& part) const;
};

/// Throws InputError at the place of what cannot be read. What it says need not be a legal schedule.
std::vector<LayerScheduleFile> read_schedules(const yaml::Node& root);

/// The order as validate_staying() judges it, and where its parts are.
struct NetworkOrderFile {
    std::vector<schedule::NetworkStep> steps;
    std::vector<schedule::StayingTensor> staying;
    std::vector<Location> step_places;
    std::vector<Location> staying_places;

    /// Of a place such as validate_staying() names: "order[3]", "staying[0]".
    Location at(const std::string& part) const;
};

/// Empty where the file has none. Throws InputError where steps and schedules do not belong together: a name that its
/// schedule does not have, a layer that runs never or twice, repeats that are not those of the steps, or a layer that
/// keeps tensors without an order.
NetworkOrderFile read_order(const yaml::Node& root, const std::vector<LayerScheduleFile>& layers);

}  // namespace tilewright::native
