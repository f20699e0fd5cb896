// tilewright convert: what was read, in another form.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "codegen/c/program.hpp"
#include "codegen/cuda/kernel.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "inputs/physical.hpp"
#include "mapping/validity.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/show_text.hpp"
#include "run/mapping/mapping_file.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "verbs/convert/convert_exploration.hpp"
#include "verbs/convert/convert_formats.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/zigzag.hpp"

namespace tilewright::cli {
namespace {

class Convert : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        options
            .value("to", 0, "FORMAT",
                   "files for Timeloop (version 0.4, which our own machines have, or 0.3), ZigZag's, AccelForge's, "
                   "MAESTRO's notation, "
                   "our network file, Timeloop problem files, mappings, CUDA kernels, C programs or Gemmini's "
                   "arguments of "
                   "mappings, or einsum text; of a store of explore: its points, or its space",
                   &format_)
            .choices = {"timeloop", "timeloop-0.3", "zigzag",  "accelforge", "maestro",
                        "network",  "problem",      "mapping", "cuda",       "c",
                        "gemmini",  "einsum",       "csv",     "jsonl",      "space"};
        options.flag("estimates", 0, "timeloop: also write estimated energies and areas", &estimates_);
        dataflow_.declare(options);
        options.value("output", 'o', "DIR", "write the files there", &directory_).completes = "directory";
        options.only_with({"estimates"}, {"to=timeloop", "to=timeloop-0.3"}, "--estimates is for --to timeloop");
        options.not_with({"to=csv", "to=jsonl", "to=space"}, {"arch", "net", "einsum"},
                         "{} takes one store of explore (FILE.sqlite) and nothing else");
    }

    ExitStatus run() override {
        if (format_.empty())
            fail_usage("convert",
                       "--to timeloop, timeloop-0.3, zigzag, accelforge, maestro, network, problem, mapping, cuda, c, "
                       "gemmini or einsum is "
                       "missing (csv, jsonl or space for a store of explore)");
        const bool of_store = format_ == "csv" || format_ == "jsonl" || format_ == "space";
        if (of_store || (!inputs_.files.empty() && is_exploration(inputs_.files.front())))
            return convert_exploration(of_store);
        if (format_ == "maestro" && !may_have_mappings()) return convert_to_dataflows(inputs_);
        if (format_ == "mapping" && has_dataflows(inputs_, dataflow_)) return convert_dataflows();
        // The other forms have no words for what is done about zeros.
        const bool keeps_zeros = format_.starts_with("timeloop") || format_ == "problem" || format_ == "mapping";
        inputs_.sparse = keeps_zeros && !inputs_.dense;
        Inputs inputs("convert", inputs_);
        if (format_ == "timeloop" || format_ == "timeloop-0.3")
            return tell(
                timeloop_files(inputs,
                               format_ == "timeloop" ? timeloop::MachineForm::hierarchy : timeloop::MachineForm::tree,
                               estimates_),
                inputs);
        if (format_ == "zigzag") return tell(zigzag_files(inputs), inputs);
        if (format_ == "accelforge") return tell(accelforge_files(inputs), inputs);
        if (format_ == "network") return tell(network_file(inputs), inputs);
        if (inputs.zigzag().decide()) return convert_zigzag(inputs);
        if (format_ == "maestro" && !has_mappings(inputs.root())) return convert_to_dataflows(inputs_);
        const Network network = inputs.network();
        if (format_ == "einsum")
            print_einsums(network);
        else if (format_ == "problem")
            return tell(problem_files(inputs, network), inputs);
        else
            write(mappings(inputs, network));
        inputs.tell_notes();
        tell_unmapped(network);
        return legal_ ? ExitStatus::done : ExitStatus::no_answer;
    }

   private:
    ExitStatus convert_exploration(bool of_store) {
        if (!of_store) fail_usage("convert", "a store of explore becomes --to csv, jsonl or space");
        if (inputs_.files.size() != 1 || !is_exploration(inputs_.files.front()))
            fail_usage("convert", "--to " + format_ + " takes one store of explore (FILE.sqlite) and nothing else");
        const Converted converted = exploration_file(inputs_.files.front(), format_);
        write(converted.files);
        for (const std::string& note : converted.notes) print_error("note: " + note);
        return ExitStatus::done;
    }

    // Files other than MAESTRO's own may hold a mapping; --net may be one of those.
    bool may_have_mappings() const {
        return !inputs_.files.empty() && !is_dataflow_file(inputs_.arch) &&
               std::none_of(inputs_.files.begin(), inputs_.files.end(), is_dataflow_file);
    }

    // The loops of a dataflow around the tiles of its levels.
    ExitStatus convert_dataflows() {
        std::vector<NamedBytes> files;
        FileNames taken;
        for (const LayerMappingText& one : dataflow_mappings(inputs_, dataflow_)) {
            if (!one.failure.empty()) print_error(fmt::format("error: {}: no mapping: {}", one.layer, one.failure));
            legal_ = legal_ && one.failure.empty();
            if (one.failure.empty()) files.emplace_back(file_name(one.layer, taken) + ".mapping.yaml", one.yaml);
        }
        write(files);
        return legal_ ? ExitStatus::done : ExitStatus::no_answer;
    }

