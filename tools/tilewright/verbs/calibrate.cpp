// tilewright calibrate: weights for --mapper cosa on a machine, from micro-benchmarks; an accelerator's numbers as
// built, from measured rows.

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/inputs.hpp"
#include "mapper/cosa/cosa.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/parts/table.hpp"
#include "timeloop/machine/architecture.hpp"
#include "verbs/calibrate_silicon.hpp"

namespace tilewright::cli {
namespace {

std::string table_text(const std::vector<cosa::Trial>& trials) {
    report::Table table({"utilization", "compute", "traffic", "schedules", "against the first"}, "rrrrr");
    for (const cosa::Trial& trial : trials)
        table.add({fmt::format("{}", trial.weights.utilization), fmt::format("{}", trial.weights.compute),
                   fmt::format("{}", trial.weights.traffic), std::to_string(trial.schedules),
                   trial.schedules > 0 ? fmt::format("{:.3f}", trial.score / trials.front().score) : "-"});
    return table.text();
}

class Calibrate : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        options.value("objective", 0, "WHAT", "energy, latency, edp (default), or a product such as energy^2*latency",
                      &objective_);
        options.value(
            "from", 0, "ROWS.csv",
            "measured products (columns m, n, k, us): launch, bandwidth and rate of a machine as built, medians "
            "of three rows each (docs/silicon.md)",
            &files_.products);
        options.value("links", 0, "ROWS.csv", "with --from: measured all-reduces (columns gpus, bytes, us)",
                      &files_.links);
        options.value("output", 'o', "FILE", "with --from: the machine's file with these numbers", &out_);
        options.only_with({"links", "output"}, {"from"});
    }

    ExitStatus run() override {
        if (!files_.products.empty()) return run_from_rows();
        const Objective objective = one_objective("calibrate", objective_);
        Inputs inputs("calibrate", inputs_);
        const Architecture architecture = inputs.architecture();
        const std::vector<cosa::Trial> trials = cosa::calibrate(
            architecture, objective, [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
        const cosa::Trial& best = cosa::best_trial(trials);
        inputs.tell_notes();
        print(table_text(trials));
        if (best.schedules == 0) {
            print_error("error: no micro-benchmark has a schedule on this machine");
            return ExitStatus::no_answer;
        }
        print(fmt::format("\n--cosa-weights utilization={},compute={},traffic={}\n", best.weights.utilization,
                          best.weights.compute, best.weights.traffic));
        return ExitStatus::done;
    }

   private:
    ExitStatus run_from_rows() {
        Inputs inputs("calibrate", inputs_);
        const Architecture architecture = inputs.architecture();
        const CalibrationText text = calibration_text(inputs.root(), architecture, files_);
        print(text.table);
        if (out_.empty()) return ExitStatus::done;
        write_file(out_, text.machine);
        print(fmt::format("\n  The machine's file with them: {}\n", out_));
        return ExitStatus::done;
    }

    InputOptions inputs_;
    CalibrationFiles files_;
    std::string out_;
    std::string objective_ = "edp";
};

}  // namespace

std::unique_ptr<Command> make_calibrate() { return std::make_unique<Calibrate>(); }

}  // namespace tilewright::cli
