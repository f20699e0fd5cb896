// tilewright map: the best mapping of every layer shape of a network.

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "cache.hpp"
#include "certificates.hpp"
#include "frontend/timeloop/architecture.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "search.hpp"
#include "search_layers.hpp"
#include "verb.hpp"
#include "zigzag_output.hpp"
#include "zigzag_search.hpp"

namespace tilewright::cli {
namespace {

report::LayerResult unmapped_result(const Network& network, const DistinctLayer& shape) {
    report::LayerResult result;
    for (const int layer : shape.layers) result.names.push_back(network.layers[layer].name);
    result.op = network.layers[shape.layers.front()].op;
    result.repeats = shape.repeats;
    result.einsum = shape.einsum;
    return result;
}

class Map : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        inputs_.declare_net(options);
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
        options
            .value("certificate", 0, "FILE",
                   "write what is needed to check the answer (tilewright check FILE); -o writes certificate.json",
                   &certificate_)
            .completes = "file";
    }

    ExitStatus run() override {
        Inputs inputs("map", inputs_);
        if (inputs.zigzag().decide()) return map_zigzag(inputs);
        report::Report report;
        report.architecture = inputs.architecture();
        const Network network = inputs.network();
        const std::vector<std::string> plan_notes = plan_.resolve(inputs.root());
        if (!certificate_.empty() && !has_certificate())
            fail_usage("map", "--certificate: only --mapper optimal, without --factors padded, has a proof to check");
        report.network = network.name;
        report.unmapped = network.unmapped;
        const std::vector<Task> tasks = tasks_of(inputs, network, report);
        report.notes = inputs.notes();
        report.notes.insert(report.notes.end(), plan_notes.begin(), plan_notes.end());
        prepare("map", output_);
        if (!certificate_.empty()) check_target(certificate_);
        ResultCache cache(cache_, plan_, output_.quiet);
        search_layers(tasks, plan_, cache, output_.quiet, report);
        report.provenance = provenance("map", inputs.read());
        report.provenance.seed = static_cast<std::uint64_t>(plan_.seed.value_or(1));
        report.provenance.options = plan_.for_the_report();
        write_report(report, output_, certificates(tasks, report));
        cache.tell();
        return finish(report);
    }

   private:
    // ZigZag's own files: the order of the loops is searched, ZigZag's rules count.
    ExitStatus map_zigzag(Inputs& inputs) {
        prepare("map", output_);
        const report::ZigzagReport report = search_zigzag_files(inputs, plan_, output_.quiet);
        write_report(report, output_);
        if (report.interrupted) return ExitStatus::interrupted;
        const bool complete = std::all_of(report.layers.begin(), report.layers.end(),
                                          [](const report::ZigzagLayer& layer) { return layer.result.has_value(); });
        return complete ? ExitStatus::done : ExitStatus::no_answer;
    }

    // Everything is read and checked before the first search starts.
    static std::vector<Task> tasks_of(Inputs& inputs, const Network& network, report::Report& report) {
        for (const DistinctLayer& shape : distinct_layers(network))
            report.layers.push_back(unmapped_result(network, shape));
        std::vector<Task> tasks;
        tasks.reserve(report.layers.size());
        for (const report::LayerResult& layer : report.layers)
            tasks.push_back({layer.einsum, report.architecture, inputs.constraints(report.architecture, layer.einsum)});
        return tasks;
    }

    bool has_certificate() const { return plan_.mapper == "optimal" && plan_.factors != "padded"; }

    // Beside the report; and where the user asked for it. Only the optimal mapper's answers have something to certify.
    std::vector<NamedBytes> certificates(const std::vector<Task>& tasks, const report::Report& report) const {
        if (!has_certificate() || (output_.directory.empty() && certificate_.empty())) return {};
        const std::string json = certificate_json(report, tasks, plan_, mappings_yaml(report));
        if (json.empty()) {
            if (!certificate_.empty()) leave_none();
            return {};
        }
        std::vector<NamedBytes> files;
        if (!output_.directory.empty()) files.emplace_back(kCertificateFile, json);
        if (!certificate_.empty()) files.emplace_back(std::filesystem::absolute(certificate_), json);
        return files;
    }

    // One of an earlier run would be taken for this one's.
    void leave_none() const {
        print_error("warning: --certificate " + certificate_ + ": there is nothing to certify");
        std::error_code ignored;
        if (std::filesystem::is_regular_file(certificate_, ignored) &&
            says_schema(certificate_, "tilewright-certificate/"))
            std::filesystem::remove(certificate_, ignored);
    }

    static ExitStatus finish(const report::Report& report) {
        ExitStatus status = ExitStatus::done;
        for (const report::LayerResult& layer : report.layers) {
            if (layer.evaluation) continue;
            print_failures(layer);
            status = ExitStatus::no_answer;
        }
        return report.interrupted ? ExitStatus::interrupted : status;
    }

    InputOptions inputs_;
    SearchPlan plan_;
    CacheOptions cache_;
    OutputOptions output_;
    std::string certificate_;
};

}  // namespace

std::unique_ptr<Command> make_map() { return std::make_unique<Map>(); }

}  // namespace tilewright::cli
