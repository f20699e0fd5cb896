#include "run/schedule/schedule_network.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/threads.hpp"
#include "schedule/problem/layer.hpp"
#include "schedule/problem/machine.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright {
namespace {

// Every schedule returned has passed the validator.
void judge(const report::ScheduleReport& report) {
    for (const report::ScheduledLayer& layer : report.layers)
        for (const std::optional<schedule::Found>* found :
             {&layer.answer.best, &layer.answer.baseline, &layer.answer.published}) {
            if (!*found) continue;
            const auto findings = schedule::validate((*found)->problem, (*found)->schedule, 1);
            if (!findings.empty())
                throw std::logic_error("the schedule of '" + layer.names.front() + "' (" + (*found)->how +
                                       ") does not hold: " + findings[0].place + ": " + findings[0].message);
        }
    if (!report.staying) return;
    std::vector<schedule::NetworkStep> steps;
    for (const report::StayingOutputs::LayerRun& one : report.staying->order)
        steps.push_back({report.layers[one.layer].layer, one.groups, one.images, one.repeats});
    const auto findings = schedule::validate_staying(report.machine, steps, report.staying->tensors);
    if (!findings.empty())
        throw std::logic_error("outputs that stay do not hold: " + findings[0].place + ": " + findings[0].message);
}

// Counted operators are not listed as left out.
void add_streamed(const Network& network, report::ScheduleReport& report) {
    const schedule::MultiNpu& machine = report.machine;
    std::set<std::string> counted;
    for (const StreamedOperator& one : network.streamed) {
        const std::int64_t read = checked_mul(one.read_elements, machine.element_bytes.input);
        const std::int64_t written = checked_mul(one.written_elements, machine.element_bytes.output);
        const std::int64_t cycles = checked_add(transfer_cycles(machine, read), transfer_cycles(machine, written));
        report.streamed.push_back({one.name, one.op, read, written, ceil_div(cycles, machine.dma_channels)});
        if (report.with_elementwise) counted.insert(one.name);
    }
    for (const UnmappedOperator& one : network.unmapped)
        if (!counted.contains(one.name)) report.left_out.push_back(one);
}

struct Task {
    schedule::ConvLayer layer;
    std::string name;  ///< for people; "": the layer with tensors beside it
    schedule::LayerAnswer answer;
};

// All of them in parallel; true if stopped.
bool search(std::vector<Task>& tasks, const schedule::MultiNpu& machine, const schedule::SearchOptions& options,
            const ScheduleControl& control) {
    require_threads(control.threads);
    static const StopSource kNever;
    const StopSource& stop = control.stop != nullptr ? *control.stop : kNever;
    std::atomic<std::size_t> done{0};
    tbb::task_arena arena(control.threads > 0 ? control.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t i) {
            Task& task = tasks[i];
            if (!control.known || !control.known(task.layer, task.answer)) {
                task.answer = schedule::search_layer(machine, task.layer, options, stop);
                if (control.keep && !stop.requested()) control.keep(task.layer, task.answer);
            }
            const std::size_t count = ++done;
            if (control.progress)
                control.progress(count, tasks.size(), task.name.empty() ? "with tensors that stay" : task.name);
        });
    });
    return stop.requested();
}

std::int64_t extent_of(const Einsum& einsum, std::string_view dimension) {
    const int index = find_dimension(einsum, dimension);
    return index < 0 ? 1 : einsum.dimensions[index].extent;
}

// With the word widths of the layer's tensors and partial sums.
schedule::RepeatedLayer conv_layer(const Network& network, std::size_t index, const schedule::MultiNpu& machine,
                                   const std::vector<PartialBits>& partial) {
    const Layer& layer = network.layers[index];
    schedule::RepeatedLayer repeated = schedule::conv_layer(layer.einsum, layer.name);
    repeated.layer.bits = word_bits(machine, layer.einsum, partial.empty() ? PartialBits{} : partial[index]);
    if (const std::string wrong = problem_with(repeated.layer); !wrong.empty())
        throw InputError(ErrorCode::bad_value, {}, "layer '" + layer.name + "' cannot be scheduled: " + wrong);
    return repeated;
}

// "words of 8 bits in inputs, 4 in weights, 8 in outputs and 32 in partial sums (2 layers)", by widths.
void note_words(report::ScheduleReport& report) {
    std::vector<std::pair<schedule::WordBits, std::size_t>> widths;
    for (const report::ScheduledLayer& one : report.layers) {
        if (!one.layer.bits.given()) continue;
        auto known = std::ranges::find(widths, one.layer.bits, &std::pair<schedule::WordBits, std::size_t>::first);
        if (known == widths.end()) known = widths.insert(known, {one.layer.bits, 0});
        known->second += one.names.size();
    }
    for (const auto& [bits, layers] : widths)
        report.notes.push_back(fmt::format(
            "words of {} bits in inputs, {} in weights, {} in outputs and {} in partial sums ({} {})", bits.input,
            bits.weight, bits.output, bits.partial_sum, layers, layers == 1 ? "layer" : "layers"));
}

