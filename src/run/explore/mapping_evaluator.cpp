#include "run/explore/mapping_evaluator.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/evaluate_layer.hpp"
#include "run/floor.hpp"

namespace tilewright {

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
            {"tops_per_w", "", true},
            {"tops_per_mm2", "", true},
            {"proven_layers", "proven", true}};
}

std::vector<double> mapping_values(const Architecture& architecture, const MappedSums& sums) {
    const auto per = [](double value, double by) { return by > 0.0 ? value / by : 0.0; };
    const double seconds = sums.cycles * architecture.cycle_seconds;
    const double joules = sums.energy_pj * 1e-12;
    const double area_mm2 = total_area_um2(architecture) * 1e-6;
    const double macs_per_cycle = per(sums.macs, sums.cycles);
    const double gmacs_per_joule = per(sums.macs * 1e-9, joules);
    const double gmacs_per_s_mm2 = per(per(sums.macs * 1e-9, seconds), area_mm2);
    constexpr double kTops = 2e-3;  // of a GMAC/s: a multiply-accumulate is two operations
    return {sums.energy_pj,
            sums.cycles,
            sums.energy_pj * sums.cycles,
            area_mm2,
            per(joules, seconds) * 1e3,
            per(macs_per_cycle, static_cast<double>(architecture.compute.instances)),
            macs_per_cycle,
            seconds,
            gmacs_per_joule,
            gmacs_per_s_mm2,
            gmacs_per_joule * kTops,
            gmacs_per_s_mm2 * kTops,
            sums.proven_layers};
}

MappingEvaluator::MappingEvaluator(DesignSource& designs, const explore::Specification& specification,
                                   AnswerCache& cache, std::int64_t together)
    : designs_(designs), specification_(specification), cache_(cache), together_(together) {}

namespace {

MappedSums sums_of(const Design& design, const NetworkAnswer& answer) {
    const NetworkTotals totals = tilewright::totals(design.problem, answer).value();
    MappedSums sums{0.0, totals.energy_pj, static_cast<double>(totals.cycles), 0.0};
    for (std::size_t i = 0; i < answer.layers.size(); ++i) {
        const auto repeats = static_cast<double>(design.problem.shapes[i].repeats);
        sums.macs += repeats * static_cast<double>(answer.layers[i].evaluation->computes);
        if (answer.layers[i].search && answer.layers[i].search->proven) ++sums.proven_layers;
    }
    return sums;
}

Row failed(const Design& design, const std::string& why) { return {design.point, Status::failed, {}, why}; }

// Costs of the given mappings on the design. Reasons of illegality have no place: file names differ between workers.
Row given_row(const Design& design, const explore::Specification& specification) {
    MappedSums sums;
    std::int64_t cycles = 0;
    for (const auto& [layer, mapping, details] : design.given) {
        const report::LayerResult result = evaluate_layer(layer, design.architecture, mapping, {.details = details});
        if (!result.evaluation)
            return failed(design, layer.name + ": " +
                                      (result.failures.empty() ? "it has no evaluation" : result.failures.front()));
        const auto repeats = static_cast<double>(layer.repeats);
        sums.macs += repeats * static_cast<double>(result.evaluation->computes);
        sums.energy_pj += repeats * result.evaluation->energy_pj;
        cycles = checked_add(cycles, checked_mul(layer.repeats, result.evaluation->cycles));
    }
    sums.cycles = static_cast<double>(cycles);
    return explore::measured(design.point, mapping_values(design.architecture, sums), specification);
}

// The best fused mapping of the whole cascade, counted as one layer.
Row fused_row(const Design& design, const explore::Specification& specification, const StopSource& stop) {
    const fusion::Answer answer = fuse(*design.fused, design.options.objective, &stop);
    if (!answer.fused) return failed(design, "no mapping of '" + design.fused->cascade.name + "' was found");
    const fused::Evaluation& cost = answer.fused->evaluation;
    const MappedSums sums{static_cast<double>(cost.operations), cost.energy_pj, static_cast<double>(cost.cycles),
                          answer.proven ? 1.0 : 0.0};
    return explore::measured(design.point, mapping_values(design.architecture, sums), specification);
}

}  // namespace

std::int64_t layer_count(const Design& design) {
    return design.fused ? 1 : static_cast<std::int64_t>(design.problem.shapes.size());
}

