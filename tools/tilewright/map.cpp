// tilewright map: the best mapping of every layer shape of a network.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "certificates.hpp"
#include "frontend/timeloop/architecture.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "report/number.hpp"
#include "search.hpp"
#include "status_line.hpp"
#include "verb.hpp"
#include "zigzag_output.hpp"
#include "zigzag_search.hpp"

namespace tilewright::cli {
namespace {

using Clock = std::chrono::steady_clock;

report::LayerResult unmapped_result(const Network& network, const DistinctLayer& shape) {
    report::LayerResult result;
    for (const int layer : shape.layers) result.names.push_back(network.layers[layer].name);
    result.op = network.layers[shape.layers.front()].op;
    result.repeats = shape.repeats;
    result.einsum = shape.einsum;
    return result;
}

// An equal share of the time that is left for each of the layers that are left.
std::optional<double> share_of_time(const std::optional<double>& limit_seconds, Clock::time_point start,
                                    std::size_t left) {
    if (!limit_seconds) return std::nullopt;
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    return std::max(*limit_seconds - spent, 0.0) / static_cast<double>(left);
}

class Map : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        inputs_.declare_net(options);
        plan_.declare(options);
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
        report.notes = inputs.notes();
        for (std::string& note : plan_.resolve(inputs.root())) report.notes.push_back(std::move(note));
        if (!certificate_.empty() && plan_.mapper != "optimal")
            fail_usage("map", "--certificate: only --mapper optimal proves its answers");
        report.network = network.name;
        report.unmapped = network.unmapped;
        const std::vector<Task> tasks = tasks_of(inputs, network, report);
        if (!output_.directory.empty()) make_directory(output_.directory);  // before the work, not after it
        search_all(tasks, report);
        report.provenance = provenance("map", inputs.read());
        report.provenance.seed = static_cast<std::uint64_t>(plan_.seed.value_or(1));
        report.provenance.options = plan_.for_the_report();
        write_report(report, output_, certificates(tasks, report));
        return finish(report);
    }

   private:
    // ZigZag's own files: the order of the loops is searched, ZigZag's rules count.
    ExitStatus map_zigzag(Inputs& inputs) {
        if (!output_.directory.empty()) make_directory(output_.directory);
        const report::ZigzagReport report = search_zigzag_files(inputs, plan_, output_.quiet);
        write_report(report, output_);
        if (report.interrupted) return ExitStatus::interrupted;
        const bool complete = std::all_of(report.layers.begin(), report.layers.end(),
                                          [](const report::ZigzagLayer& layer) { return layer.result.has_value(); });
        return complete ? ExitStatus::done : ExitStatus::no_answer;
    }

    // Everything is read and checked before the first search starts.
    static std::vector<Task> tasks_of(const Inputs& inputs, const Network& network, report::Report& report) {
        for (const DistinctLayer& shape : distinct_layers(network))
            report.layers.push_back(unmapped_result(network, shape));
        std::vector<Task> tasks;
        tasks.reserve(report.layers.size());
        for (const report::LayerResult& layer : report.layers)
            tasks.push_back({layer.einsum, report.architecture,
                             timeloop::read_constraints(inputs.root(), report.architecture, layer.einsum)});
        return tasks;
    }

    // Beside the report; and where the user asked for it. Only the optimal mapper's answers have something to certify.
    std::vector<NamedBytes> certificates(const std::vector<Task>& tasks, const report::Report& report) const {
        if (plan_.mapper != "optimal" || (output_.directory.empty() && certificate_.empty())) return {};
        const std::string json = certificate_json(report, tasks, plan_);
        if (json.empty()) return {};
        if (!certificate_.empty()) write_file(certificate_, json);
        return {{"certificate.json", json}};
    }

    void search_all(const std::vector<Task>& tasks, report::Report& report) {
        StopSource stop;
        const Interrupt interrupt(stop);
        StatusLine line(!output_.quiet);
        const Clock::time_point start = Clock::now();
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            report::LayerResult& layer = report.layers[i];
            if (stop.requested()) {
                layer.failures = {"interrupted before it was searched"};
                continue;
            }
            const std::string head = fmt::format("[{}/{}] {}", i + 1, tasks.size(), layer.names.front());
            line.show(head, true);
            const auto progress = [&](const tilewright::Progress& now) { line.show(head + status_of(now)); };
            try {
                search_layer(tasks[i], plan_, stop, share_of_time(plan_.time_limit_seconds, start, tasks.size() - i),
                             progress, layer);
            } catch (const OverflowError&) {
                line.clear();
                throw InputError(ErrorCode::overflow, {},
                                 "layer '" + layer.names.front() + "' is too large: a count does not fit in 64 bits");
            }
        }
        report.interrupted = interrupt.happened();
    }

    // "  12,345 of 1,000,000 mappings, 1,234 legal, best 1.2 uJ and 3,456 cycles"
    static std::string status_of(const tilewright::Progress& now) {
        std::string text = "  " + report::count_text(now.statistics.sampled);
        if (now.space) text += " of " + report::count_text(*now.space);
        text += " mappings, " + report::count_text(now.statistics.valid) + " legal";
        if (!now.best.valid() || now.statistics.valid == 0) return text;
        text += fmt::format(", best {} and {} cycles", report::energy_text(now.best.energy_pj),
                            report::count_text(now.best.cycles));
        if (now.lower_bound && now.score.value > 0.0)
            text += fmt::format(", objective in [{}, {}]", report::figure_text(*now.lower_bound),
                                report::figure_text(now.score.value));
        return text;
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
    OutputOptions output_;
    std::string certificate_;
};

}  // namespace

std::unique_ptr<Command> make_map() { return std::make_unique<Map>(); }

}  // namespace tilewright::cli
