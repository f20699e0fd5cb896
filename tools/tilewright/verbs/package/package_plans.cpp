#include "verbs/package/package_plans.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/deadline.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "options/verb.hpp"
#include "package/file.hpp"
#include "package/plan_text.hpp"
#include "report/package/package_report.hpp"
#include "run/package/map_package.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kPlanFile = "plan.txt";

// The package's file, and every architecture that it names.
class PackageFiles {
   public:
    PackageFiles(std::string verb, const std::string& name) : verb_(std::move(verb)), name_(name) {}

    package::Package read() {
        const bool is_file = name_.find('/') != std::string::npos || name_.ends_with(".yaml");
        const std::string text = is_file ? read_file(name_) : std::string(package::zoo_package_file(name_));
        const std::string file = is_file ? name_ : "zoo:" + name_;
        read_.push_back({file, content_hash(text)});
        const yaml::Node root = yaml::parse_text(text, file);
        root.expect_keys({"package"});
        package::Package package =
            package::read_package(root, [this](const std::string& name) { return architecture(name); });
        if (package.name.empty()) package.name = std::filesystem::path(name_).stem().string();
        return package;
    }

    Constraints constraints(const package::Package& package, int kind, const Einsum& einsum) const {
        const auto found = machines_.find(kind_names_.contains(package.kinds[kind].architecture->name)
                                              ? kind_names_.at(package.kinds[kind].architecture->name)
                                              : "");
        if (found == machines_.end()) return {};
        const Machine& machine = found->second;
        return constraints_of_core(machine.inputs->constraints(machine.architecture, einsum), machine.architecture,
                                   *package.kinds[kind].architecture);
    }

    std::vector<report::Input> inputs() const {
        std::vector<report::Input> all = read_;
        for (const auto& [name, machine] : machines_)
            all.insert(all.end(), machine.inputs->read().begin(), machine.inputs->read().end());
        return all;
    }

   private:
    struct Machine {
        std::unique_ptr<Inputs> inputs;
        Architecture architecture;
    };

    Architecture architecture(const std::string& name) {
        const auto known = machines_.find(name);
        if (known != machines_.end()) return known->second.architecture;
        InputOptions options;
        options.arch = name;
        // A package's file names files beside itself.
        if (name.find('.') != std::string::npos && !name.starts_with('/'))
            options.arch = (std::filesystem::path(name_).parent_path() / name).string();
        Machine machine{std::make_unique<Inputs>(verb_, options), {}};
        machine.architecture = machine.inputs->architecture();
        kind_names_[machine.architecture.name] = name;
        return machines_.emplace(name, std::move(machine)).first->second.architecture;
    }

    std::string verb_;
    std::string name_;
    std::vector<report::Input> read_;
    std::map<std::string, Machine> machines_;
    std::map<std::string, std::string> kind_names_;  // by the architecture's own name
};

Cascade cascade_to_plan(const std::string& verb, Inputs& inputs) {
    if (inputs.has_cascade()) return inputs.cascade();
    const Network network = inputs.network();
    if (network.layers.size() != 1)
        fail_usage(verb,
                   "--package takes one cascade: --net FILE.cascade, a language model, an ONNX file, --einsum with "
                   "several statements, or a single layer (--layers)");
    return cascade_of_layer(network.layers.front().name, network.layers.front().einsum);
}

class PackageRunner {
   public:
    PackageRunner(std::string verb, InputOptions input, const PackageOptions& package)
        : verb_(std::move(verb)),
          options_(package),
          files_(verb_, package.package),
          inputs_(verb_, cascade_input(std::move(input))) {
        if (package.package.empty()) fail_usage(verb_, "--plan is for --package");
        problem_.package = files_.read();
        problem_.cascade = cascade_to_plan(verb_, inputs_);
        problem_.constraints = [this](int kind, const Einsum& einsum) {
            return files_.constraints(problem_.package, kind, einsum);
        };
        if (const std::string why = problem_with(problem_); !why.empty()) fail_usage(verb_, "--package: " + why);
    }

    const PackageProblem& problem() const { return problem_; }
    bool has_plan() const { return !options_.plan.empty(); }

    report::PackageReport evaluated(const Objective& objective) {
        const std::string text = read_file(options_.plan);
        plan_read_.push_back({options_.plan, content_hash(text)});
        const package::Plan plan =
            package::parse_plan(text, problem_.cascade, problem_.package.core_count(), options_.plan);
        try {
            return evaluate_package(problem_, plan, objective);
        } catch (const InputError& error) {
            if (!error.where().file.empty()) throw;
            throw InputError(error.code(), {options_.plan, 0, 0}, error.message());
        }
    }

