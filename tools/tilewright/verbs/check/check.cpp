// tilewright check: reads everything it is given and reports every problem, not only the first.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/checked.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "inputs/mistakes.hpp"
#include "mapping/validity.hpp"
#include "mapspace/layer_problem.hpp"
#include "native/certificates/machine_certificate.hpp"
#include "native/certificates/package_certificate.hpp"
#include "native/schedule.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/json.hpp"
#include "run/check/certificates.hpp"
#include "run/evaluate_layer.hpp"
#include "run/words.hpp"
#include "schedule/validation/validate.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "timeloop/files/search_options.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/problem/problem.hpp"
#include "verbs/check/certificates.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "verbs/package/package_plans.hpp"

namespace tilewright::cli {
namespace {

// "4 memories and 2 fan-outs"
std::string memories_text(const Architecture& architecture) {
    const auto spreading = std::ranges::count_if(architecture.memories, &Memory::spreads_only);
    const std::int64_t storing = architecture.memory_count() - spreading;
    std::string text = fmt::format("{} {}", storing, storing == 1 ? "memory" : "memories");
    if (spreading > 0) text += fmt::format(" and {} {}", spreading, spreading == 1 ? "fan-out" : "fan-outs");
    return text;
}

class Check : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        inputs_.declare_expressible(options);
        dataflow_.declare(options);
        options.flag("json", 'j', "print one JSON document instead of text", &json_);
        package_.declare_package(options);
    }

    ExitStatus run() override {
        if (has_nothing()) fail_usage("check", "nothing to check: give files, --arch, --net or --einsum");
        inputs_.sparse = !inputs_.dense;
        if (has_dataflows(inputs_, dataflow_)) return check_dataflows(inputs_, dataflow_);
        take_certificates();
        take_package();
        check_schedules();
        std::optional<Inputs> inputs;
        if (!has_nothing()) {
            read_files(inputs);
            if (inputs) check_all(*inputs);
            if (inputs) inputs->tell_notes();
        }
        for (const std::string& file : certificates_)
            if (!interrupted_) judge(file, [&] { check_certificate_file(file); });
        return finish();
    }

   private:
    bool has_nothing() const {
        return inputs_.files.empty() && inputs_.arch.empty() && inputs_.nets.empty() && inputs_.einsum.empty();
    }

    ExitStatus finish() const {
        print_findings();
        if (interrupted_) return ExitStatus::interrupted;
        if (!readable_) return ExitStatus::bad_input;
        return legal_ ? ExitStatus::done : ExitStatus::no_answer;
    }

    // From among the files: they merge with nothing.
    void take_certificates() {
        std::erase_if(inputs_.files, [&](const std::string& file) {
            const bool of_fusion = says_schema(file, "tilewright-fused-certificate/");
            fused_ = fused_ || of_fusion;
            const bool of_plan = says_schema(file, native::kPackageCertificate);
            plans_ += of_plan ? 1 : 0;
            if (!of_fusion && !of_plan && !says_schema(file, "tilewright-certificate/") &&
                !says_schema(file, native::kMachineCertificate))
                return false;
            certificates_.push_back(file);
            return true;
        });
        if (fused_ && !inputs_.nets.empty()) inputs_.cascade = true;
    }

    // Certificates of plans speak of a package and of what is planned, and of no other input.
    void take_package() {
        if (package_.given() && plans_ == 0)
            fail_usage("check", "--package is for certificates of plans: there is none among the files");
        if (plans_ == 0) return;
        attempt([&] {
            const PackageToCheck given = package_to_check(inputs_, package_);
            given_.package = given.package;
            given_.package_constraints = given.constraints;
            given_.cascade = given.cascade;
        });
        if (plans_ < certificates_.size()) return;
        inputs_.nets.clear();
        inputs_.einsum.clear();
        inputs_.set.clear();
    }

    // Schedules, too, merge with nothing.
    void check_schedules() {
        std::vector<std::string> others;
        std::vector<std::string> schedules;
        for (const std::string& file : inputs_.files)
            (says_schema(file, "tilewright-schedule/") ? schedules : others).push_back(file);
        inputs_.files = others;
        for (const std::string& file : schedules) attempt([&] { check_schedule_file(file); });
    }

