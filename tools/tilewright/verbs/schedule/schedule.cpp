// tilewright schedule: layers on a machine of several cores around one scratchpad.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "inputs/core_settings.hpp"
#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "inputs/mistakes.hpp"
#include "native/multi_npu.hpp"
#include "native/schedule.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/documents/documents.hpp"
#include "report/plot/chart.hpp"
#include "report/schedule/schedule.hpp"
#include "report/views/schedule_figures.hpp"
#include "run/schedule/schedule_network.hpp"
#include "run/schedule/schedule_options.hpp"
#include "run/schedule/tile_latency.hpp"
#include "run/words.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/schedule/schedule_cache.hpp"

namespace tilewright::cli {
namespace {

bool names_machine_file(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

class ScheduleVerb : public Command {
   public:
    void declare(Options& options) override {
        options.group("Machine");
        options.value("arch", 'a', "NAME", "the machine: arch1 to arch8, or a YAML file with 'multi_npu'", &arch_)
            .completes = "file";
        options
            .value("core", 0, "ARCH", "an operation takes as long as the best mapping of its tile on this machine",
                   &core_)
            .completes = "arch";
        options.value("set", 0, "NAME=VALUE",
                      "change an attribute of the machine: cores=8, scratchpad_bytes=512KiB, dma.bytes_per_cycle=64",
                      &set_);
        inputs_.declare_net(options);
        options.flag("with-elementwise", 0, "pooling and element-wise layers count, as one read and one write each",
                     &wishes_.with_elementwise);
        options.group("Search");
        options.value("objective", 0, "WHAT", "latency, traffic, or a product such as latency*traffic^2",
                      &wishes_.objective);
        options.value("rule", 0, "WHICH", "when transfers may run", &wishes_.rule).choices = schedule_words("rule");
        options.value("spread", 0, "WHICH", "loops of the static baseline open to several cores", &wishes_.spread)
            .choices = schedule_words("spread");
        options
            .value("scheduler", 0, "WHICH", "ours, or Flexer's Algorithm 1 on every tiling, or both",
                   &wishes_.scheduler)
            .choices = schedule_words("scheduler");
        options
            .value("baseline", 0, "WHICH", "static schedules to compare with, from weak to strong", &wishes_.baseline)
            .choices = schedule_words("baseline");
        options.flag("as-published", 0, "only Flexer's list scheduler, on the most promising tilings",
                     &wishes_.as_published);
        options.value("priority", 0, "WHICH", "of the list scheduler: the next set of operations", &wishes_.priority)
            .choices = schedule_words("priority");
        options.value("memory", 0, "WHICH", "of the list scheduler: the blocks to spill", &wishes_.memory).choices =
            schedule_words("memory");
        options.value("tilings", 0, "N", "tilings on which schedulers beside the static one are run (200)",
                      &wishes_.tilings);
        options.value("beam", 0, "N", "partial schedules in the look-ahead, on small graphs (4; 0: none)",
                      &wishes_.beam);
        options.flag("keep-outputs", 0, "outputs may stay in the scratchpad for their readers", &wishes_.keep_outputs);
        options.flag("every-tiling", 0, "also the result of every choice of tile sizes by itself",
                     &wishes_.every_tiling);
        options.value("time-limit", 0, "SECONDS", "of all layers together; the best so far is kept",
                      &wishes_.time_limit_seconds);
        cache_.declare(options);
        options.group("Search");
        options.value("threads", 't', "N", "0, the default: all there are; does not change the result", &threads_)
            .between(0, kMostThreads);
        options.group("Output");
        options
            .value("output", 'o', "DIR", "write schedule.json, report.json, report.txt, report.html and traces there",
                   &output_.directory)
            .completes = "directory";
        options.value("svg", 0, "DIR", "write a Gantt chart and a map of the scratchpad of every layer there", &svg_)
            .completes = "directory";
        options.flag("json", 'j', "print one JSON document instead of text", &output_.json);
        options.flag("quiet", 'q', "print nothing but errors (and JSON)", &output_.quiet);
        options
            .value("csv", 0, "FILE", "write a row per layer and schedule; '-': print them in place of the text",
                   &output_.csv)
            .completes = "file";
        declare_html(options, output_.html);
    }

    ExitStatus run() override {
        resolve();
        Inputs inputs("schedule", inputs_);
        std::vector<report::Input> read;
        schedule::MultiNpu machine = read_machine(read);
        map_tiles(machine, read);
        // Everything is read and checked before the first search starts.
        inputs.take_words();
        const Network network = inputs.network();
        const std::vector<Words> words = inputs.words(network);
        if (have_blocks(words))
            fail_usage("schedule",
                       "--bits with blocks of words that share a scale: schedules move words without scales");
        partial_ = partial_bits_of(words);
        report::ScheduleReport report =
            schedule_problem(network, machine, search_,
                             wishes_.with_elementwise ? Elementwise::counted : Elementwise::left_out, partial_);
        report.provenance.tool_version = build_version();
        report.provenance.command = "schedule";
        report.provenance.inputs = read;
        for (const report::Input& input : inputs.read()) report.provenance.inputs.push_back(input);
        report.provenance.options = schedule_provenance(wishes_, search_);
        if (!inputs_.bits.empty())
            report.provenance.options.emplace_back("bits", fmt::format("{}", fmt::join(inputs_.bits, ",")));
        const std::vector<std::string> notes = inputs.notes();
        report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
        prepare(output_);  // before the work, not after it
        if (!svg_.empty()) make_directory(svg_);
        search_all(report, network);
        write(report);
        return finish(report);
    }

   private:
    void resolve() {
        if (arch_.empty()) fail_usage("schedule", "no machine: give --arch arch1 (to arch8) or a file");
        search_ = in_the_words_of("schedule", [&] { return schedule_options(wishes_); });
    }

    schedule::MultiNpu read_machine(std::vector<report::Input>& read) const {
        if (names_machine_file(arch_)) {
            read.push_back({arch_, content_hash(read_file(arch_))});
            const yaml::Node root = yaml::parse_file(arch_);
            root.expect_keys({"multi_npu"});
            return changed_machine(root, read);
        }
        refuse_for("schedule", meant_for_arch_of_cores(arch_));
        const yaml::Node root = yaml::parse_text(native::zoo_multi_npu_file(arch_), "zoo:" + arch_);
        const schedule::MultiNpu machine = native::read_multi_npu(root);
        const std::string text = native::write_schedules({native::LayerSchedule{{}, 1, {machine, {}, {}}, {}}});
        read.push_back({"zoo:" + arch_, content_hash(text)});
        return set_.empty() ? machine : changed_machine(root, read);
    }

    schedule::MultiNpu changed_machine(const yaml::Node& root, std::vector<report::Input>& read) const {
        for (const std::string& text : set_)
            read.push_back({"--set " + text.substr(0, text.find('=')), content_hash(text.substr(text.find('=') + 1))});
        return native::read_multi_npu(with_core_settings(root, set_));
    }

    // Who maps the tiles, where the machine describes its cores by an architecture.
    void map_tiles(schedule::MultiNpu& machine, std::vector<report::Input>& read) {
        if (!core_.empty()) {
            machine.latency = {};
            machine.mapped = schedule::MappedLatency(core_);
        }
        if (!machine.mapped.given()) return;
        InputOptions options;
        options.arch = machine.mapped.core();
        // A machine's file names files beside itself.
        if (core_.empty() && names_machine_file(arch_) && names_machine_file(options.arch) &&
            !options.arch.starts_with('/'))
            options.arch = (std::filesystem::path(arch_).parent_path() / options.arch).string();
        core_inputs_ = std::make_unique<Inputs>("schedule", options);
        Architecture architecture = core_inputs_->architecture();
        std::string core = architecture.name;
        for (const report::Input& input : core_inputs_->read()) {
            core += " " + input.xxh3;
            read.push_back(input);
        }
        machine.mapped = schedule::MappedLatency(
            core, std::make_shared<TileLatency>(architecture, [this, architecture](const Einsum& einsum) {
                return core_inputs_->constraints(architecture, einsum);
            }));
    }

    void search_all(report::ScheduleReport& report, const Network& network) {
        StopSource stop;
        const Interrupt interrupt(stop);
        StatusLine line(!output_.quiet);
        if (wishes_.time_limit_seconds)
            search_.deadline = deadline_after(std::chrono::steady_clock::now(),
                                              std::chrono::duration<double>(*wishes_.time_limit_seconds));
        ScheduleCache cache(cache_, search_, output_.quiet);
        ScheduleControl control;
        control.threads = threads_of(threads_);
        control.stop = &stop;
        control.progress = [&](std::size_t done, std::size_t all, const std::string& name) {
            line.show(fmt::format("[{}/{}] {}", done, all, name));
        };
        control.known = [&](const schedule::ConvLayer& layer, schedule::LayerAnswer& answer) {
            return cache.load(report.machine, layer, answer);
        };
        control.keep = [&](const schedule::ConvLayer& layer, const schedule::LayerAnswer& answer) {
            cache.save(report.machine, layer, answer);
        };
        schedule_layers(report, search_, control);
        if (wishes_.every_tiling && !report.interrupted) try_every_tiling(report, search_, control);
        if (wishes_.keep_outputs) let_outputs_stay(report, network, search_, control, partial_);
        report.interrupted = interrupt.happened();
    }

    void write(const report::ScheduleReport& report) const {
        const std::string json = report::schedule_json(report);
        const std::string text = report::schedule_text(report);
        const std::string csv = output_.csv.empty() ? "" : report::schedule_csv(report);
        std::vector<NamedBytes> elsewhere = csv_file(output_.csv, csv);
        if (!output_.directory.empty() || !output_.html.empty() || !svg_.empty()) {
            std::vector<NamedBytes> files{{"report.json", json}, {"report.txt", text}};
            std::vector<native::LayerSchedule> schedules;
            std::vector<views::ScheduledLayer> drawn;
            FileNames names;
            std::map<std::string, std::string> stems;
            for (const report::ScheduledLayer& layer : report.layers) {
                if (!layer.answer.best) continue;
                const schedule::Found& best = *layer.answer.best;
                schedules.push_back({layer.names, layer.repeats, best.problem, best.schedule});
                const std::string& name = layer.names.front();
                drawn.push_back({name, best.problem, best.schedule});
                stems[name] = names.of(name);
                files.emplace_back("trace/" + stems[name] + ".json",
                                   report::schedule_trace(best.problem, best.schedule, name));
            }
            if (!schedules.empty()) {
                files.emplace_back("schedule.json", native::write_schedules(schedules, order_of(report)));
                std::vector<views::Figure> figures = views::schedule_figures(drawn);
                if (!svg_.empty()) add_pictures(figures, stems, elsewhere);
                const auto document = [&] { return documents::document_of(report, "report.json"); };
                for (NamedBytes& page : page_files(document, output_, std::move(figures)))
                    files.push_back(std::move(page));
            }
            if (output_.directory.empty())
                std::erase_if(files, [&](const NamedBytes& file) { return file.first != output_.html; });
            std::move(files.begin(), files.end(), std::back_inserter(elsewhere));
        }
        write_files(output_.directory, elsewhere);
        print_asked({json, text, csv, text}, output_);
    }

    // Where outputs stay, every layer has a schedule, so that those of the file are the report's.
    static native::NetworkOrder order_of(const report::ScheduleReport& report) {
        native::NetworkOrder order;
        if (!report.staying) return order;
        for (const report::StayingOutputs::LayerRun& one : report.staying->order)
            order.steps.push_back({one.name, one.layer, one.groups, one.images, one.repeats});
        order.staying = report.staying->tensors;
        return order;
    }

    /// `stems`: by layer.
    void add_pictures(const std::vector<views::Figure>& figures, const std::map<std::string, std::string>& stems,
                      std::vector<NamedBytes>& files) const {
        const std::filesystem::path folder = std::filesystem::absolute(svg_);
        for (const views::Figure& figure : figures) {
            const std::string name = (figure.of.empty() ? "" : stems.at(figure.of) + "-") + figure.kind + ".svg";
            files.emplace_back((folder / name).string(), plot::svg(figure.chart));
        }
    }

    static ExitStatus finish(const report::ScheduleReport& report) {
        bool complete = true;
        for (const report::ScheduledLayer& layer : report.layers) {
            if (layer.answer.best) continue;
            complete = false;
            if (!report.interrupted)
                print_error("error: layer '" + layer.names.front() + "': no tile sizes fit in the scratchpad of " +
                            report.machine.name);
        }
        if (report.interrupted) return ExitStatus::interrupted;
        return complete ? ExitStatus::done : ExitStatus::no_answer;
    }

    std::string arch_;
    std::string core_;
    std::vector<std::string> set_;
    std::unique_ptr<Inputs> core_inputs_;  ///< of the architecture that tiles are mapped on
    InputOptions inputs_;
    std::vector<PartialBits> partial_;  ///< by layer of the network; empty: none are given
    ScheduleWishes wishes_{.dashes = "--"};
    std::optional<std::int64_t> threads_;
    CacheOptions cache_;
    OutputOptions output_;
    std::string svg_;
    schedule::SearchOptions search_;
};

}  // namespace

std::unique_ptr<Command> make_schedule() { return std::make_unique<ScheduleVerb>(); }

}  // namespace tilewright::cli
