// schedule.json: schedules as text and back (docs/schedule.md).
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "schedule/schedule.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// One layer's schedule and what it is for. All of a file are for one machine.
struct LayerSchedule {
    std::vector<std::string> names;  ///< of the layers of this shape
    std::int64_t repeats = 1;
    schedule::Problem problem;
    schedule::Schedule schedule;
};

/// Equal schedules give equal bytes. One transfer or execution a line.
std::string write_schedules(const std::vector<LayerSchedule>& layers);

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

}  // namespace tilewright::native