    void check_schedule_file(const std::string& file) {
        const yaml::Node root =
            yaml::parse_file(file, yaml::Duplicates::refuse, most_input_bytes(inputs_.largest_input_mib, file));
        const std::vector<native::LayerScheduleFile> layers = native::read_schedules(root);
        for (const native::LayerScheduleFile& one : layers) {
            const std::string name = "schedule of " + one.layer.names.front();
            const auto findings = schedule::validate(one.layer.problem, one.layer.schedule);
            for (const schedule::Finding& finding : findings) note_finding(name, finding, one.at(finding.place));
            if (findings.empty())
                sound_.push_back(fmt::format("{}: holds, {} cycles, {} bytes moved", name,
                                             one.layer.schedule.latency_cycles, one.layer.schedule.traffic_bytes));
        }
        const native::NetworkOrderFile order = native::read_order(root, layers);
        if (order.steps.empty()) return;
        const auto findings =
            schedule::validate_staying(layers.front().layer.problem.machine, order.steps, order.staying);
        for (const schedule::Finding& finding : findings)
            note_finding("outputs that stay", finding, order.at(finding.place));
        if (findings.empty())
            sound_.push_back(fmt::format("outputs that stay: {} of {} layers', and their places hold",
                                         order.staying.size(), order.steps.size()));
    }

    void note_finding(const std::string& what, const schedule::Finding& finding, const Location& where) {
        legal_ = false;
        const std::string message =
            fmt::format("{}: {}{}{}", what, finding.place, finding.place.empty() ? "" : ": ", finding.message);
        const char* fault = schedule::fault_name(finding.fault);
        note({fault, where.file, where.line, where.column, message},
             fmt::format("{}:{}:{}: error: {} [{}]", where.file, where.line, where.column, message, fault));
    }

    void check_certificate_file(const std::string& file) {
        StatusLine line(!json_);
        check_input_size(inputs_.largest_input_mib, file);
        StopSource stop;
        const Interrupt interrupt(stop);
        const CertificateVerdict verdict =
            check_certificate(read_file(file, most_input_bytes(inputs_.largest_input_mib, file)), file, given_,
                              {&stop, [&line](const std::string& text) { line.show(text, true); }});
        line.clear();
        note_verdict(verdict);
    }

    void note_verdict(const CertificateVerdict& verdict) {
        sound_.insert(sound_.end(), verdict.confirmed.begin(), verdict.confirmed.end());
        for (const CertificateProblem& problem : verdict.problems) {
            legal_ = false;
            const Location& where = problem.where;
            note({"certificate", where.file, where.line, where.column, problem.message},
                 fmt::format("{}:{}:{}: error: {} [certificate]", where.file, where.line, where.column,
                             problem.message));
        }
        interrupted_ = verdict.interrupted;
    }

    void print_findings() const {
        for (const std::string& text : texts_) print_error(text);
        if (json_) return print(report::check_json(sound_, problems_));
        for (const std::string& line : sound_) print(line + "\n");
    }

    void check_all(Inputs& inputs) {
        std::optional<Architecture> architecture;
        std::optional<Network> network;
        if (inputs.zigzag().decide()) return check_zigzag(inputs);
        if (inputs.has_architecture() && !attempt([&] { architecture = inputs.architecture(); }))
            note_further(inputs.root(), [](const yaml::Node& root) { timeloop::read_architecture(root); });
        inputs.take_words();
        if (inputs.has_network() && !attempt([&] { network = inputs.network(); }) && inputs.root().has("problem"))
            note_further(inputs.root(), [](const yaml::Node& root) { timeloop::read_problem(root); });
        if (architecture)
            sound_.push_back(fmt::format("architecture {}: {}, {} compute units", architecture->name,
                                         memories_text(*architecture), architecture->compute.instances));
        if (network) check_network(*network);
        if (network)
            attempt([&] {
                for (const Layer& layer : network->layers) static_cast<void>(inputs.zeros().densities(layer));
            });
        if (!inputs.has_architecture() && !inputs.has_network())
            attempt([] {
                throw InputError(ErrorCode::missing_key, {},
                                 "nothing to check: there is neither an architecture, nor a problem, nor a "
                                 "certificate, nor a schedule");
            });
        given_.machine = architecture;
        given_.network = network;
        if (fused_ && plans_ == 0 && inputs.has_network() && inputs.has_cascade())
            attempt([&] { given_.cascade = inputs.cascade(); });
        if (architecture && inputs.has_sparse_machine())
            given_.zeros = [&inputs, machine = *architecture](const Layer& layer) {
                return inputs.sparse_design(layer, machine);
            };
        given_.left_out = [&inputs](const std::string& layer) { return inputs.left_out().contains(layer); };
        given_.constraints = [&inputs, machine = architecture](const Einsum& einsum) {
            return inputs.constraints(*machine, einsum);
        };
        if (inputs.root().has("mapper") || inputs.root().has("mapspace"))
            attempt([&] { static_cast<void>(timeloop::read_search_options(inputs.root())); });
        if (architecture && !network) attempt([&] { timeloop::check_constraints(inputs.root(), *architecture); });
        if (!architecture || !network) return note_unchecked(inputs);
        check_zeros(inputs, *architecture, *network);
        for (const Layer& layer : network->layers) {
            if (attempt([&] { inputs.constraints(*architecture, layer.einsum); })) continue;
            note_further(inputs.root(), [&](const yaml::Node& root) {
                timeloop::read_constraints(root, *architecture, layer.einsum);
            });
            break;
        }
        if (has_mappings(inputs.root())) check_mappings(inputs, *architecture, *network);
        if (have_blocks(inputs.words(*network))) take_blocks(inputs, *architecture, *network);
    }

