#include "run/explore/package_evaluator.hpp"

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/package/map_package.hpp"

namespace tilewright {

using explore::Row;
using explore::Status;

std::vector<explore::Metric> package_metrics() {
    return {{"energy_pj", "energy", false},
            {"latency_cycles", "latency", false},
            {"edp_pj_cycles", "edp", false},
            {"cores", "", false},
            {"bound_share", "proven", true}};
}

PackageMachine package_at(const ExploredPackage& subject, const explore::Space& space, explore::Point point) {
    PackageSettings settings;
    for (std::size_t k = 0; k < space.knobs().size(); ++k)
        settings.emplace_back(space.knobs()[k].name, space.value(point, k));
    return PackageMachine::read(subject.package, settings);
}

namespace {

PlannedPackage planned(const ExploredPackage& subject, const explore::Specification& specification,
                       explore::Point point, const StopSource& stop) {
    const PackageMachine machine = package_at(subject, specification.space, point);
    const PackageProblem problem{subject.cascade, machine.package(), machine.constraints()};
    if (const std::string why = problem_with(problem); !why.empty()) return {{point, Status::failed, {}, why}, "", {}};
    StopSource stop_of_point;
    const TimeLimit limit(stop_of_point, subject.time_limit_seconds, &stop);
    const std::optional<report::PackageReport> found = map_package(problem, subject.objective, &stop_of_point);
    if (!found)
        return {{point, Status::failed, {}, "no plan of '" + subject.cascade.name + "' was found"},
                "",
                stop_of_point.requested() ? std::optional(0.0) : std::nullopt};
    const double energy_pj = found->energy.total();
    const auto cycles = static_cast<double>(found->cycles);
    const double value = found->value.value_or(0.0);
    const double bound = found->bound.value_or(0.0);
    return {explore::measured(point,
                              {energy_pj, cycles, energy_pj * cycles,
                               static_cast<double>(machine.package().core_count()), value > 0.0 ? bound / value : 1.0},
                              specification),
            found->plan, found->proven ? std::nullopt : std::optional(bound)};
}

}  // namespace

PlannedPackage planned_package(const ExploredPackage& subject, const explore::Specification& specification,
                               explore::Point point, const StopSource& stop) {
    try {
        return planned(subject, specification, point, stop);
    } catch (const InputError& error) {
        return {{point, Status::failed, {}, error.message()}, "", {}};
    } catch (const OverflowError& error) {
        return {{point, Status::failed, {}, error.what()}, "", {}};
    }
}

std::optional<explore::Batch> PackageEvaluator::evaluate(const explore::Chunk& chunk, const StopSource& stop) {
    explore::Batch batch;
    for (explore::Point point = chunk.lo; point < chunk.hi && !stop.requested(); ++point) {
        Row row = planned_package(subject_, specification_, point, stop).row;
        if (stop.requested()) break;  // the best so far only
        ++batch.counts.explored;
        ++batch.counts.evaluated;
        batch.counts.valid += row.status == Status::valid ? 1 : 0;
        batch.counts.over_limit += row.status == Status::over_limit ? 1 : 0;
        batch.counts.failed += row.status == Status::failed ? 1 : 0;
        batch.rows.push_back(std::move(row));
    }
    if (batch.counts.explored == 0) return std::nullopt;
    return batch;
}

}  // namespace tilewright
