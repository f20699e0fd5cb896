#include "mapping_evaluator.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "evaluation.hpp"

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

/// Sums over a network.
struct Sums {
    double macs = 0.0;
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    double proven_layers = 0.0;
};

// By metric.
std::vector<double> values_of(const Architecture& architecture, const Sums& sums) {
    const auto per = [](double value, double by) { return by > 0.0 ? value / by : 0.0; };
    const auto cycles = static_cast<double>(sums.cycles);
    const double seconds = cycles * architecture.cycle_seconds;
    const double joules = sums.energy_pj * 1e-12;
    const double area_mm2 = total_area_um2(architecture) * 1e-6;
    const double macs_per_cycle = per(sums.macs, cycles);
    return {sums.energy_pj,
            cycles,
            sums.energy_pj * cycles,
            area_mm2,
            per(joules, seconds) * 1e3,
            per(macs_per_cycle, static_cast<double>(architecture.compute.instances)),
            macs_per_cycle,
            seconds,
            per(sums.macs * 1e-9, joules),
            per(per(sums.macs * 1e-9, seconds), area_mm2),
            sums.proven_layers};
}

Sums sums_of(const Design& design, const NetworkAnswer& answer) {
    const NetworkTotals totals = tilewright::totals(design.problem, answer).value();
    Sums sums{0.0, totals.energy_pj, totals.cycles, 0.0};
    for (std::size_t i = 0; i < answer.layers.size(); ++i) {
        const auto repeats = static_cast<double>(design.problem.shapes[i].repeats);
        sums.macs += repeats * static_cast<double>(answer.layers[i].evaluation->computes);
        if (answer.layers[i].search && answer.layers[i].search->proven) ++sums.proven_layers;
    }
    return sums;
}

Row failed(const Design& design, const std::string& why) { return {design.point, Status::failed, {}, why}; }

// What the given mappings cost on the design.
Row given_row(const Design& design, const explore::Specification& specification) {
    AccountOptions exact;
    exact.account = "exact";
    Sums sums;
    for (const auto& [layer, mapping] : design.given) {
        const report::LayerResult result = evaluate_layer(layer, design.architecture, mapping, exact);
        if (!result.evaluation)
            return failed(design, layer.name + ": " +
                                      (result.failures.empty() ? "it has no evaluation" : result.failures.front()));
        const auto repeats = static_cast<double>(layer.repeats);
        sums.macs += repeats * static_cast<double>(result.evaluation->computes);
        sums.energy_pj += repeats * result.evaluation->energy_pj;
        sums.cycles = checked_add(sums.cycles, checked_mul(layer.repeats, result.evaluation->cycles));
    }
    return explore::measured(design.point, values_of(design.architecture, sums), specification);
}

}  // namespace

Row MappingEvaluator::row_of(const Design& design, const StopSource& stop) const {
    if (!design.failure.empty()) return failed(design, design.failure);
    try {
        if (!design.given.empty()) return given_row(design, specification_);
        const NetworkAnswer answer = map_network(design.problem, design.options, {.cache = &cache_, .stop = &stop});
        for (std::size_t i = 0; i < answer.layers.size(); ++i)
            if (!answer.layers[i].mapping)
                return failed(
                    design,
                    fmt::format("{}: {}", design.problem.shapes[i].names.front(),
                                answer.layers[i].failures.empty() ? "no mapping" : answer.layers[i].failures.front()));
        return explore::measured(design.point, values_of(design.architecture, sums_of(design, answer)), specification_);
    } catch (const InputError& error) {
        return failed(design, error.message());
    } catch (const OverflowError& error) {
        return failed(design, error.what());
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