    // Certificates of words in blocks speak of layers and a machine in parts of a bit.
    void take_blocks(Inputs& inputs, const Architecture& architecture, const Network& network) {
        attempt([&] { give_in_parts_of_bits(inputs.problem(network, architecture), given_); });
    }

    // The mistakes after the first one, which was noted.
    void note_further(const yaml::Node& root, const std::function<void(const yaml::Node&)>& read) {
        const std::vector<InputError> mistakes = mistakes_in(root, read);
        if (mistakes.empty() || mistakes.front().what() != texts_.back()) return;  // read in another way
        for (std::size_t i = 1; i < mistakes.size(); ++i) note_mistake(mistakes[i]);
    }

    void note_mistake(const InputError& error) {
        const Location& where = error.where();
        last_ = where;
        note({std::string(error_code_name(error.code())), where.file, where.line, where.column, error.message()},
             error.what());
    }

    // Formats, gating and skipping name the tensors of a layer.
    void check_zeros(Inputs& inputs, const Architecture& architecture, const Network& network) {
        if (!inputs.has_sparse_machine()) return;
        const bool read = attempt([&] {
            for (const Layer& layer : network.layers) static_cast<void>(inputs.zeros().design(layer, architecture));
        });
        if (read) sound_.push_back("sparse optimizations: they hold for every layer");
    }

    // What takes both a machine and a layer to judge.
    void note_unchecked(const Inputs& inputs) {
        const yaml::Node& root = inputs.root();
        if (inputs.has_sparse_machine())
            sound_.push_back("sparse optimizations are not checked as a whole: give a layer");
        for (const char* section : {"mapping", "layers", "constraints", "architecture_constraints", "arch_constraints",
                                    "mapspace_constraints", "extra_mapping_constraints", "mapspace"})
            if (root.has(section))
                sound_.push_back(
                    fmt::format("'{}' is not checked as a whole: that takes a machine and a layer", section));
    }

    // Machine, workload and mapping of ZigZag; layers that do not fit are not legal.
    void check_zigzag(Inputs& inputs) {
        ZigzagInputs& files = inputs.zigzag();
        bool whole = files.has_accelerator() && files.has_workload() && files.has_mapping();
        if (files.has_accelerator())
            whole = attempt([&] {
                        const zigzag::Accelerator& machine = files.accelerator("check");
                        sound_.push_back(fmt::format("accelerator {}: {} memories, {} units", machine.name,
                                                     machine.memories.size(), machine.units));
                    }) &&
                    whole;
        if (files.has_workload())
            whole = attempt([&] {
                        sound_.push_back(
                            fmt::format("workload {}: {} layers", files.network(), files.layers("check").size()));
                    }) &&
                    whole;
        if (!whole) return;
        attempt([&] {
            for (const report::ZigzagLayer& one : evaluate_zigzag_files("check", inputs, {}).layers) {
                if (one.result) sound_.push_back("mapping of " + one.layer.name + ": legal");
                for (const std::string& failure : one.failures) {
                    legal_ = false;
                    const std::string message = "mapping of " + one.layer.name + ": " + failure;
                    const Location& where = one.place;
                    note({"capacity", where.file, where.line, where.column, message},
                         place_text(where) + "error: " + message);
                }
            }
        });
    }

    void check_network(const Network& network) {
        attempt([&] {
            for (const Layer& layer : network.layers) static_cast<void>(operation_count(layer.einsum));
            sound_.push_back(fmt::format("network {}: {} layers, {} operators not mapped", network.name,
                                         network.layers.size(), network.unmapped.size()));
        });
    }

