#include "verbs/schedule/schedule_replay.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "native/schedule.hpp"
#include "report/documents/documents.hpp"
#include "report/schedule/schedule.hpp"
#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/terms.hpp"
#include "run/simulate/simulate_schedules.hpp"
#include "schedule/validation/validate.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/check/certificates.hpp"

namespace tilewright::cli {
namespace {

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

}  // namespace

void ScheduleReplayOptions::declare(Options& options) {
    options.group("Replayed schedule");
    options.value("clock", 0, "GHZ", "clock of the schedule's machine, beside which the DRAM runs (1)", &clock_ghz);
    options
        .value("layout", 0, "WHICH", "how tensors lie in the DRAM: by row, column, channel, or tile by tile (rows)",
               &layout)
        .choices = {"rows", "tiles"};
    options.only_with({"clock", "layout"}, {"dram"});
}

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

}  // namespace tilewright::cli
