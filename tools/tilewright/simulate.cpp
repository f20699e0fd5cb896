// tilewright simulate: replays mappings cycle by cycle.

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cctype>

#include "cache.hpp"
#include "frontend/timeloop/machine/architecture.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "machine_options.hpp"
#include "mapping/validity.hpp"
#include "mappings.hpp"
#include "model/model.hpp"
#include "output.hpp"
#include "report/simulation.hpp"
#include "search.hpp"
#include "search_layers.hpp"
#include "status_line.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

/// A layer shape and what is to be simulated of it.
struct Subject {
    report::SimulatedLayer layer;
    std::optional<Mapping> mapping;
};

std::string file_name(const std::string& layer) {
    std::string name;
    for (const char c : layer)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' ? c : '_';
    return name;
}

/// Why a mapping cannot be simulated, or "".
std::string problem_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    const std::vector<Violation> violations = check(einsum, architecture, mapping);
    if (!violations.empty()) return violations.front().message;
    if (!mapping.options.empty()) return "the mapping sets accounting switches, which a machine does not have";
    return sim::problem_with_program(einsum, architecture, mapping);
}

/// Simulates subjects side by side; the answers are the same on any number of threads.
class Replays {
   public:
    Replays(const Architecture& architecture, const sim::Floor& floor, const sim::MachineOptions& machine,
            std::vector<Subject>& subjects, bool trace, bool quiet)
        : architecture_(architecture),
          floor_(floor),
          machine_(machine),
          subjects_(subjects),
          trace_(trace),
          line_(!quiet) {}

    /// Says whether it was interrupted.
    bool run(int threads) {
        const Interrupt interrupt(stop_);
        tbb::task_arena arena(threads);
        arena.execute([&] {
            tbb::parallel_for(0, std::min(threads, static_cast<int>(subjects_.size())), [&](int) {
                for (std::size_t i = begun_++; i < subjects_.size(); i = begun_++) replay(subjects_[i]);
            });
        });
        line_.clear();
        return interrupt.happened();
    }

   private:
    void replay(Subject& subject) {
        report::SimulatedLayer& layer = subject.layer;
        if (!layer.failure.empty()) return;
        if (stop_.requested()) {
            layer.failure = "interrupted before it was simulated";
            return;
        }
        layer.failure = problem_of(layer.einsum, architecture_, *subject.mapping);
        if (!layer.failure.empty()) return;
        try {
            layer.evaluation = evaluate(layer.einsum, architecture_, *subject.mapping);
            sim::Program program = sim::program_of(layer.einsum, architecture_, *subject.mapping, &stop_);
            program.floor = floor_;
            layer.floor = floor_;
            sim::ReplayControl control;
            control.stop = &stop_;
            control.trace = trace_;
            control.progress = [&](std::int64_t done, std::int64_t steps) {
                line_.show(fmt::format("{}: step {} of {}", layer.names.front(), done, steps));
            };
            layer.result = sim::replay(layer.einsum, architecture_, program, layer.evaluation, machine_, control);
        } catch (const sim::Interrupted&) {
            layer.failure = "interrupted before its steps were known";
        }
    }

    const Architecture& architecture_;
    const sim::Floor& floor_;
    const sim::MachineOptions& machine_;
    std::vector<Subject>& subjects_;
    bool trace_;
    StopSource stop_;
    StatusLine line_;
    std::atomic<std::size_t> begun_{0};
};

