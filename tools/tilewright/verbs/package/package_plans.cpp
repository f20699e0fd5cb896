#include "verbs/package/package_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/deadline.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "base/numbers/number_text.hpp"
#include "base/version.hpp"
#include "model/version.hpp"
#include "options/verb.hpp"
#include "package/plan_text.hpp"
#include "report/cascade/cascade.hpp"
#include "report/package/package_report.hpp"
#include "run/check/file_names.hpp"
#include "run/package/certified_plan.hpp"
#include "run/package/map_package.hpp"
#include "run/package/package_machine.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/check/certificates.hpp"
#include "verbs/package/set_account.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {
namespace {

// "package.mesh=[2,2]" arrives cut at its commas: what has no '=' goes on with the value before it.
PackageSettings settings_of(const std::string& verb, const std::vector<std::string>& words) {
    PackageSettings settings;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals != std::string::npos)
            settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        else if (!settings.empty())
            settings.back().second += "," + word;
        else
            fail_usage(verb, "--set takes NAME=VALUE, such as package.link.words_per_cycle=8; found '" + word + "'");
    }
    return settings;
}

// The einsums that `patterns` name: one after the other, in one block or outside of all.
Cascade only_these(const std::string& verb, const Cascade& cascade, const std::vector<std::string>& patterns) {
    if (patterns.empty()) return cascade;
    std::vector<std::string> names;
    for (const CascadeEinsum& one : cascade.einsums) names.push_back(one.name);
    const std::vector<bool> wanted = matching_layers(names, patterns, cascade.name);
    const auto first = static_cast<int>(std::ranges::find(wanted, true) - wanted.begin());
    const auto end = first + static_cast<int>(std::count(wanted.begin(), wanted.end(), true));
    const auto gap = std::find(wanted.begin() + first, wanted.end(), false) - wanted.begin();
    if (gap < end)
        fail_usage(verb, fmt::format("--layers: a part of a cascade has no gaps, and '{}' follows '{}'", names[gap],
                                     names[gap - 1]));
    for (const Block& block : cascade.blocks)
        if (first < block.end && block.first < end && !(block.first <= first && end <= block.end))
            fail_usage(verb, fmt::format("--layers: '{}' to '{}' are partly in block '{}'", names[first],
                                         names[end - 1], block.name));
    return part_of(cascade, first, end);
}

Cascade cascade_to_plan(const std::string& verb, const std::vector<std::string>& layers, Inputs& inputs) {
    if (inputs.has_cascade()) return only_these(verb, without_constant_axes(inputs.cascade()), layers);
    const Network network = inputs.network();
    if (network.layers.size() != 1)
        fail_usage(verb,
                   "--package takes one cascade: --net FILE.cascade, a language model, an ONNX file, --einsum with "
                   "several statements, or a single layer (--layers)");
    return cascade_of_layer(network.layers.front().name, network.layers.front().einsum);
}

class PackageRunner {
   public:
    PackageRunner(std::string verb, const InputOptions& input, const PackageOptions& package)
        : verb_(std::move(verb)), options_(package) {
        if (is_set_run(package))
            read_set(input);
        else
            read(input);
        const std::string why = problem_with(problem_);
        refuse_for(verb_, why.empty() ? "" : "--package: " + why);
    }

    const PackageProblem& problem() const { return problem_; }
    bool has_plan() const { return !options_.plan.empty(); }

    report::PackageReport evaluated(const Objective& objective) {
        try {
            return evaluate_package(problem_, plan(), objective);
        } catch (const InputError& error) {
            if (!error.where().file.empty()) throw;
            throw InputError(error.code(), {options_.plan, 0, 0}, error.message());
        }
    }

    /// `more`: beside the report.
    void write(report::PackageReport& report, const OutputOptions& output, std::vector<NamedBytes> more = {}) {
        report.notes = notes_;
        if (!problem_.cascade.not_covered.empty())
            report.notes.push_back(
                fmt::format("{} operators of the network are not in the cascade", problem_.cascade.not_covered.size()));
        report.provenance = provenance(verb_, read_);
        report.provenance.options = {{"package", options_.package}};
        if (!report.objective.empty()) report.provenance.options.emplace_back("objective", report.objective);
        const std::string text = report::package_text(report);
        if (!output.directory.empty()) more.emplace_back(kPlanFile, report.plan);
        write_forms({report::package_json(report), text, report::package_csv(report), text, {}}, output,
                    std::move(more));
    }

