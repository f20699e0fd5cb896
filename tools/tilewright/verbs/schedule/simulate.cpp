// tilewright simulate: replays mappings, or schedules, cycle by cycle.

#include <algorithm>

#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "inputs/mappings.hpp"
#include "inputs/physical.hpp"
#include "options/machine_options.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/documents/documents.hpp"
#include "report/simulation/simulation.hpp"
#include "report/simulation/terms.hpp"
#include "run/simulate/simulate_network.hpp"
#include "verbs/map/search_layers.hpp"
#include "verbs/schedule/schedule_replay.hpp"
#include "verbs/schedule/simulation.hpp"

namespace tilewright::cli {
namespace {

class Simulate : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        machine_.declare(options);
        schedule_.declare(options);
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
    }

    ExitStatus run() override {
        const int threads = threads_of(plan_.threads);
        const std::string schedule = schedule_among("simulate", inputs_.files);
        if (!schedule.empty()) {
            refuse_options_of_mappings();
            schedule_.largest_input_mib = inputs_.largest_input_mib;
            return replay_schedules(schedule, schedule_, machine_, threads, output_);
        }
        if (schedule_.clock_ghz || !schedule_.layout.empty())
            fail_usage("simulate", "--clock and --layout are for schedules; a mapping's architecture says it");
        Inputs inputs("simulate", inputs_);
        inputs.refuse_zigzag("ZigZag's files cannot be simulated");
        report::Simulation simulation;
        simulation.architecture = inputs.architecture();
        const Network network = inputs.network();
        simulation.network = network.name;
        simulation.notes = inputs.notes();
        std::vector<report::Input> read = inputs.read();
        const sim::MachineOptions machine = machine_.resolve("simulate", read);
        const sim::Floor floor = machine_.floor("simulate", simulation.architecture);
        simulation.memory = memory_name(machine);
        prepare(output_);
        const std::vector<Replayed> layers =
            has_mappings(inputs.root())
                ? replayed(network, given_mappings("simulate", inputs, network, simulation.architecture))
                : searched(inputs, network, simulation);
        simulate_mappings(layers,
                          {.machine = machine,
                           .floor = floor,
                           .threads = threads,
                           .trace = !output_.directory.empty(),
                           .quiet = output_.quiet},
                          simulation);
        for (const Replayed& layer : layers) {
            if (!layer.mapping) continue;
            for (std::string& note :
                 replayed_note(inputs, simulation.architecture, layer.names.front(), layer.einsum, *layer.mapping))
                simulation.notes.push_back(std::move(note));
        }
        simulation.provenance = provenance("simulate", read);
        write(simulation);
        return finish_simulation(simulation);
    }

   private:
    /// A schedule says itself what runs on which machine.
    void refuse_options_of_mappings() {
        const auto given = [](Simulate& command) {
            Options options;
            command.declare(options);
            return options.arguments({"dram", "dram-channels", "row-policy", "dram-controller", "dram-interleaving",
                                      "clock", "layout", "threads", "cache", "no-cache", "output", "json", "csv",
                                      "quiet", "largest-input"});
        };
        Simulate untouched;
        const std::vector<std::string> defaults = given(untouched);
        for (const std::string& argument : given(*this)) {
            if (!argument.starts_with("--") || argument == "--") break;  // words
            if (std::find(defaults.begin(), defaults.end(), argument) != defaults.end()) continue;
            fail_usage("simulate", argument.substr(0, argument.find('=')) +
                                       " is for mappings: a schedule says what runs on which machine");
        }
    }

    /// Without mappings they are searched as `tilewright map` does.
    std::vector<Replayed> searched(Inputs& inputs, const Network& network, report::Simulation& simulation) {
        const PlannedSearch settings = plan_.settle(inputs.root());
        simulation.notes.insert(simulation.notes.end(), settings.notes.begin(), settings.notes.end());
        const NetworkProblem problem = network_problem(network, simulation.architecture, [&](const Einsum& einsum) {
            return inputs.constraints(simulation.architecture, einsum);
        });
        for (const std::string& note : inputs.notes())
            if (std::ranges::find(simulation.notes, note) == simulation.notes.end()) simulation.notes.push_back(note);
        plan_.check(problem);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        const NetworkAnswer answer = search_layers(problem, settings.map, cache, output_.quiet);
        simulation.interrupted = answer.interrupted;
        return replayed(problem, answer);
    }

    void write(const report::Simulation& simulation) const {
        const std::string text = report::simulation_text(simulation);
        std::vector<NamedBytes> files;
        if (!output_.directory.empty()) {
            FileNames names;
            for (const report::SimulatedLayer& layer : simulation.layers) {
                if (!layer.failure.empty()) continue;
                const std::string name = names.of(layer.names.front());
                files.emplace_back("trace/" + name + ".json", report::trace_json(layer));
                files.emplace_back("links/" + name + ".svg", report::heat_map_svg(layer, simulation.architecture));
            }
        }
        const std::string csv = output_.csv.empty() ? "" : report::simulation_csv(simulation);
        write_simulated({report::simulation_json(simulation), text, csv, text,
                         [&] { return documents::document_of(simulation, "report.json"); }},
                        output_, std::move(files));
    }

    InputOptions inputs_;
    MachinePlan machine_;
    ScheduleReplayOptions schedule_;
    SearchPlan plan_;
    CacheOptions cache_;
    OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_simulate() { return std::make_unique<Simulate>(); }

}  // namespace tilewright::cli
