// tilewright calibrate: weights for --mapper cosa on a machine, from micro-benchmarks; an accelerator's numbers as
// built, from measured rows.
#include <fmt/format.h>
#include <algorithm>
#include <sstream>
#include <string>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/csv_rows.hpp"
#include "inputs/inputs.hpp"
#include "mapper/cosa/cosa.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/parts/table.hpp"
#include "silicon/accelerator/calibrate.hpp"
#include "silicon/files/accelerator.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {
namespace {

// The numbers of an accelerator from measured rows, into its machine's file: `tilewright calibrate --from`.

struct CalibrationFiles {
    std::string products;  ///< columns m, n, k, us; dtype, if there, selects bfloat16
    std::string links;     ///< columns gpus, bytes, us: all-reduces; "": none
};

struct CalibrationText {
    std::string table;    ///< each number, its spread, its rows
    std::string machine;  ///< the machine's file with these numbers
};

using silicon::Fitted;
using silicon::FittedNumbers;

std::vector<silicon::MeasuredProduct> products_in(const std::string& file) {
    const CsvRows table(file);
    const std::size_t m = table.column("m");
    const std::size_t n = table.column("n");
    const std::size_t k = table.column("k");
    const std::size_t us = table.column("us");
    std::vector<silicon::MeasuredProduct> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.has("dtype") && table.text(i, table.column("dtype")) != "bfloat16") continue;
        rows.push_back({{static_cast<double>(table.number<std::int64_t>(i, m)),
                         static_cast<double>(table.number<std::int64_t>(i, n)),
                         static_cast<double>(table.number<std::int64_t>(i, k))},
                        table.us(i, us)});
        const silicon::ProductSize& size = rows.back().size;
        if (std::min({size.m, size.n, size.k}) < 1.0)
            throw InputError(ErrorCode::bad_value, table.where(i), "sizes of a product are at least 1");
    }
    if (rows.empty()) throw InputError(ErrorCode::bad_value, {file, 1, 0}, "there is no row of a bfloat16 product");
    return rows;
}

std::vector<silicon::MeasuredAllReduce> links_in(const std::string& file) {
    if (file.empty()) return {};
    const CsvRows table(file);
    std::vector<silicon::MeasuredAllReduce> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.has("op") && table.text(i, table.column("op")) != "all_reduce") continue;
        rows.push_back({table.number<double>(i, table.column("gpus")), table.number<double>(i, table.column("bytes")),
                        table.us(i, table.column("us"))});
        if (rows.back().devices < 2.0 || rows.back().bytes < 1.0)
            throw InputError(ErrorCode::bad_value, table.where(i), "an all-reduce has two devices and a byte at least");
    }
    return rows;
}

void add(report::Table& table, const char* name, const Fitted& one) {
    table.add({name, fmt::format("{:.4g}", one.value), fmt::format("{:.4g} to {:.4g}", one.least, one.most),
               one.rows.empty() ? "none: as before" : fmt::format("{}", fmt::join(one.rows, ", "))});
}

std::string table_text(const FittedNumbers& found, std::size_t products) {
    report::Table table({"number", "median", "spread", "rows"}, "lrll");
    add(table, "launch_us", found.launch_us);
    add(table, "bandwidth_share", found.bandwidth_share);
    add(table, "rate_share", found.rate_share);
    add(table, "link_share", found.link_share);
    return table.text() + fmt::format("\n  With these, {} products are off by {:.1f} % in the median.\n", products,
                                      100.0 * found.median_error);
}

std::string calibrated_lines(const FittedNumbers& found, const std::string& from, int indent) {
    const std::string space(static_cast<std::size_t>(indent), ' ');
    return fmt::format(
        "{0}calibrated:\n{0}  {{launch_us: {1:.4g}, bandwidth_share: {2:.4g}, rate_share: {3:.4g}, link_share: "
        "{4:.4g},\n"
        "{0}   rows: \"medians of three rows each in {5}\"}}\n",
        space, found.launch_us.value, found.bandwidth_share.value, found.rate_share.value, found.link_share.value,
        from);
}

// Lines of the file but those of an old calibration, with the new ones in their place or behind the generation's.
std::string with_lines(const std::string& text, const yaml::Node& accelerator, const std::string& added) {
    int first = 0;
    int next = 0;  // of the entry behind the old calibration
    for (const yaml::Node::Entry& entry : accelerator.entries()) {
        if (first > 0 && next == 0) next = entry.key_node.where().line;
        if (entry.key == "calibrated") first = entry.key_node.where().line;
    }
    const int column = accelerator.entries().front().key_node.where().column;
    const int behind = accelerator.at("generation").where().line;
    std::string result;
    std::istringstream lines(text);
    std::string line;
    bool in_old = false;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::size_t indent = line.find_first_not_of(' ');
        if (number == first) {
            in_old = true;
            result += added;
            continue;
        }
        if (in_old && (number == next || (indent != std::string::npos && static_cast<int>(indent) < column)))
            in_old = false;
        if (!in_old) result += line + "\n";
        if (first == 0 && number == behind) result += added;
    }
    return result;
}

// `root`: the machine's file, with a part `accelerator`. Throws InputError for other machines and for bad rows.
CalibrationText calibration_text(const yaml::Node& root, const Architecture& architecture,
                                 const CalibrationFiles& files) {
    const auto machine = silicon::read_accelerator(root, architecture);
    if (!machine)
        fail_usage("calibrate",
                   "--from needs a machine with a part 'accelerator' in its section 'silicon' "
                   "(docs/silicon.md), such as h100");
    const std::vector<silicon::MeasuredProduct> products = products_in(files.products);
    const FittedNumbers found = silicon::fitted(*machine, products, links_in(files.links));
    const yaml::Node& accelerator = root.at("silicon").at("accelerator");
    const std::string& place = accelerator.where().file;
    const std::string stem = place.substr(place.rfind('/') + 1);
    const std::string text =
        timeloop::is_zoo_file(place) ? timeloop::zoo_file(stem.substr(0, stem.rfind('.'))) : read_file(place);
    const int column = accelerator.entries().front().key_node.where().column;
    return {table_text(found, products.size()),
            with_lines(text, accelerator, calibrated_lines(found, files.products, column - 1))};
}

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