Row mapped_row(const Design& design, const explore::Specification& specification, AnswerCache& cache,
               const StopSource& stop) {
    if (!design.failure.empty()) return failed(design, design.failure);
    try {
        if (!design.given.empty()) return given_row(design, specification);
        if (design.fused) return fused_row(design, specification, stop);
        const NetworkAnswer answer = map_network(design.problem, design.options, {.cache = &cache, .stop = &stop});
        for (std::size_t i = 0; i < answer.layers.size(); ++i)
            if (!answer.layers[i].mapping)
                return failed(
                    design,
                    fmt::format("{}: {}", design.problem.shapes[i].names.front(),
                                answer.layers[i].failures.empty() ? "no mapping" : answer.layers[i].failures.front()));
        return explore::measured(design.point, mapping_values(design.architecture, sums_of(design, answer)),
                                 specification);
    } catch (const InputError& error) {
        return failed(design, error.message());
    } catch (const OverflowError& error) {
        return failed(design, error.what());
    }
}

bool has_floor(const explore::Metric& metric) { return metric.name != "power_mw" && metric.name != "proven_layers"; }

void MappingEvaluator::learn(const std::vector<Row>& incumbents) {
    if (incumbents.empty()) return;
    front_.insert(front_.end(), incumbents.begin(), incumbents.end());
    front_ = explore::pareto_front(front_, specification_.front_only, specification_.metrics);
}

namespace {

// A limit broken even by the best case.
bool breaks_limit(const Row& best, const explore::Condition& limit, const explore::Specification& specification) {
    using Relation = explore::Condition::Relation;
    const std::size_t index = explore::metric_named(specification.metrics, limit.name, limit.where);
    const explore::Metric& metric = specification.metrics[index];
    const bool from_above = limit.relation == Relation::less || limit.relation == Relation::at_most;
    const bool from_below = limit.relation == Relation::more || limit.relation == Relation::at_least;
    if (!has_floor(metric) || !(metric.more_is_better ? from_below : from_above)) return false;
    return !limit.holds(best.values[index]);
}

// Every objective worse, or none better and one worse. Values equal up to rounding are not worse.
bool is_worse(const Row& best, const Row& other, const explore::Specification& specification) {
    constexpr double kClose = 1e-9;
    bool worse = false;
    for (const std::size_t i : specification.front_only) {
        const double sign = specification.metrics[i].more_is_better ? -1.0 : 1.0;
        const double mine = sign * best.values[i];
        const double theirs = sign * other.values[i];
        if (theirs > mine) return false;
        worse = worse || mine - theirs > kClose * std::abs(theirs);
    }
    return worse;
}

}  // namespace

bool MappingEvaluator::is_out_of_question(const Design& design) const {
    if (!learns() || !design.failure.empty() || design.fused) return false;
    try {
        const std::optional<NetworkFloor> floor = floor_of(design.problem, design.options);
        if (!floor) return false;
        const MappedSums sums{floor->operations, floor->energy_pj, floor->cycles, 0.0};
        const Row best{design.point, Status::valid, mapping_values(design.architecture, sums), {}};
        return std::any_of(
                   specification_.limits.begin(), specification_.limits.end(),
                   [&](const explore::Condition& limit) { return breaks_limit(best, limit, specification_); }) ||
               std::any_of(front_.begin(), front_.end(),
                           [&](const Row& other) { return is_worse(best, other, specification_); });
    } catch (const OverflowError&) {
        return false;  // its row says so
    }
}

void MappingEvaluator::count(const Row& row, Batch& batch) const {
    ++batch.counts.evaluated;
    if (row.status == Status::valid) ++batch.counts.valid;
    if (row.status == Status::over_limit) ++batch.counts.over_limit;
    if (row.status == Status::failed) ++batch.counts.failed;
    batch.rows.push_back(row);
}

std::optional<Batch> MappingEvaluator::evaluate(const explore::Chunk& chunk, const StopSource& stop) {
    const explore::Point hi = std::min(chunk.hi, chunk.lo + together_);
    std::vector<Design> designs;
    for (explore::Point point = chunk.lo; point < hi && !stop.requested(); ++point)
        designs.push_back(designs_.design(point));
    std::vector<Found> found(designs.size());
    tbb::task_arena arena(designs_.options().threads > 0 ? designs_.options().threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, designs.size(), [&](std::size_t i) {
            if (stop.requested()) return;
            if (!is_out_of_question(designs[i])) found[i].row = mapped_row(designs[i], specification_, cache_, stop);
            found[i].known = !stop.requested();  // else it is the best so far only
        });
    });
    Batch batch;
    for (const Found& one : found) {
        if (!one.known) break;
        ++batch.counts.explored;
        if (one.row)
            count(*one.row, batch);
        else
            ++batch.counts.skipped;
    }
    if (batch.counts.explored == 0) return std::nullopt;
    if (learns()) {
        learn(batch.rows);
        for (const Row& row : front_)
            if (row.point >= chunk.lo && row.point < chunk.hi) batch.incumbents.push_back(row.point);
    }
    return batch;
}

}  // namespace tilewright