    void write(report::PackageReport& report, const OutputOptions& output) {
        report.notes = inputs_.notes();
        if (!problem_.cascade.not_covered.empty())
            report.notes.push_back(
                fmt::format("{} operators of the network are not in the cascade", problem_.cascade.not_covered.size()));
        std::vector<report::Input> read = files_.inputs();
        read.insert(read.end(), inputs_.read().begin(), inputs_.read().end());
        read.insert(read.end(), plan_read_.begin(), plan_read_.end());
        report.provenance = provenance(verb_, read);
        report.provenance.options = {{"package", options_.package}};
        if (!report.objective.empty()) report.provenance.options.emplace_back("objective", report.objective);
        const std::string text = report::package_text(report);
        write_text_and_json(text, report::package_json(report), output, files_of(report, output));
    }

   private:
    static InputOptions cascade_input(InputOptions input) {
        input.cascade = !input.nets.empty();
        return input;
    }

    static std::vector<NamedBytes> files_of(const report::PackageReport& report, const OutputOptions& output) {
        std::vector<NamedBytes> files = csv_file(output.csv, report::package_csv(report));
        if (!output.directory.empty()) files.emplace_back(kPlanFile, report.plan);
        return files;
    }

    std::string verb_;
    PackageOptions options_;
    PackageFiles files_;
    Inputs inputs_;
    PackageProblem problem_;
    std::vector<report::Input> plan_read_;
};

Objective objective_of(const std::string& text) {
    const std::optional<Objective> objective = parse_objective(text.empty() ? "edp" : text);
    if (!objective) fail_usage("map", "unknown objective '" + text + "'");
    if (const std::string why = multicore::problem_with_objective(*objective); !why.empty()) fail_usage("map", why);
    return *objective;
}

// "16.55 mJ, 31,217,670 cycles, at least 97 % of it".
std::vector<std::string> progress_parts(const multicore::Cost* best, double value, double bound) {
    if (best == nullptr) return {"no plan yet"};
    std::vector<std::string> parts{energy_text(best->energy.total()), count_text(best->cycles) + " cycles"};
    if (bound > 0.0) parts.push_back("bound at " + share_text(bound / value));
    return parts;
}

}  // namespace

void PackageOptions::declare(Options& options) {
    options.group("Package");
    options
        .value("package", 0, "NAME", "cores on a mesh: simba-package, quad-npu, ... or a YAML file with 'package'",
               &package)
        .completes = "file";
    options.value("plan", 0, "FILE", "with --package: this plan of runs, teams and splits", &plan).completes = "file";
}

void PackageOptions::declare_published(Options& options) {
    options.flag("published", 0, "with --account set: with the faults of SET's program", &published);
}

const std::set<std::string>& options_of_packages() {
    static const std::set<std::string> kKnown = {
        "package",   "plan",  "net",           "einsum", "extents", "dim",   "phase",      "cascade", "set",  "strict",
        "objective", "quiet", "largest-input", "layers", "unnamed", "jinja", "time-limit", "output",  "json", "csv"};
    return kKnown;
}

ExitStatus map_on_package(const std::vector<std::string>& others, const InputOptions& input, const SearchPlan& plan,
                          const PackageOptions& package, const OutputOptions& output) {
    if (!others.empty())
        fail_usage("map", "--package does not take " + others.front().substr(0, others.front().find('=')) +
                              ": plans on packages have a search of their own");
    const Objective objective = objective_of(plan.objective);
    PackageRunner runner("map", input, package);
    prepare(output);
    if (runner.has_plan()) {
        report::PackageReport report = runner.evaluated(objective);
        runner.write(report, output);
        return ExitStatus::done;
    }
    StopSource stop;
    const Interrupt interrupt(stop);
    std::optional<report::PackageReport> report;
    {
        StopSource stop_of_search;
        const TimeLimit limit(stop_of_search, plan.time_limit_seconds, &stop);
        StatusLine line(!output.quiet);
        line.show("the first plan", true);
        report = map_package(runner.problem(), objective, &stop_of_search,
                             [&](const multicore::Cost* best, double value, double bound) {
                                 line.show(progress_parts(best, value, bound), true);
                             });
    }
    if (!report) {
        print_error("error: no plan of '" + runner.problem().cascade.name + "' was found");
        return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::no_answer;
    }
    runner.write(*report, output);
    return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
}

ExitStatus evaluate_on_package(const InputOptions& input, const PackageOptions& package, const OutputOptions& output) {
    if (package.plan.empty()) fail_usage("evaluate", "--package needs a plan: --plan FILE");
    PackageRunner runner("evaluate", input, package);
    prepare(output);
    report::PackageReport report = runner.evaluated({.kind = ObjectiveKind::edp});
    runner.write(report, output);
    return ExitStatus::done;
}

}  // namespace tilewright::cli