std::vector<schedule::NetworkStep> steps_of(const Network& network, const schedule::MultiNpu& machine,
                                            const std::vector<PartialBits>& partial) {
    std::vector<schedule::NetworkStep> steps;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        const schedule::RepeatedLayer repeated = conv_layer(network, i, machine, partial);
        const std::int64_t groups = extent_of(layer.einsum, "G");
        steps.push_back({repeated.layer, groups, repeated.repeats / groups, layer.repeats, layer.feeds_from});
    }
    return steps;
}

schedule::LayerCost cost_of(const schedule::Schedule& schedule) {
    return {schedule.latency_cycles, schedule.traffic_bytes};
}

// Choice of kept outputs: searches the layers it needs, and replaces the report's layers.
class Staying {
   public:
    Staying(report::ScheduleReport& report, const Network& network, const std::vector<PartialBits>& partial,
            const schedule::SearchOptions& options, const ScheduleControl& control)
        : report_(report),
          network_(network),
          options_(options),
          control_(control),
          steps_(steps_of(network, report.machine, partial)),
          tensors_(schedule::tensors_that_may_stay(steps_, report.machine)) {
        for (const report::ScheduledLayer& layer : report.layers) tasks_.push_back({layer.layer, "", layer.answer});
    }

    void apply() {
        const report::ScheduleTotals sum = report::totals(report_);
        const schedule::LayerCost streamed = streamed_cost(sum);
        const auto plan =
            schedule::best_staying(steps_, tensors_, report_.machine, report_.objective, streamed,
                                   [&](const std::vector<schedule::ConvLayer>& layers) { return costs_of(layers); });
        if (report_.interrupted || !plan) return;
        report::StayingOutputs staying;
        staying.might_stay = tensors_.size();
        staying.alone = {sum.latency_cycles, sum.traffic_bytes};
        staying.bound = schedule::least_staying(
            steps_, tensors_, report_.machine,
            [&](const std::vector<schedule::ConvLayer>& layers) { return bounds_of_each(layers); });
        staying.bound.latency_cycles += streamed.latency_cycles;
        staying.bound.traffic_bytes += streamed.traffic_bytes;
        staying.tensors = plan->tensors;
        replace_layers(*plan, staying);
        report_.staying = std::move(staying);
    }

   private:
    const Task* find(const schedule::ConvLayer& layer) const {
        const auto its =
            std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.layer == layer; });
        return its == tasks_.end() ? nullptr : &*its;
    }

    std::vector<std::optional<schedule::LayerCost>> costs_of(const std::vector<schedule::ConvLayer>& layers) {
        std::vector<Task> missing;
        for (const schedule::ConvLayer& layer : layers)
            if (find(layer) == nullptr) missing.push_back({layer, "", {}});
        if (!report_.interrupted && !missing.empty())
            report_.interrupted = search(missing, report_.machine, options_, control_);
        std::move(missing.begin(), missing.end(), std::back_inserter(tasks_));
        std::vector<std::optional<schedule::LayerCost>> costs;
        for (const schedule::ConvLayer& layer : layers) {
            const std::optional<schedule::Found>& best = find(layer)->answer.best;
            costs.push_back(best ? std::optional(cost_of(best->schedule)) : std::nullopt);
        }
        return costs;
    }

    // The search's bounds; none for a layer without any tiling.
    std::vector<std::optional<schedule::LayerCost>> bounds_of_each(
        const std::vector<schedule::ConvLayer>& layers) const {
        std::vector<std::optional<schedule::LayerCost>> bounds;
        for (const schedule::ConvLayer& layer : layers) {
            const Task* known = find(layer);
            const schedule::LayerBounds one =
                known != nullptr ? known->answer.bounds
                                 : layer_bounds(report_.machine, layer, options_.rule, options_.objective);
            const bool possible = one.traffic_bytes > 0;
            bounds.push_back(possible ? std::optional(schedule::LayerCost{one.latency_cycles, one.traffic_bytes})
                                      : std::nullopt);
        }
        return bounds;
    }

    schedule::LayerCost streamed_cost(const report::ScheduleTotals& sum) const {
        schedule::LayerCost cost{sum.latency_cycles, sum.traffic_bytes};
        for (const report::ScheduledLayer& layer : report_.layers) {
            cost.latency_cycles -= layer.repeats * layer.answer.best->schedule.latency_cycles;
            cost.traffic_bytes -= layer.repeats * layer.answer.best->schedule.traffic_bytes;
        }
        return cost;
    }

    // One for every layer and its kept tensors, in order of first appearance.
    void replace_layers(const schedule::StayingPlan& plan, report::StayingOutputs& staying) {
        std::vector<report::ScheduledLayer> layers;
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const schedule::NetworkStep& step = steps_[s];
            schedule::ConvLayer layer = step.layer;
            layer.kept = plan.kept[s];
            auto its = std::find_if(layers.begin(), layers.end(),
                                    [&](const report::ScheduledLayer& one) { return one.layer == layer; });
            if (its == layers.end()) its = layers.insert(layers.end(), {{}, 0, layer, answer_with(layer)});
            its->names.push_back(network_.layers[s].name);
            its->repeats += step.groups * step.images * step.repeats;
            staying.order.push_back({network_.layers[s].name, static_cast<int>(its - layers.begin()), step.groups,
                                     step.images, step.repeats});
        }
        report_.layers = std::move(layers);
    }

    // Its schedules were searched at address 0; the baseline is the layer's own.
    schedule::LayerAnswer answer_with(const schedule::ConvLayer& layer) const {
        const schedule::Kept& kept = layer.kept;
        schedule::ConvLayer searched = layer;
        searched.kept = {kept.input, kept.output, 0, kept.below_bytes + kept.above_bytes};
        schedule::LayerAnswer answer = find(searched)->answer;
        for (std::optional<schedule::Found>* found : {&answer.best, &answer.published}) {
            if (!*found) continue;
            (*found)->problem.layer = layer;
            (*found)->schedule = moved_up(std::move((*found)->schedule), kept.below_bytes);
        }
        schedule::ConvLayer alone = layer;
        alone.kept = {};
        answer.baseline = find(alone)->answer.baseline;
        return answer;
    }

    report::ScheduleReport& report_;
    const Network& network_;
    const schedule::SearchOptions& options_;
    const ScheduleControl& control_;
    const std::vector<schedule::NetworkStep> steps_;
    const std::vector<schedule::StayingTensor> tensors_;
    std::vector<Task> tasks_;  ///< searched layers with kept tensors beside them
};

}  // namespace

