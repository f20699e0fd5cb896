// The analysis of data-centric dataflows against the walk over every step, on many random dataflows:
//
//     property_dataflow --problems 1000000 --seed 7 [--first 250000]
//
// Those that closed forms do not cover are counted and skipped. Legal ones do every operation once. Where a dataflow
// has a form as a mapping, the exact model of mappings gives the same numbers; so it does for a random mapping of every
// layer, where that has a form as a dataflow. Where the two differ the dataflow is printed, and the exit status is 1.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>

#include "base/numbers/factors.hpp"
#include "harness.hpp"
#include "maestro/analysis/analysis.hpp"
#include "maestro/analysis/motion.hpp"
#include "maestro/dataflow/problem.hpp"
#include "maestro/forms/mapping_form.hpp"
#include "maestro/walk/walk.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "random_dataflow.hpp"

namespace {

using namespace tilewright;
using dataflow::Counts;

std::string line(const std::string& name, std::int64_t ours, std::int64_t judge) {
    return ours == judge ? "" : "  " + name + ": " + std::to_string(ours) + ", walked " + std::to_string(judge) + "\n";
}

std::string sent_differences(const std::string& name, const dataflow::Sent& ours, const dataflow::Sent& judge) {
    return line(name + " multicast", ours.multicast, judge.multicast) +
           line(name + " unicast", ours.unicast, judge.unicast) + line(name + " array", ours.array, judge.array) +
           line(name + " first", ours.first, judge.first) + line(name + " later", ours.later, judge.later);
}

std::string differences(const Counts& ours, const Counts& judge) {
    std::string text = line("operations", ours.operations, judge.operations) +
                       line("cycles", ours.runtime_cycles, judge.runtime_cycles);
    for (std::size_t i = 0; i < judge.levels.size(); ++i) {
        const std::string level = "level " + std::to_string(i) + " ";
        const dataflow::LevelCounts& a = ours.levels[i];
        const dataflow::LevelCounts& b = judge.levels[i];
        text += line(level + "steps", a.steps, b.steps) + sent_differences(level + "input", a.input, b.input) +
                sent_differences(level + "filter", a.filter, b.filter) +
                line(level + "output each", a.output_each, b.output_each) +
                line(level + "output change", a.output_change, b.output_change) +
                line(level + "output most", a.output_most, b.output_most) +
                line(level + "bytes per cycle", a.bytes_per_cycle, b.bytes_per_cycle);
    }
    return text;
}

// Neighbours spare words, and nothing else does: of those sent, some have to come from the buffer.
std::string excess(const std::string& name, const dataflow::Sent& sent) {
    if (sent.array <= sent.multicast && sent.multicast <= sent.unicast) return "";
    return "  " + name + ": array " + std::to_string(sent.array) + ", multicast " + std::to_string(sent.multicast) +
           ", unicast " + std::to_string(sent.unicast) + ": each has to be at most the next\n";
}

std::string excesses(const Counts& counts) {
    std::string text;
    for (const dataflow::LevelCounts& level : counts.levels)
        text += excess("input", level.input) + excess("filter", level.filter);
    return text;
}

std::string plan_differences(const property::RandomDataflow& random, const Counts& counts) {
    dataflow::Plan plan(random.problem, random.levels.levels);
    const std::optional<dataflow::Estimate> estimate = plan.evaluate(random.hardware);
    if (!estimate) return "  the plan has no answer\n";
    const dataflow::LevelCounts& top = counts.levels[0];
    return line("plan cycles", estimate->runtime_cycles, counts.runtime_cycles) +
           line("plan operations", estimate->operations, counts.operations) +
           line("plan input", estimate->input_words, top.input.multicast) +
           line("plan filter", estimate->filter_words, top.filter.multicast) +
           line("plan output", estimate->output_words, top.output_change);
}

/// The spatial loops of one memory are levels of their own in a dataflow, whose units share halos with each other, in
/// this step and the next one, and are sent the rows between them that no filter touches.
bool share_halos(const dataflow::CompleteLayer& problem, const std::vector<dataflow::Level>& levels) {
    const auto moves = [](const dataflow::Level& level, const dataflow::Map& map) {
        return walk_of(map, level.extents[map.axis], 1).positions > 1;
    };
    const auto is_split_below = [&](dataflow::Axis axis) {
        return std::any_of(levels.begin() + 1, levels.end(), [&](const dataflow::Level& level) {
            return std::any_of(level.maps.begin(), level.maps.end(), [&](const dataflow::Map& map) {
                return map.spatial && map.axis == axis && moves(level, map);
            });
        });
    };
    for (const dataflow::Axis image : {dataflow::Axis::Y, dataflow::Axis::X}) {
        const dataflow::Axis window = *dataflow::window_of(image);
        if ((problem.dilation[window] > 1 || problem.stride[image] > problem.extents[window]) && is_split_below(image))
            return true;
    }
    for (const dataflow::Level& level : levels)
        for (const dataflow::Map& map : level.maps)
            if (map.offset < map.size && moves(level, map) && (map.spatial || is_split_below(map.axis))) return true;
    return false;
}

/// What the outermost memory of the mapping is read for, and gets back, is what the top level sends and collects.
std::string traffic_differences(const dataflow::MappingForm& same, const Counts& counts) {
    if (const auto violations = check(same.einsum, same.architecture, same.mapping); !violations.empty())
        return "  its mapping is illegal: " + violations.front().message + "\n";
    const Evaluation evaluation = evaluate(same.einsum, same.architecture, same.mapping);
    const auto words = [&](const char* tensor, double TensorTraffic::* count) {
        const auto& all = evaluation.memories[0].tensors;
        return static_cast<std::int64_t>(all[find_tensor(same.einsum, tensor)].*count);
    };
    const dataflow::LevelCounts& top = counts.levels[0];
    return line("mapping operations", counts.operations, evaluation.computes) +
           line("mapping input", top.input.multicast, words("Inputs", &TensorTraffic::reads)) +
           line("mapping filter", top.filter.multicast, words("Weights", &TensorTraffic::reads)) +
           line("mapping output", top.output_change, words("Outputs", &TensorTraffic::updates));
}

/// The exact model of mappings on the same loops, where there are any. `compared` counts them.
std::string mapping_differences(const property::RandomDataflow& random, const Counts& counts, std::uint64_t& compared) {
    const auto form = mapping_form(random.layer, random.levels.levels);
    const auto* same = std::get_if<dataflow::MappingForm>(&form);
    if (same == nullptr || property::definitions_differ(random.levels.levels[0])) return "";
    ++compared;
    return traffic_differences(*same, counts);
}

/// Loops over random factors of every dimension, on a chain of memories with a fan-out below each but the last.
dataflow::MappingForm random_mapping(const Einsum& einsum, Random& random) {
    const std::size_t memories = 2 + random.below(3);
    std::vector<MappingLevel> levels(memories);
    for (MappingLevel& level : levels) level.keep = TensorSet::all(einsum.tensor_count());
    for (int dimension = 0; dimension < static_cast<int>(einsum.dimensions.size()); ++dimension) {
        std::int64_t left = einsum.dimensions[dimension].extent;
        const auto take = [&](double probability) {
            if (!random.chance(probability)) return std::int64_t{1};
            const std::vector<std::int64_t> all = divisors(left);
            const std::int64_t factor = all[random.below(all.size())];
            left /= factor;
            return factor;
        };
        for (std::size_t i = 0; i + 1 < memories; ++i) {
            if (const std::int64_t steps = take(0.5); steps > 1)
                levels[i].temporal.push_back({dimension, steps, steps, LoopKind::temporal});
            if (const std::int64_t units = take(0.25); units > 1)
                levels[i].spatial.push_back({dimension, units, units, LoopKind::spatial_x});
        }
        if (left > 1) levels.back().temporal.push_back({dimension, left, left, LoopKind::temporal});
    }
    dataflow::MappingForm form{einsum, {}, {}};
    std::int64_t instances = 1;
    for (MappingLevel& level : levels) {
        for (std::size_t i = level.temporal.size(); i > 1; --i)
            std::swap(level.temporal[i - 1], level.temporal[random.below(i)]);
        Memory memory;
        memory.name = "level " + std::to_string(form.architecture.memories.size());
        memory.instances = instances;
        memory.mesh = {instances, 1};
        form.architecture.memories.push_back(std::move(memory));
        for (const Loop& loop : level.spatial) instances *= loop.extent;
    }
    form.architecture.name = "levels";
    form.architecture.compute.instances = instances;
    form.architecture.compute.mesh = {instances, 1};
    form.mapping = mapping_of(levels);
    return form;
}

/// A random mapping of the layer, where it has a form as a dataflow. `compared` counts them.
std::string dataflow_differences(const property::RandomDataflow& random, Random& draws, std::uint64_t& compared) {
    const auto einsum = dataflow::einsum_of(random.layer);
    if (!std::holds_alternative<Einsum>(einsum)) return "";
    const dataflow::MappingForm same = random_mapping(std::get<Einsum>(einsum), draws);
    const auto form =
        dataflow_form(random.layer, same.einsum, same.mapping, static_cast<int>(same.architecture.memories.size()));
    const auto* flow = std::get_if<dataflow::DataflowForm>(&form);
    if (flow == nullptr) return "";
    const dataflow::LevelsResult made = levels_of(flow->dataflow, {}, request_for(random.problem, flow->units));
    if (!made.ok()) return "  the dataflow of a mapping has no levels: " + made.problem + "\n";
    if (const auto found = findings(random.problem, made.levels); !found.empty())
        return "  the dataflow of a mapping is illegal: " + found.front().text + "\n";
    dataflow::Hardware hardware = random.hardware;
    hardware.units = flow->units;
    const std::optional<Counts> counts = analyze(random.problem, made.levels, hardware);
    if (!counts) return "  the dataflow of a mapping is not covered by closed forms\n";
    if (property::definitions_differ(made.levels[0]) || share_halos(random.problem, made.levels)) return "";
    ++compared;
    std::string text = traffic_differences(same, *counts);
    if (!text.empty())
        for (const dataflow::Directive& directive : flow->dataflow.directives)
            text += "    " + to_text(directive) + "\n";
    return text;
}

/// Legal dataflows do all operations, each once.
std::string legality_differences(const property::RandomDataflow& random, const dataflow::Walked& walked) {
    const std::int64_t all = operations_of(random.problem);
    return line("operations of a legal dataflow", all, walked.counts.operations) +
           line("distinct operations of a legal dataflow", all, walked.distinct_operations);
}

void report(std::uint64_t index, std::uint64_t seed, const property::RandomDataflow& random, const std::string& text) {
    std::printf("dataflow %llu of seed %llu: %s%s", static_cast<unsigned long long>(index),
                static_cast<unsigned long long>(seed), to_text(random).c_str(), text.c_str());
}

struct Tally {
    std::uint64_t compared = 0;
    std::uint64_t legal = 0;
    std::uint64_t mappings = 0;   ///< dataflows that are mappings, too
    std::uint64_t dataflows = 0;  ///< random mappings that are dataflows, too
    std::uint64_t not_covered = 0;
};

// What is wrong with a dataflow, or "".
std::string differences(const property::RandomDataflow& random, Tally& tally) {
    const std::optional<Counts> ours = analyze(random.problem, random.levels.levels, random.hardware);
    const bool is_legal = findings(random.problem, random.levels.levels).empty();
    if (!ours) ++tally.not_covered;
    if (!ours && !is_legal) return "";
    const dataflow::Walked walked = dataflow::walk(random.problem, random.levels.levels, random.hardware);
    std::string text = excesses(walked.counts);
    if (ours) text += differences(*ours, walked.counts) + plan_differences(random, *ours);
    if (is_legal) text += legality_differences(random, walked);
    if (is_legal && ours) text += mapping_differences(random, *ours, tally.mappings);
    if (ours) ++tally.compared;
    if (is_legal) ++tally.legal;
    return text;
}

// How many failures it is: 0 or 1.
int check(const property::Cases& cases, std::uint64_t number, Tally& tally) {
    const property::RandomDataflow random = property::random_dataflow(Random::split(cases.seed, number));
    Random draws(Random::split(cases.seed + 1, number));
    std::string text = dataflow_differences(random, draws, tally.dataflows);
    if (text.empty() && random.levels.ok()) text = differences(random, tally);
    if (text.empty()) return 0;
    report(number, cases.seed, random, text);
    return 1;
}

void print(const Tally& tally) {
    std::printf(
        "%llu dataflows compared, %llu legal, %llu as mappings, %llu mappings as dataflows, "
        "%llu not covered by closed forms\n",
        static_cast<unsigned long long>(tally.compared), static_cast<unsigned long long>(tally.legal),
        static_cast<unsigned long long>(tally.mappings), static_cast<unsigned long long>(tally.dataflows),
        static_cast<unsigned long long>(tally.not_covered));
}

}  // namespace

int main(int argc, char** argv) {
    Tally tally;
    property::Harness harness("property_dataflow",
                              "The analysis of data-centric dataflows against a walk over every step",
                              {.count = 20'000});
    harness.least("compared", "dataflows that were compared", &tally.compared);
    harness.least("legal", "dataflows that are legal", &tally.legal);
    harness.least("mappings", "dataflows that were compared as mappings, too", &tally.mappings);
    harness.least("dataflows", "mappings that were compared as dataflows, too", &tally.dataflows);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), number, tally); },
                       [&] { print(tally); });
}
