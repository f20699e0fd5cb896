#include "run/codesign/best_machine.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "run/codesign/knob_roles.hpp"
#include "run/codesign/machine_record.hpp"
#include "run/codesign/package_subject.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse_proof(const std::string& dashes, const std::string& why) {
    throw InputError(ErrorCode::usage, {}, dashes + "prove: " + why);
}

// Machines are compared by the best mapping or plan of each, so those have to be for the same metric.
void check_metric(const BestMachineQuestion& question, const Objective& searched, const std::string& found) {
    const explore::Metric& what = question.specification.metrics[question.metric];
    const std::string& dashes = question.dashes;
    const std::optional<Objective> objective = objective_of(what);
    if (!objective)
        refuse_proof(dashes, fmt::format("nothing bounds '{}'; {}best energy, latency and edp can be proven", what.name,
                                         dashes));
    if (objective->kind != searched.kind)
        refuse_proof(dashes, fmt::format("{2} are searched for {0}objective {1}, machines for {0}best {3}; they "
                                         "have to agree",
                                         dashes, objective_text(searched), found, what.alias));
}

/// A subject, and what else an answer takes.
struct Proof {
    codesign::Subject& subject;
    int threads = 0;
    std::function<explore::Row(explore::Point point)> row;
    /// Asked for with BestMachineControl::certificate alone; throws InputError where there is none.
    std::function<std::string(const codesign::Answer& answer)> certificate = {};
};

std::vector<report::KnobWorth> worth_of(const codesign::Answer& answer, codesign::Subject& subject,
                                        const explore::Space& space, int threads, const StopSource& stop,
                                        const BestMachineControl& control) {
    constexpr std::int64_t kBoxes = 64;  // of each value: then a bound is enough
    const codesign::Settings settings{.threads = threads, .most_looked = kBoxes};
    const auto tell = [&](std::size_t done, std::size_t all) {
        if (control.tell_worth) control.tell_worth(done, all);
    };
    return report::knob_worth(codesign::hold_knobs(subject, space, settings, stop, answer, tell), space, *answer.best);
}

BestMachine best_of(const Proof& proof, const BestMachineQuestion& question, const StopSource& stop,
                    const BestMachineControl& control) {
    std::optional<codesign::Remembered> remembered;
    if (control.journal != nullptr) remembered.emplace(proof.subject, *control.journal, stop);
    codesign::Subject& subject = remembered ? *remembered : proof.subject;
    const explore::Space& space = question.specification.space;
    const codesign::Answer answer = codesign::search(
        subject, space, {.threads = proof.threads, .keeps_tree = control.certificate}, stop, control.tell);
    std::vector<report::KnobWorth> worth;
    if (control.worth && answer.proven && answer.best)
        worth = worth_of(answer, subject, space, proof.threads, stop, control);
    std::optional<explore::Row> best;
    if (answer.best) best = proof.row(answer.best->point);
    BestMachine found{report::best_machine_report(answer, question.specification, question.metric, best)};
    report::BestMachineReport& report = found.report;
    report.provenance.tool_version = question.version;
    report.title = question.title;
    report.worth = std::move(worth);
    if (control.worth && report.worth.empty())
        report.notes.emplace_back("no worth of knobs: the best machine is not proven");
    if (control.certificate && !answer.proven) report.notes.emplace_back("no certificate: the answer is not proven");
    if (!control.certificate || !answer.proven) return found;
    try {
        found.certificate = proof.certificate(answer);
    } catch (const InputError& why) {  // the checker does not know what was asked
        report.notes.emplace_back(why.message());
    }
    return found;
}

}  // namespace

void check_provable(const MapOptions& options, const std::string& dashes) {
    if (options.uneven || options.factors == FactorRule::padded)
        refuse_proof(dashes, "there are no floors for uneven mappings and for paddings");
    if (intended_mapper(options) != MapperKind::optimal)
        refuse_proof(dashes, fmt::format("machines are compared by their proven mappings; leave out {}mapper", dashes));
}

Architecture first_machine(DesignSource& designs) {
    const Design first = designs.design(0);
    if (!first.failure.empty()) throw InputError(ErrorCode::unsupported, {}, "the first machine: " + first.failure);
    return first.architecture;
}

BestMachine best_machine(DesignSource& designs, const DesignKnobs& knobs, const BestMachineQuestion& question,
                         AnswerCache& cache, const StopSource& stop, const BestMachineControl& control) {
    const MapOptions& options = designs.options();
    check_metric(question, options.objective, "mappings");
    check_provable(options, question.dashes);
    const std::vector<codesign::Role> roles = knob_roles(knobs, first_machine(designs));
    const MachineQuestion asked{question.specification, roles, question.metric,
                                [&](const Architecture& machine) { return knob_roles(knobs, machine); }};
    MachineSubject machines(designs, asked, cache, stop);
    const auto row = [&](explore::Point point) { return machines.row(point); };
    const auto certificate = [&](const codesign::Answer& answer) {
        return machine_certificate_json({asked, answer, options, question.title, question.version}, machines);
    };
    return best_of({machines, options.threads, row, certificate}, question, stop, control);
}

BestMachine best_package(const ExploredPackage& packages, const BestMachineQuestion& question, int threads,
                         const StopSource& stop, const BestMachineControl& control) {
    check_metric(question, packages.objective, "plans");
    PackageSubject subject(packages, question.specification, question.metric, stop);
    const auto row = [&](explore::Point point) { return subject.planned(point).row; };
    BestMachineControl uncertified = control;
    uncertified.certificate = false;
    BestMachine found = best_of({subject, threads, row}, question, stop, uncertified);
    report::BestMachineReport& report = found.report;
    report.subject = "packages";
    if (report.best) report.plan = subject.planned(report.best->point).plan;
    if (control.certificate)
        report.notes.emplace_back("no certificate of packages: map --package writes one of the best package's plan");
    return found;
}

}  // namespace tilewright