    void check_mappings(Inputs& inputs, const Architecture& architecture, const Network& network) {
        std::vector<LayerMapping> mappings;
        if (!attempt([&] { mappings = read_mappings(inputs, network, architecture); })) {
            note_further(inputs.root(), [&](const yaml::Node& root) {
                read_mapping_file(root, network, architecture, inputs.remainders(), inputs.left_out());
            });
            return;
        }
        given_.mappings = mappings;
        const DetailsOf details = inputs.details(network, architecture);
        for (const int layer : layers_without(mappings, network)) {
            const std::string message = "mapping of " + network.layers[layer].name + ": the files hold none";
            legal_ = false;
            note({"missing-mapping", "", 0, 0, message}, "error: " + message + " [missing-mapping]");
        }
        for (const auto& [layer, mapping, places] : mappings) {
            const std::string& name = network.layers[layer].name;
            const Einsum& einsum = network.layers[layer].einsum;
            LayerDetails own = details(static_cast<std::size_t>(layer));
            const std::vector<Violation> violations =
                check({einsum, architecture, {}, std::move(own.words), std::move(own.zeros)}, mapping);
            for (const Violation& violation : violations) report_illegal(name, violation, places.of(violation));
            if (!violations.empty()) continue;
            sound_.push_back("mapping of " + name + ": legal");
            note_spread(name, einsum, architecture, mapping);
        }
    }

    // Where the constraints fit the layer; else that was said.
    void note_spread(const std::string& layer, const Einsum& einsum, const Architecture& architecture,
                     const Mapping& mapping) {
        try {
            for (const std::string& note : spread_notes(einsum, architecture, mapping, given_.constraints(einsum)))
                sound_.push_back("mapping of " + layer + ": " + note);
        } catch (const InputError&) {
            return;
        }
    }

    void report_illegal(const std::string& layer, const Violation& violation, const Location& where) {
        legal_ = false;
        const std::string kind = violation_kind_name(violation.kind);
        const std::string message = "mapping of " + layer + ": " + violation.message;
        note({kind, where.file, where.line, where.column, message},
             fmt::format("{}error: {} [{}]", place_text(where), message, kind));
    }

    // A file that cannot be read, or does not merge with those before it, stops itself only.
    void read_files(std::optional<Inputs>& inputs) {
        inputs_.mistakes = &sections_;
        while (!attempt([&] { inputs.emplace("check", inputs_); }))
            if (!leave_out(last_.file) || has_nothing()) return;
    }

    bool leave_out(const std::string& file) {
        const std::size_t removed = std::erase(inputs_.files, file) + std::erase(inputs_.nets, file);
        if (inputs_.arch != file) return removed > 0;
        inputs_.arch.clear();
        return true;
    }

    // Sections that were left out are mistakes, too.
    void note_sections() {
        for (const InputError& mistake : std::exchange(sections_, {})) {
            note_mistake(mistake);
            readable_ = false;
        }
    }

    // Whatever one certificate leads to, the others are judged.
    void judge(const std::string& file, const std::function<void()>& step) {
        try {
            attempt(step);
        } catch (const std::exception& error) {
            readable_ = false;
            const std::string message =
                fmt::format("not judged: {} (this is a defect of tilewright: please report it)", error.what());
            note({"defect", file, 0, 0, message}, fmt::format("{}: error: {} [defect]", file, message));
        }
    }

    // False, with the problem noted, when `step` finds its input wrong.
    bool attempt(const std::function<void()>& step) {
        try {
            step();
            note_sections();
            return true;
        } catch (const InputError& error) {
            note_sections();
            note_mistake(error);
        } catch (const OverflowError& error) {
            note({"overflow", "", 0, 0, error.what()}, fmt::format("error: {} [overflow]", error.what()));
        }
        readable_ = false;
        return false;
    }

    void note(report::CheckProblem problem, std::string text) {
        problems_.push_back(std::move(problem));
        texts_.push_back(std::move(text));
    }

    InputOptions inputs_;
    DataflowOptions dataflow_;
    PackageOptions package_;
    GivenInputs given_;  ///< refers to the inputs
    bool json_ = false;
    bool readable_ = true;
    bool legal_ = true;
    bool interrupted_ = false;
    std::size_t plans_ = 0;             ///< certificates of plans among the files
    bool fused_ = false;                ///< a certificate of a fused mapping is among the files
    Location last_;                     ///< of the last mistake
    std::vector<InputError> sections_;  ///< mistakes that were not noted yet
    std::vector<std::string> certificates_;
    std::vector<std::string> sound_;
    std::vector<report::CheckProblem> problems_;
    std::vector<std::string> texts_;  ///< of the problems, for people
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace tilewright::cli
