// The analysis of data-centric dataflows against the simulated machine, which replays a mapping cycle by cycle: for
// random legal dataflows that are loop nests, the words that leave the outermost memory and come back to it, the
// operations, and the cycles are those that the simulator moves, does and takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "base/numbers/random.hpp"
#include "maestro/analysis/analysis.hpp"
#include "maestro/forms/mapping_form.hpp"
#include "model/exact/model.hpp"
#include "random_dataflow.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::property {
namespace {

/// A dataflow, what the analysis says of it, and the same loops as a mapping.
struct Case {
    RandomDataflow random;
    dataflow::Counts counts;
    dataflow::MappingForm form;
};

std::optional<Case> random_case(std::uint64_t number) {
    const dataflow::AxisTable<std::int64_t> stride_1{std::int64_t{1}};
    Case one;
    one.random = random_dataflow(Random::split(5, number));
    if (!one.random.levels.ok() || !findings(one.random.problem, one.random.levels.levels).empty()) return std::nullopt;
    // Mappings know no zeros, neither given ones nor those between the inputs of a transposed layer.
    if (one.random.layer.density != dataflow::Densities()) return std::nullopt;
    if (one.random.layer.type == dataflow::LayerType::transposed && one.random.layer.stride != stride_1)
        return std::nullopt;
    // Words on their way take no time: what is left of the cycles is what the units compute.
    dataflow::Hardware hardware = one.random.hardware;
    hardware.noc_bytes_per_cycle.reset();
    hardware.noc_latency_cycles = 0;
    hardware.multicast = true;
    hardware.vector_width = 1;
    const auto counts = analyze(one.random.problem, one.random.levels.levels, hardware);
    if (!counts || definitions_differ(one.random.levels.levels[0])) return std::nullopt;
    auto form = mapping_form(one.random.layer, one.random.levels.levels);
    if (!std::holds_alternative<dataflow::MappingForm>(form)) return std::nullopt;
    one.form = std::get<dataflow::MappingForm>(std::move(form));
    one.counts = *counts;
    if (!sim::problem_with_program(one.form.einsum, one.form.architecture, one.form.mapping).empty())
        return std::nullopt;
    return one;
}

/// What crossed the flows below the outermost memory: sent of a tensor, and given back of the results.
std::int64_t moved(const Case& one, const sim::Program& program, const char* tensor, bool back) {
    std::int64_t words = 0;
    for (std::size_t f = 0; f < program.flows.size(); ++f)
        if (program.flows[f].outer == 0 && program.flows[f].tensor == find_tensor(one.form.einsum, tensor))
            words += back ? program.totals[f].out : program.totals[f].in;
    return words;
}

void compare(const Case& one) {
    const dataflow::MappingForm& form = one.form;
    // Every visit of every instance is walked: nothing of it is shared with the analysis.
    const sim::Program program = sim::walked_program(form.einsum, form.architecture, form.mapping);
    const dataflow::LevelCounts& top = one.counts.levels.front();
    EXPECT_EQ(moved(one, program, "Inputs", false), top.input.multicast);
    EXPECT_EQ(moved(one, program, "Weights", false), top.filter.multicast);
    EXPECT_EQ(moved(one, program, "Outputs", true), top.output_change);

    std::int64_t computing = 0;
    for (const std::uint32_t step : program.steps) computing += program.kinds[step].compute_cycles;
    EXPECT_EQ(computing, one.counts.runtime_cycles);

    const Evaluation evaluation = evaluate(form.einsum, form.architecture, form.mapping);
    const sim::ReplayResult run = sim::replay(form.einsum, form.architecture, program, evaluation, {});
    EXPECT_EQ(run.steps_done, run.steps);
    EXPECT_GE(run.cycles, one.counts.runtime_cycles);
    const auto units = static_cast<double>(form.architecture.compute.instances) / program.floor.elements();
    EXPECT_GE(static_cast<double>(run.elements.computing) * units, static_cast<double>(one.counts.operations));
}

TEST(DataflowSimulated, LoopNestsMoveAndDoWhatTheAnalysisSays) {
    constexpr std::uint64_t kDrawn = 20'000;
    int compared = 0;
    int moving = 0;     // with more than one step
    int clustered = 0;  // with more than one level
    for (std::uint64_t number = 0; number < kDrawn && !HasFailure(); ++number) {
        const std::optional<Case> one = random_case(number);
        if (!one) continue;
        SCOPED_TRACE("dataflow " + std::to_string(number) + ": " + to_text(one->random));
        compare(*one);
        ++compared;
        moving += one->counts.levels.front().steps > 1 ? 1 : 0;
        clustered += one->counts.levels.size() > 1 ? 1 : 0;
    }
    EXPECT_GE(compared, 1000);
    EXPECT_GE(moving, 350);
    EXPECT_GE(clustered, 200);
    RecordProperty("compared", compared);
    RecordProperty("moving", moving);
    RecordProperty("clustered", clustered);
}

}  // namespace
}  // namespace tilewright::property
