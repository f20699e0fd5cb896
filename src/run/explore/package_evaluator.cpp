#include "run/explore/package_evaluator.hpp"

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/package/map_package.hpp"
#include "run/package/package_machine.hpp"

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

std::optional<explore::Batch> PackageEvaluator::evaluate(const explore::Chunk& chunk, const StopSource& stop) {
    explore::Batch batch;
    for (explore::Point point = chunk.lo; point < chunk.hi; ++point) {
        const std::optional<Row> row = row_of(point, stop);
        if (!row) break;
        ++batch.counts.explored;
        ++batch.counts.evaluated;
        batch.counts.valid += row->status == Status::valid ? 1 : 0;
        batch.counts.over_limit += row->status == Status::over_limit ? 1 : 0;
        batch.counts.failed += row->status == Status::failed ? 1 : 0;
        batch.rows.push_back(*row);
    }
    if (batch.counts.explored == 0) return std::nullopt;
    return batch;
}

// Nothing where it was stopped: that would be the best so far only.
std::optional<Row> PackageEvaluator::row_of(explore::Point point, const StopSource& stop) const {
    if (stop.requested()) return std::nullopt;
    std::optional<Row> row;
    try {
        row = planned(point, stop);
    } catch (const InputError& error) {
        row = Row{point, Status::failed, {}, error.message()};
    } catch (const OverflowError& error) {
        row = Row{point, Status::failed, {}, error.what()};
    }
    if (stop.requested()) return std::nullopt;
    return row;
}

Row PackageEvaluator::planned(explore::Point point, const StopSource& stop) const {
    const explore::Space& space = specification_.space;
    PackageSettings settings;
    for (std::size_t k = 0; k < space.knobs().size(); ++k)
        settings.emplace_back(space.knobs()[k].name, space.value(point, k));
    const PackageMachine machine = PackageMachine::read(subject_.package, settings);
    const PackageProblem problem{subject_.cascade, machine.package(), machine.constraints()};
    if (const std::string why = problem_with(problem); !why.empty()) return {point, Status::failed, {}, why};
    StopSource stop_of_point;
    const TimeLimit limit(stop_of_point, subject_.time_limit_seconds, &stop);
    const std::optional<report::PackageReport> found = map_package(problem, subject_.objective, &stop_of_point);
    if (!found) return {point, Status::failed, {}, "no plan of '" + subject_.cascade.name + "' was found"};
    const double energy_pj = found->energy.total();
    const auto cycles = static_cast<double>(found->cycles);
    const double value = found->value.value_or(0.0);
    return explore::measured(
        point,
        {energy_pj, cycles, energy_pj * cycles, static_cast<double>(machine.package().core_count()),
         value > 0.0 ? found->bound.value_or(0.0) / value : 1.0},
        specification_);
}

}  // namespace tilewright
