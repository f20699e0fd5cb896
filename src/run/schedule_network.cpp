#include "run/schedule_network.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/checked.hpp"
#include "schedule/layer.hpp"
#include "schedule/validate.hpp"

namespace tilewright {
namespace {

// No schedule leaves that the validator does not accept.
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
}

// What is counted is not left out.
void add_streamed(const Network& network, report::ScheduleReport& report) {
    const schedule::Machine& machine = report.machine;
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

}  // namespace

report::ScheduleReport schedule_problem(const Network& network, const schedule::Machine& machine,
                                        const schedule::SearchOptions& options, Elementwise elementwise) {
    report::ScheduleReport report;
    report.machine = machine;
    report.network = network.name;
    report.with_elementwise = elementwise == Elementwise::counted;
    add_streamed(network, report);
    report.rule = options.rule;
    report.objective = options.objective;
    for (const DistinctLayer& shape : distinct_layers(network)) {
        report::ScheduledLayer layer;
        for (const int one : shape.layers) layer.names.push_back(network.layers[static_cast<std::size_t>(one)].name);
        const schedule::RepeatedLayer repeated = schedule::conv_layer(shape.einsum, layer.names.front());
        layer.layer = repeated.layer;
        layer.repeats = shape.repeats * repeated.repeats;
        report.layers.push_back(std::move(layer));
    }
    return report;
}

void schedule_layers(report::ScheduleReport& report, const schedule::SearchOptions& options,
                     const ScheduleControl& control) {
    static const StopSource kNever;
    const StopSource& stop = control.stop != nullptr ? *control.stop : kNever;
    std::atomic<std::size_t> done{0};
    tbb::task_arena arena(control.threads > 0 ? control.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, report.layers.size(), [&](std::size_t i) {
            report::ScheduledLayer& layer = report.layers[i];
            if (!control.known || !control.known(layer.layer, layer.answer)) {
                layer.answer = schedule::search_layer(report.machine, layer.layer, options, stop);
                if (control.keep && !stop.requested()) control.keep(layer.layer, layer.answer);
            }
            const std::size_t count = ++done;
            if (control.progress) control.progress(count, report.layers.size(), layer.names.front());
        });
    });
    report.interrupted = stop.requested();
    judge(report);
}

report::ScheduleReport schedule_network(const Network& network, const schedule::Machine& machine,
                                        const schedule::SearchOptions& options, const ScheduleControl& control) {
    report::ScheduleReport report = schedule_problem(network, machine, options);
    schedule_layers(report, options, control);
    return report;
}

}  // namespace tilewright
