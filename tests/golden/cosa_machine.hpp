// A machine of the zoo and CoSA's schedules on it, for the tests against the recorded baseline.
#pragma once

#include <string>

#include "mapper/cosa/schedule.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/shapes.hpp"

namespace tilewright::golden {

struct CosaMachine {
    yaml::Node file;
    Architecture architecture;

    explicit CosaMachine(const std::string& name)
        : file(timeloop::zoo_architecture(name)), architecture(timeloop::read_architecture(file)) {}

    Mapspace mapspace(const Einsum& einsum) const {
        return {einsum, architecture, timeloop::read_constraints(file, architecture, einsum)};
    }
    cosa::Schedule schedule(const Einsum& einsum, const cosa::ProgramOptions& options) const {
        return cosa::schedule(einsum, architecture, mapspace(einsum), options);
    }
};

}  // namespace tilewright::golden