   private:
    void read(const InputOptions& input) {
        const PackageMachine machine = PackageMachine::read(options_.package, settings_of(verb_, input.set));
        Inputs inputs(verb_, cascade_input(input));
        problem_ = {cascade_to_plan(verb_, input.layers, inputs), machine.package(), machine.constraints()};
        read_ = machine.inputs();
        read_.insert(read_.end(), inputs.read().begin(), inputs.read().end());
        notes_ = inputs.notes();
    }

    void read_set(const InputOptions& input) {
        if (!input.set.empty()) fail_usage(verb_, "--set is not for SET's run.json");
        set_ = read_set_run(verb_, input, options_);
        problem_ = set_->problem(verb_ == "evaluate");
        read_ = set_->read;
    }

    package::Plan plan() {
        if (set_ && set_->tree) return plan_of_tree(*set_, problem_, notes_);
        const std::string text = read_file(options_.plan);
        if (!set_) read_.push_back({options_.plan, content_hash(text)});
        return package::parse_plan(text, problem_.cascade, problem_.package.core_count(), options_.plan);
    }

    static InputOptions cascade_input(InputOptions input) {
        input.set.clear();  // of the package and its machines
        input.cascade = !input.nets.empty();
        return input;
    }

    std::string verb_;
    PackageOptions options_;
    PackageProblem problem_;
    std::optional<SetRun> set_;
    std::vector<report::Input> read_;
    std::vector<std::string> notes_;
};

Objective objective_of(const std::string& verb, const std::string& text) {
    const Objective objective = one_objective(verb, text);
    refuse_for(verb, problem_with_planning(objective));
    return objective;
}

// What the table of capabilities lets pass, but a plan has nothing of.
void refuse_others(const std::string& verb, const std::vector<std::string>& others) {
    if (others.empty()) return;
    fail_usage(verb, "--package does not take " + others.front().substr(0, others.front().find('=')) +
                         ": the package's file and the plan say all of it");
}

// "16.55 mJ, 31,217,670 cycles, at least 97 % of it".
std::vector<std::string> progress_parts(const PackageProgress& now) {
    if (!now.found) return {"no plan yet"};
    std::vector<std::string> parts{energy_text(now.energy_pj), count_text(now.cycles) + " cycles"};
    if (now.bound > 0.0) parts.push_back("bound at " + share_text(now.bound / now.value));
    return parts;
}

// Where -o writes it, and where --certificate says.
std::vector<NamedBytes> proofs(const CertifiedPlan& found, const std::string& certificate,
                               const OutputOptions& output) {
    if (!found.note.empty()) print_error("note: " + found.note);
    if (found.certificate.empty()) {
        print_error("note: no certificate: " + found.no_certificate);
        if (!certificate.empty()) leave_no_certificate(certificate);
        return {};
    }
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) files.emplace_back(kCertificateFile, found.certificate);
    if (!certificate.empty()) files.emplace_back(std::filesystem::absolute(certificate), found.certificate);
    return files;
}

}  // namespace

void PackageOptions::declare_package(Options& options) {
    options.group("Package");
    options
        .value("package", 0, "NAME", "cores on a mesh: simba-package, quad-npu, ... or a YAML file with 'package'",
               &package)
        .completes = "file";
}

void PackageOptions::declare(Options& options) {
    declare_package(options);
    options.value("plan", 0, "FILE", "with --package: this plan of runs, teams and splits", &plan).completes = "file";
    options.only_with({"plan"}, {"package"}, "--plan is for --package");
}

void PackageOptions::declare_published(Options& options) {
    options.flag("published", 0, "with --account set: with the faults of SET's program", &published);
}

const std::set<std::string>& options_of_packages() {
    static const std::set<std::string> kKnown = {
        "package", "plan",  "net",        "einsum",    "extents", "dim",         "phase",
        "cascade", "set",   "strict",     "objective", "quiet",   "certificate", "largest-input",
        "layers",  "jinja", "time-limit", "output",    "json",    "csv",         "html"};
    return kKnown;
}

