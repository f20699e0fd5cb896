// tilewright simulate: replays mappings, or schedules, cycle by cycle.
#include "verbs/schedule/simulate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "inputs/cascades.hpp"
#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "inputs/physical.hpp"
#include "native/schedule.hpp"
#include "options/machine_options.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/documents/documents.hpp"
#include "report/schedule/schedule.hpp"
#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/simulation.hpp"
#include "report/simulation/terms.hpp"
#include "run/simulate/simulate_network.hpp"
#include "run/simulate/simulate_schedules.hpp"
#include "schedule/validation/validate.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/check/certificates.hpp"
#include "verbs/map/search_layers.hpp"

namespace tilewright::cli {
namespace {

// tilewright simulate of schedules: what `tilewright schedule` wrote, replayed on a DRAM.

struct ScheduleReplayOptions {
    std::optional<double> clock_ghz;
    std::string layout;                             ///< "rows", "tiles" or "": rows
    std::optional<std::int64_t> largest_input_mib;  ///< of the schedule's file; empty: 64

    void declare(Options& options);
};

constexpr const char* kReplayVerb = "simulate";
constexpr const char* kScheduleFile = "schedule.json";

/// The schedules of a file that hold, each by itself and, where outputs stay, with the others.
std::vector<native::LayerSchedule> sound_schedules(const yaml::Node& root) {
    const std::vector<native::LayerScheduleFile> layers = native::read_schedules(root);
    std::vector<native::LayerSchedule> sound;
    for (const native::LayerScheduleFile& one : layers) sound.push_back(one.layer);
    const auto refuse = [](const schedule::Finding& finding, const Location& where) {
        throw InputError(ErrorCode::bad_value, where,
                         fmt::format("this schedule cannot be replayed: {}{}{}", finding.place,
                                     finding.place.empty() ? "" : ": ", finding.message));
    };
    for (const native::LayerScheduleFile& one : layers)
        for (const schedule::Finding& finding : schedule::validate(one.layer.problem, one.layer.schedule, 1))
            refuse(finding, one.at(finding.place));
    const native::NetworkOrderFile order = native::read_order(root, layers);
    if (order.steps.empty()) return sound;
    for (const schedule::Finding& finding :
         schedule::validate_staying(layers.front().layer.problem.machine, order.steps, order.staying))
        refuse(finding, order.at(finding.place));
    return sound;
}

void write_replay(const report::ScheduleReplay& replay, const OutputOptions& output) {
    const std::string text = report::replay_text(replay);
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) {
        FileNames names;
        for (const report::ReplayedLayer& layer : replay.layers) {
            if (!layer.failure.empty()) continue;
            const std::string& name = layer.names.front();
            files.emplace_back("trace/" + names.of(name) + ".json",
                               report::schedule_trace(layer.problem, layer.result.schedule, name));
        }
    }
    const std::string csv = output.csv.empty() ? "" : report::replay_csv(replay);
    write_simulated(
        {report::replay_json(replay), text, csv, text, [&] { return documents::document_of(replay, "report.json"); }},
        output, std::move(files));
}

void ScheduleReplayOptions::declare(Options& options) {
    options.group("Replayed schedule");
    options.value("clock", 0, "GHZ", "clock of the schedule's machine, beside which the DRAM runs (1)", &clock_ghz);
    options
        .value("layout", 0, "WHICH", "how tensors lie in the DRAM: by row, column, channel, or tile by tile (rows)",
               &layout)
        .choices = {"rows", "tiles"};
    options.only_with({"clock", "layout"}, {"dram"});
}

// The schedule.json that these words name, themselves or by their folder: the only one, or "" when none does. Throws
// InputError for a folder without one, for more than one, and for one among other files.
std::string schedule_among(const std::string& verb, const std::vector<std::string>& files) {
    std::string found;
    for (const std::string& word : files) {
        std::string file = word;
        if (std::filesystem::is_directory(word)) {
            file = (std::filesystem::path(word) / kScheduleFile).string();
            if (!std::filesystem::exists(file))
                throw InputError(ErrorCode::io, {word},
                                 "a folder without schedule.json, which schedule -o writes; of mappings give the file: "
                                 "mapping.yaml");
        }
        if (says_schema(file, "tilewright-schedule/")) found = file;
    }
    if (!found.empty() && files.size() > 1) fail_usage(verb, "a schedule is replayed alone: leave out the other files");
    return found;
}

// Reads, judges and replays the schedules of a file. Throws InputError for one that does not hold.
ExitStatus replay_schedules(const std::string& file, const ScheduleReplayOptions& plan, const MachinePlan& machine,
                            int threads, const OutputOptions& output) {
    report::ScheduleReplay replay;
    const std::uintmax_t most_bytes = most_input_bytes(plan.largest_input_mib, file);
    std::vector<report::Input> read{{file, content_hash(read_file(file, most_bytes))}};
    const sim::MachineOptions memory = machine.resolve(kReplayVerb, read);
    replay.options = {.dram = memory.dram,
                      .dram_options = memory.dram_options,
                      .clock_ghz = plan.clock_ghz.value_or(1.0),
                      .layout = plan.layout == "tiles" ? sim::npu::Layout::tiles : sim::npu::Layout::rows};
    refuse_for(kReplayVerb, sim::npu::problem_with(replay.options));
    const std::vector<native::LayerSchedule> layers =
        sound_schedules(yaml::parse_file(file, yaml::Duplicates::refuse, most_bytes));
    replay.machine = layers.front().problem.machine;
    if (!output.directory.empty()) {
        const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
        std::error_code other;
        if (std::filesystem::equivalent(folder, output.directory, other))
            fail_usage(kReplayVerb, "-o: the traces of '" + file + "' are in that folder; give another");
    }
    prepare(output);
    StopSource stop;
    {
        StatusLine line(!output.quiet);
        const Interrupt interrupt(stop);
        SimulationControl control;
        control.threads = threads;
        control.stop = &stop;
        control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t all) {
            line.show(fmt::format("{}: step {} of {}", layer, done, all));
        };
        replay.layers = simulate_schedules(layers, replay.options, control);
        line.clear();
        replay.interrupted = interrupt.happened();
    }
    replay.provenance = provenance(kReplayVerb, read);
    write_replay(replay, output);
    return replay.interrupted ? ExitStatus::interrupted : ExitStatus::done;
}

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

void simulate_mappings(const std::vector<Replayed>& layers, const SimulationWork& work,
                       report::Simulation& simulation) {
    StopSource stop;
    StatusLine line(!work.quiet);
    const Interrupt interrupt(stop);
    SimulationControl control;
    control.threads = work.threads;
    control.trace = work.trace;
    control.stop = &stop;
    control.progress = [&](const std::string& layer, std::int64_t done, std::int64_t steps) {
        line.show(fmt::format("{}: step {} of {}", layer, done, steps));
    };
    simulation.layers = simulate_layers(layers, simulation.architecture, work.floor, work.machine, control);
    line.clear();
    simulation.interrupted = simulation.interrupted || interrupt.happened();
}

ExitStatus finish_simulation(const report::Simulation& simulation) {
    if (simulation.interrupted) return ExitStatus::interrupted;
    ExitStatus status = ExitStatus::done;
    for (const report::SimulatedLayer& layer : simulation.layers) {
        if (layer.failure.empty()) continue;
        print_error("error: " + layer.names.front() + ": " + layer.failure);
        status = ExitStatus::no_answer;
    }
    return status;
}

}  // namespace tilewright::cli
