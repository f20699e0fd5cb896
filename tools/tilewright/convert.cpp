// tilewright convert: what was read, in another form.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "frontend/timeloop/mapping.hpp"
#include "frontend/timeloop/write_problem.hpp"
#include "inputs.hpp"
#include "mappings.hpp"
#include "output.hpp"
#include "report/show_text.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

// A layer name as a file name; names such as "/conv1/Conv" come from ONNX.
std::string file_name(const std::string& layer, std::set<std::string>& taken) {
    std::string name;
    for (const char c : layer) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
        name += plain ? c : '_';
    }
    while (name.starts_with('.') || name.starts_with('_')) name.erase(0, 1);
    if (name.empty()) name = "layer";
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
    return unique;
}

class Convert : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        inputs_.declare_net(options);
        inputs_.declare_mapping(options);
        options.value("to", 't', "FORMAT", "einsum text, Timeloop problem files or Timeloop mappings", &format_)
            .choices = {"einsum", "problem", "mapping"};
        options.value("output", 'o', "DIR", "write one file per layer there", &directory_).completes = "directory";
    }

    ExitStatus run() override {
        if (format_.empty()) fail_usage("convert", "--to einsum, problem or mapping is missing");
        Inputs inputs("convert", inputs_);
        const Network network = inputs.network();
        if (format_ == "einsum")
            print_einsums(network);
        else
            write(format_ == "problem" ? problems(network) : mappings(inputs, network));
        for (const UnmappedOperator& op : network.unmapped)
            print_error(fmt::format("note: {} '{}' is not converted: {}", op.op, op.name, op.reason));
        return ExitStatus::done;
    }

   private:
    static void print_einsums(const Network& network) {
        for (const Layer& layer : network.layers)
            print(fmt::format("{}: {}  {}\n", layer.name, to_text(layer.einsum), report::extents_text(layer.einsum)));
    }

    static std::vector<NamedBytes> problems(const Network& network) {
        std::vector<NamedBytes> files;
        files.reserve(network.layers.size());
        std::set<std::string> taken;
        for (const Layer& layer : network.layers)
            files.emplace_back(file_name(layer.name, taken) + ".problem.yaml", timeloop::write_problem(layer.einsum));
        return files;
    }

    static std::vector<NamedBytes> mappings(const Inputs& inputs, const Network& network) {
        if (!has_mappings(inputs.root())) fail_usage("convert", "no mapping: give a file with 'mapping'");
        const Architecture architecture = inputs.unestimated_architecture();
        std::vector<NamedBytes> files;
        std::set<std::string> taken;
        for (const auto& [index, mapping] : read_mappings(inputs, network, architecture)) {
            const Layer& layer = network.layers[index];
            files.emplace_back(file_name(layer.name, taken) + ".mapping.yaml",
                               timeloop::write_mapping(mapping, layer.einsum, architecture));
        }
        return files;
    }

    void write(const std::vector<NamedBytes>& files) const {
        if (!directory_.empty()) return write_files(directory_, files);
        if (files.size() != 1)
            fail_usage("convert", fmt::format("{} layers: give -o DIR, or choose one with --layers", files.size()));
        print(files.front().second);
    }

    InputOptions inputs_;
    std::string format_;
    std::string directory_;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace tilewright::cli