ExitStatus map_on_package(const std::vector<std::string>& others, const InputOptions& input, const SearchPlan& plan,
                          const PackageOptions& package, const std::string& certificate, const OutputOptions& output) {
    refuse_others("map", others);
    const Objective objective = objective_of("map", plan.objective);
    PackageRunner runner("map", input, package);
    prepare(output);
    if (!certificate.empty()) check_target(certificate);
    if (runner.has_plan()) {
        report::PackageReport report = runner.evaluated(objective);
        runner.write(report, output);
        return ExitStatus::done;
    }
    StopSource stop;
    const Interrupt interrupt(stop);
    const bool wants_proof = !certificate.empty() || !output.directory.empty();
    CertifiedPlan found;
    {
        StopSource stop_of_search;
        const TimeLimit limit(stop_of_search, plan.time_limit_seconds, &stop);
        StatusLine line(!output.quiet);
        line.show("the first plan", true);
        const auto tell = [&](const PackageProgress& now) { line.show(progress_parts(now), true); };
        if (wants_proof)
            found = map_package_certified(runner.problem(), objective, std::string(version()), &stop_of_search, tell);
        else
            found.report = map_package(runner.problem(), objective, &stop_of_search, tell);
    }
    if (!found.report) {
        print_error("error: no plan of '" + runner.problem().cascade.name + "' was found");
        return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::no_answer;
    }
    runner.write(*found.report, output, wants_proof ? proofs(found, certificate, output) : std::vector<NamedBytes>{});
    return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
}

PackagesToExplore packages_to_explore(const InputOptions& input, const SearchPlan& plan,
                                      const PackageOptions& package) {
    InputOptions of_cascade = input;
    of_cascade.cascade = !input.nets.empty();
    Inputs inputs("explore", of_cascade);
    PackagesToExplore made;
    made.subject = {package.package, cascade_to_plan("explore", input.layers, inputs),
                    objective_of("explore", plan.objective), plan.time_limit_seconds};
    const PackageMachine machine = PackageMachine::read(package.package);
    made.title = made.subject.cascade.name + " on " + machine.package().name;
    made.given = {{"evaluator", "package"},
                  {"version", fmt::format("tilewright {}, model {}", version(), kModelVersion)},
                  {"objective", std::string(objective_name(made.subject.objective.kind))},
                  {"cascade", content_hash(report::cascade_json(made.subject.cascade))}};
    if (plan.time_limit_seconds) made.given.emplace_back("time limit", fmt::format("{}", *plan.time_limit_seconds));
    std::vector<report::Input> read = machine.inputs();
    for (const report::Input& one : read) made.given.emplace_back(one.name, one.xxh3);
    read.insert(read.end(), inputs.read().begin(), inputs.read().end());
    std::error_code ignored;
    for (const report::Input& one : read)
        if (std::filesystem::is_regular_file(one.name, ignored)) made.read.push_back(one.name);
    made.notes = inputs.notes();
    made.notes.emplace_back("bound_share: the bound of all plans over what was found; 1 is proven");
    if (plan.time_limit_seconds)
        made.notes.push_back(fmt::format(
            "each design was searched for {} s at most: rows that are not proven depend on the machine's speed",
            *plan.time_limit_seconds));
    return made;
}

PackageToCheck package_to_check(const InputOptions& input, const PackageOptions& package) {
    PackageToCheck given;
    if (!package.package.empty() && is_set_run(package)) {
        PackageProblem problem = read_set_run("check", input, package).problem(false);
        return {std::move(problem.package), problem.constraints, std::move(problem.cascade)};
    }
    if (!package.package.empty()) {
        const PackageMachine machine = PackageMachine::read(package.package, settings_of("check", input.set));
        given.package = machine.package();
        given.constraints = machine.constraints();
    }
    if (input.nets.empty() && input.einsum.empty()) return given;
    InputOptions of_cascade = input;
    of_cascade.set.clear();
    of_cascade.cascade = !input.nets.empty();
    Inputs inputs("check", of_cascade);
    given.cascade = cascade_to_plan("check", input.layers, inputs);
    return given;
}

ExitStatus evaluate_on_package(const std::vector<std::string>& others, const InputOptions& input,
                               const PackageOptions& package, const OutputOptions& output) {
    refuse_others("evaluate", others);
    if (package.plan.empty()) fail_usage("evaluate", "--package needs a plan: --plan FILE");
    PackageRunner runner("evaluate", input, package);
    prepare(output);
    report::PackageReport report = runner.evaluated({.kind = ObjectiveKind::edp});
    runner.write(report, output);
    return ExitStatus::done;
}

}  // namespace tilewright::cli