report::ScheduleReport schedule_problem(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options, Elementwise elementwise,
                                        const std::vector<PartialBits>& partial) {
    report::ScheduleReport report;
    report.machine = machine;
    report.network = network.name;
    report.with_elementwise = elementwise == Elementwise::counted;
    add_streamed(network, report);
    report.rule = options.rule;
    report.objective = options.objective;
    for (const DistinctLayer& shape : distinct_layers(network)) {
        const auto first = static_cast<std::ptrdiff_t>(report.layers.size());
        for (const int one : shape.layers) {
            const schedule::RepeatedLayer repeated = conv_layer(network, one, machine, partial);
            auto its = std::ranges::find(report.layers.begin() + first, report.layers.end(), repeated.layer,
                                         &report::ScheduledLayer::layer);
            if (its == report.layers.end()) its = report.layers.insert(its, {{}, 0, repeated.layer, {}});
            its->names.push_back(network.layers[one].name);
            its->repeats += network.layers[one].repeats * repeated.repeats;
        }
    }
    note_words(report);
    return report;
}

void schedule_layers(report::ScheduleReport& report, const schedule::SearchOptions& options,
                     const ScheduleControl& control) {
    std::vector<Task> tasks;
    for (const report::ScheduledLayer& layer : report.layers) tasks.push_back({layer.layer, layer.names.front(), {}});
    report.interrupted = search(tasks, report.machine, options, control);
    for (std::size_t i = 0; i < tasks.size(); ++i) report.layers[i].answer = std::move(tasks[i].answer);
    judge(report);
}

void try_every_tiling(report::ScheduleReport& report, const schedule::SearchOptions& options,
                      const ScheduleControl& control) {
    require_threads(control.threads);
    static const StopSource kNever;
    const StopSource& stop = control.stop != nullptr ? *control.stop : kNever;
    tbb::task_arena arena(control.threads > 0 ? control.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        for (report::ScheduledLayer& layer : report.layers)
            layer.tilings = schedule::every_tiling(report.machine, layer.layer, options, stop);
    });
    report.interrupted = stop.requested();
}

void let_outputs_stay(report::ScheduleReport& report, const Network& network, const schedule::SearchOptions& options,
                      const ScheduleControl& control, const std::vector<PartialBits>& partial) {
    if (report.interrupted || report::totals(report).missing > 0) return;
    Staying(report, network, partial, options, control).apply();
    const bool known = std::any_of(network.layers.begin(), network.layers.end(),
                                   [](const Layer& layer) { return !layer.feeds_from.empty(); });
    if (!known) report.notes.emplace_back("no output stays: the readers of results are unknown");
    judge(report);
}

report::ScheduleReport schedule_network(const Network& network, const schedule::MultiNpu& machine,
                                        const schedule::SearchOptions& options, const ScheduleControl& control) {
    report::ScheduleReport report = schedule_problem(network, machine, options);
    schedule_layers(report, options, control);
    return report;
}

}  // namespace tilewright