class Simulate : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        inputs_.declare_net(options);
        inputs_.declare_mapping(options);
        machine_.declare(options);
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
    }

    ExitStatus run() override {
        Inputs inputs("simulate", inputs_);
        if (inputs.zigzag().decide()) fail_usage("simulate", "ZigZag's files cannot be simulated");
        report::Simulation simulation;
        simulation.architecture = inputs.architecture();
        const Network network = inputs.network();
        simulation.network = network.name;
        simulation.notes = inputs.notes();
        std::vector<report::Input> read = inputs.read();
        const sim::MachineOptions machine = machine_.resolve("simulate", read);
        const sim::Floor floor = machine_.floor("simulate", simulation.architecture);
        simulation.memory = machine.dram ? machine.dram->name : "";
        prepare("simulate", output_);
        std::vector<Subject> subjects = has_mappings(inputs.root()) ? given(inputs, network, simulation.architecture)
                                                                    : searched(inputs, network, simulation);
        if (subjects.empty())
            fail_usage("simulate", "the files hold no mapping of the layers of '" + network.name + "'");
        const auto threads =
            plan_.threads.value_or(0) > 0 ? static_cast<int>(*plan_.threads) : tbb::info::default_concurrency();
        const bool interrupted =
            Replays(simulation.architecture, floor, machine, subjects, !output_.directory.empty(), output_.quiet)
                .run(threads);
        simulation.interrupted = simulation.interrupted || interrupted;
        for (Subject& subject : subjects) simulation.layers.push_back(std::move(subject.layer));
        simulation.provenance = provenance("simulate", read);
        write(simulation);
        return finish(simulation);
    }

   private:
    static Subject subject_of(const ShapeProblem& shape) {
        Subject subject;
        subject.layer.names = shape.names;
        subject.layer.repeats = shape.repeats;
        return subject;
    }

    /// Layers with the same shape and the same mapping are simulated once.
    static std::vector<Subject> given(const Inputs& inputs, const Network& network, const Architecture& architecture) {
        std::vector<Subject> subjects;
        const std::vector<LayerMapping> mappings = read_mappings(inputs, network, architecture);
        for (const auto& [index, mapping] : mappings) {
            const Layer& layer = network.layers[static_cast<std::size_t>(index)];
            const auto same = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& s) {
                return s.layer.einsum.dimensions == layer.einsum.dimensions &&
                       s.layer.einsum.tensors == layer.einsum.tensors && *s.mapping == mapping;
            });
            if (same == subjects.end()) {
                subjects.push_back({{.names = {layer.name},
                                     .repeats = layer.repeats,
                                     .einsum = layer.einsum,
                                     .evaluation = {},
                                     .floor = {},
                                     .result = {},
                                     .failure = {}},
                                    mapping});
            } else {
                same->layer.names.push_back(layer.name);
                same->layer.repeats += layer.repeats;
            }
        }
        return subjects;
    }

    /// Without mappings they are searched as `tilewright map` does.
    std::vector<Subject> searched(const Inputs& inputs, const Network& network, report::Simulation& simulation) {
        const SearchSettings settings = plan_.settle(inputs.root());
        simulation.notes.insert(simulation.notes.end(), settings.notes.begin(), settings.notes.end());
        const NetworkProblem problem = network_problem(network, simulation.architecture, [&](const Einsum& einsum) {
            return timeloop::read_constraints(inputs.root(), simulation.architecture, einsum);
        });
        plan_.check(problem);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        const NetworkAnswer answer = search_layers(problem, settings.map, cache, output_.quiet);
        simulation.interrupted = answer.interrupted;
        std::vector<Subject> subjects;
        for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
            Subject subject = subject_of(problem.shapes[i]);
            subject.layer.einsum = answer.layers[i].einsum;
            subject.mapping = answer.layers[i].mapping;
            if (!subject.mapping) subject.layer.failure = "no mapping was found";
            subjects.push_back(std::move(subject));
        }
        return subjects;
    }

    void write(const report::Simulation& simulation) const {
        const std::string json = report::simulation_json(simulation);
        const std::string text = report::simulation_text(simulation);
        if (!output_.directory.empty()) {
            std::vector<NamedBytes> files{{"simulation.json", json}, {"simulation.txt", text}};
            for (const report::SimulatedLayer& layer : simulation.layers) {
                if (!layer.failure.empty()) continue;
                const std::string name = file_name(layer.names.front());
                files.emplace_back("trace/" + name + ".json", report::trace_json(layer));
                files.emplace_back("links/" + name + ".svg", report::heat_map_svg(layer, simulation.architecture));
            }
            for (NamedBytes& page : page_file(json)) files.push_back(std::move(page));
            write_files(output_.directory, files);
        }
        if (output_.json) {
            print(json);
        } else if (!output_.quiet) {
            print(text);
        }
    }

    static ExitStatus finish(const report::Simulation& simulation) {
        if (simulation.interrupted) return ExitStatus::interrupted;
        ExitStatus status = ExitStatus::done;
        for (const report::SimulatedLayer& layer : simulation.layers) {
            if (layer.failure.empty()) continue;
            print_error("error: " + layer.names.front() + ": " + layer.failure);
            status = ExitStatus::no_answer;
        }
        return status;
    }

    InputOptions inputs_;
    MachinePlan machine_;
    SearchPlan plan_;
    CacheOptions cache_;
    OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_simulate() { return std::make_unique<Simulate>(); }

}  // namespace tilewright::cli
