#include "run/codesign/best_machine.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "run/codesign/knob_roles.hpp"
#include "run/codesign/machine_record.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse_proof(const std::string& dashes, const std::string& why) {
    throw InputError(ErrorCode::usage, {}, dashes + "prove: " + why);
}

// Of mappings: machines are compared by the best of each, so those have to be for the same metric, and provable.
void check_search(const MapOptions& options, const BestMachineQuestion& question) {
    const explore::Metric& what = question.specification.metrics[question.metric];
    const std::string& dashes = question.dashes;
    const std::optional<Objective> objective = objective_of(what);
    if (!objective)
        refuse_proof(dashes, fmt::format("nothing bounds '{}'; {}best energy, latency and edp can be proven", what.name,
                                         dashes));
    if (objective->kind != options.objective.kind)
        refuse_proof(dashes, fmt::format("mappings are searched for {0}objective {1}, machines for {0}best {2}; they "
                                         "have to agree",
                                         dashes, objective_text(options.objective), what.alias));
    check_provable(options, dashes);
}

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

BestMachine best_machine(DesignSource& designs, const BestMachineQuestion& question, AnswerCache& cache,
                         const StopSource& stop, const BestMachineControl& control) {
    const MapOptions& options = designs.options();
    check_search(options, question);
    const std::vector<codesign::Role> roles = knob_roles(question.knobs, first_machine(designs));
    const MachineQuestion asked{question.specification, roles, question.metric,
                                [&](const Architecture& machine) { return knob_roles(question.knobs, machine); }};
    MachineSubject machines(designs, asked, cache, stop);
    std::optional<codesign::Remembered> remembered;
    if (control.journal != nullptr) remembered.emplace(machines, *control.journal, stop);
    codesign::Subject& subject = remembered ? static_cast<codesign::Subject&>(*remembered) : machines;
    const explore::Space& space = question.specification.space;
    const codesign::Answer answer = codesign::search(
        subject, space, {.threads = options.threads, .keeps_tree = control.certificate}, stop, control.tell);
    std::vector<report::KnobWorth> worth;
    if (control.worth && answer.proven && answer.best)
        worth = worth_of(answer, subject, space, options.threads, stop, control);
    std::optional<explore::Row> best;
    if (answer.best) best = machines.row(answer.best->point);
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
        found.certificate =
            machine_certificate_json({asked, answer, options, question.title, question.version}, machines);
    } catch (const InputError& why) {  // the checker does not know what was asked
        report.notes.emplace_back(why.message());
    }
    return found;
}

}  // namespace tilewright
