#include "mapping_evaluator.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace tilewright::cli {

using explore::Batch;
using explore::Row;
using explore::Status;

std::vector<explore::Metric> mapping_metrics() {
    return {{"energy_pj", "energy", false},
            {"latency_cycles", "latency", false},
            {"edp_pj_cycles", "edp", false},
            {"area_mm2", "area", false},
            {"power_mw", "power", false},
            {"utilization", "utilisation", true},
            {"macs_per_cycle", "throughput", true},
            {"seconds", "", false},
            {"gmacs_per_s_per_w", "perf_per_watt", true},
            {"gmacs_per_s_per_mm2", "perf_per_area", true},
            {"proven_layers", "proven", true}};
}

MappingEvaluator::MappingEvaluator(Designs& designs, const explore::Specification& specification, AnswerCache& cache)
    : designs_(designs), specification_(specification), cache_(cache) {}

namespace {

// By metric.
std::vector<double> values_of(const Design& design, const NetworkAnswer& answer, const NetworkTotals& totals) {
    double macs = 0.0;
    double proven = 0.0;
    for (std::size_t i = 0; i < answer.layers.size(); ++i) {
        const auto repeats = static_cast<double>(design.problem.shapes[i].repeats);
        macs += repeats * static_cast<double>(answer.layers[i].evaluation->computes);
        if (answer.layers[i].search && answer.layers[i].search->proven) ++proven;
    }
    const auto per = [](double value, double by) { return by > 0.0 ? value / by : 0.0; };
    const auto cycles = static_cast<double>(totals.cycles);
    const double seconds = cycles * design.architecture.cycle_seconds;
    const double joules = totals.energy_pj * 1e-12;
    const double area_mm2 = total_area_um2(design.architecture) * 1e-6;
    const double macs_per_cycle = per(macs, cycles);
    return {totals.energy_pj,
            cycles,
            totals.energy_pj * cycles,
            area_mm2,
            per(joules, seconds) * 1e3,
            per(macs_per_cycle, static_cast<double>(design.architecture.compute.instances)),
            macs_per_cycle,
            seconds,
            per(macs * 1e-9, joules),
            per(per(macs * 1e-9, seconds), area_mm2),
            proven};
}

}  // namespace

Row MappingEvaluator::row_of(const Design& design, const StopSource& stop) const {
    const auto failed = [&](const std::string& why) { return Row{design.point, Status::failed, {}, why}; };
    if (!design.failure.empty()) return failed(design.failure);
    try {
        const NetworkAnswer answer = map_network(design.problem, design.options, {.cache = &cache_, .stop = &stop});
        for (std::size_t i = 0; i < answer.layers.size(); ++i)
            if (!answer.layers[i].mapping)
                return failed(
                    fmt::format("{}: {}", design.problem.shapes[i].names.front(),
                                answer.layers[i].failures.empty() ? "no mapping" : answer.layers[i].failures.front()));
        const std::optional<NetworkTotals> totals = tilewright::totals(design.problem, answer);
        return explore::measured(design.point, values_of(design, answer, totals.value()), specification_);
    } catch (const InputError& error) {
        return failed(error.message());
    } catch (const OverflowError& error) {
        return failed(error.what());
    }
}

std::optional<Batch> MappingEvaluator::evaluate(const explore::Chunk& chunk, const StopSource& stop) {
    std::vector<Design> designs;
    for (explore::Point point = chunk.lo; point < chunk.hi; ++point) designs.push_back(designs_.design(point));
    Batch batch;
    batch.rows.resize(designs.size());
    tbb::task_arena arena(designs_.options().threads > 0 ? designs_.options().threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, designs.size(), [&](std::size_t i) {
            if (!stop.requested()) batch.rows[i] = row_of(designs[i], stop);
        });
    });
    if (stop.requested()) return std::nullopt;  // what was found is the best so far only
    for (const Row& row : batch.rows) {
        ++batch.counts.explored;
        ++batch.counts.evaluated;
        if (row.status == Status::valid) ++batch.counts.valid;
        if (row.status == Status::over_limit) ++batch.counts.over_limit;
        if (row.status == Status::failed) ++batch.counts.failed;
    }
    return batch;
}

}  // namespace tilewright::cli