    // The mappings as they are allocated: one file per layer, for ZigZag's own readers but for temporal_mapping.
    ExitStatus convert_zigzag(Inputs& inputs) {
        if (format_ == "maestro") return convert_to_dataflows(inputs_);
        if (format_ != "mapping") fail_usage("convert", "ZigZag's accelerators and mappings become --to mapping only");
        report::ZigzagReport report = evaluate_zigzag_files("convert", inputs, {});
        std::vector<NamedBytes> files;
        FileNames taken;
        for (const report::ZigzagLayer& one : report.layers) {
            for (const std::string& failure : one.failures)
                print_error(fmt::format("error: {}: {}", one.layer.name, failure));
            legal_ = legal_ && one.result;
            if (one.mapping)
                files.emplace_back(file_name(one.layer.name, taken) + ".mapping.yaml",
                                   zigzag::write_mapping(report.accelerator, one.layer, one.unrolling, *one.mapping));
        }
        write(files);
        return legal_ ? ExitStatus::done : ExitStatus::no_answer;
    }

    static void print_einsums(const Network& network) {
        for (const Layer& layer : network.layers)
            print(fmt::format("{}: {}  {}\n", layer.name, to_text(layer.einsum), report::extents_text(layer.einsum)));
    }

    ExitStatus tell(const Converted& converted, Inputs& inputs) {
        for (const std::string& failure : converted.failures) print_error("error: " + failure);
        legal_ = converted.failures.empty();
        write(converted.files);
        inputs.tell_notes();
        for (const std::string& note : converted.notes) print_error("note: " + note);
        if (format_ != "network" && inputs.has_network() && !inputs.zigzag().decide()) tell_unmapped(inputs.network());
        return legal_ ? ExitStatus::done : ExitStatus::no_answer;
    }

    static void tell_unmapped(const Network& network) {
        for (const UnmappedOperator& op : network.unmapped)
            print_error(fmt::format("note: {} '{}' is not converted: {}", op.op, op.name, op.reason));
    }

    std::vector<NamedBytes> mappings(const Inputs& inputs, const Network& network) {
        const Architecture architecture = inputs.unestimated_architecture();
        std::vector<NamedBytes> files;
        FileNames taken;
        const std::vector<LayerMapping> given = given_mappings("convert", inputs, network, architecture);
        for (const int layer : layers_without(given, network)) {
            legal_ = false;
            print_error("error: " + network.layers[layer].name + ": the files hold no mapping of it");
        }
        for (const auto& [index, mapping, places] : given) {
            const Layer& layer = network.layers[index];
            const std::string stem = file_name(layer.name, taken);
            if (format_ == "maestro")
                add_dataflow(stem, network.name, layer, architecture, mapping, files);
            else if (format_ == "mapping")
                files.emplace_back(stem + ".mapping.yaml",
                                   shape_mapping_file({layer.name}, mapping, layer.einsum, layer.einsum, architecture));
            else if (format_ == "gemmini")
                add_gemmini(stem, layer, architecture, inputs, mapping, files);
            else
                add_kernel(stem, layer, architecture, {mapping, places}, files);
        }
        return files;
    }

    // What a dataflow cannot say is named.
    void add_dataflow(const std::string& stem, const std::string& network, const Layer& layer,
                      const Architecture& architecture, const Mapping& mapping, std::vector<NamedBytes>& files) {
        LayerDataflowText same = dataflow_text_of(layer, architecture, mapping, network);
        if (!same.failure.empty())
            print_error(fmt::format("error: {}: no dataflow: {}", layer.name, same.failure));
        else
            files.emplace_back(stem + ".m", std::move(same.text));
        legal_ = legal_ && same.failure.empty();
    }

    // The tile in the terms of Gemmini's own loops; what they cannot run is said.
    void add_gemmini(const std::string& stem, const Layer& layer, const Architecture& architecture,
                     const Inputs& inputs, const Mapping& mapping, std::vector<NamedBytes>& files) {
        const GemminiText text = gemmini_text(inputs, layer, architecture, mapping);
        if (!text.failure.empty())
            print_error(fmt::format("error: {}: no arguments for Gemmini: {}", layer.name, text.failure));
        else
            files.emplace_back(stem + ".gemmini.yaml", text.yaml);
        legal_ = legal_ && text.failure.empty();
    }

    // Only what a GPU would launch, or has a form in C; why not is said for every other mapping.
    void add_kernel(const std::string& stem, const Layer& layer, const Architecture& architecture,
                    const timeloop::PlacedMapping& given, std::vector<NamedBytes>& files) {
        const Mapping& mapping = given.mapping;
        std::vector<std::string> problems;
        for (const Violation& violation : check(layer.einsum, architecture, mapping))
            problems.push_back(placed_text(violation, given.places));
        if (problems.empty() && format_ == "c") {
            const std::string problem = c_form::problem_with(layer.einsum, architecture, mapping);
            if (!problem.empty()) problems.push_back(problem);
            if (problem.empty())
                files.emplace_back(stem + ".c", c_form::make_program(layer.einsum, architecture, mapping, stem).source);
        } else if (problems.empty()) {
            cuda::Kernel kernel = cuda::make_kernel(layer.einsum, architecture, mapping, stem);
            problems = launch_problems(kernel.launch, cuda::launch_limits(architecture));
            if (problems.empty()) files.emplace_back(stem + ".cu", std::move(kernel.source));
        }
        for (const std::string& problem : problems) print_error(fmt::format("error: {}: {}", layer.name, problem));
        legal_ = legal_ && problems.empty();
    }

    void write(const std::vector<NamedBytes>& files) const {
        if (!directory_.empty()) return write_files(directory_, files);
        if (files.empty() && !legal_) return;
        if (files.size() != 1)
            fail_usage("convert",
                       fmt::format("{} files: give -o DIR, or choose one layer with --layers", files.size()));
        print(files.front().second);
    }

    InputOptions inputs_;
    DataflowOptions dataflow_;
    std::string format_;
    std::string directory_;
    bool estimates_ = false;
    bool legal_ = true;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace tilewright::cli
