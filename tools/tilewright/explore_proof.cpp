#include "explore_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "codesign/journal.hpp"
#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "interrupt.hpp"
#include "machine_certificates.hpp"
#include "output.hpp"
#include "report/codesign/best_machine.hpp"
#include "run/codesign/knob_roles.hpp"
#include "run/codesign/machine_subject.hpp"
#include "status_line.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

using codesign::Answer;
using explore::Specification;

constexpr const char* kProofVerb = "explore";

// Of mappings: machines are compared by the best of each, so those have to be for the same metric, and provable.
void check_search(const MapOptions& options, const Specification& specification, std::size_t metric) {
    const explore::Metric& what = specification.metrics[metric];
    const std::optional<Objective> objective = objective_of(what);
    if (!objective)
        fail_usage(kProofVerb,
                   "--prove: nothing bounds '" + what.name + "'; --best energy, latency and edp can be proven");
    if (objective->kind != options.objective.kind)
        fail_usage(kProofVerb, "--prove: mappings are searched for --objective " + objective_text(options.objective) +
                                   ", machines for --best " + what.alias + "; they have to agree");
    if (options.uneven || options.factors == FactorRule::padded)
        fail_usage(kProofVerb, "--prove: there are no floors for uneven mappings and for paddings");
    if (intended_mapper(options) != MapperKind::optimal)
        fail_usage(kProofVerb, "--prove: machines are compared by their proven mappings; leave out --mapper");
}

std::string line_of(const Answer& answer) {
    if (!answer.best) return fmt::format("{} boxes, no machine yet", count_text(answer.counts.boxes));
    return fmt::format("best {:.4g}, none below {:.4g} (gap {:.2f} %), {} boxes left, {} machines mapped",
                       answer.best->value, answer.bound, 100.0 * codesign::gap_of(answer.best->value, answer.bound),
                       count_text(static_cast<std::int64_t>(answer.left)), count_text(answer.counts.mapped));
}

// What decides the answers: all that decides the rows, and what is asked of them.
std::vector<std::pair<std::string, std::string>> identity_of(const ProofRequest& request) {
    std::vector<std::pair<std::string, std::string>> identity = explore::identity(request.specification);
    identity.emplace_back("least", request.specification.metrics[request.metric].name);
    return identity;
}

}  // namespace

ExitStatus prove_best(Designs& designs, const ProofRequest& request, AnswerCache& cache) {
    check_search(designs.options(), request.specification, request.metric);
    const Design first = designs.design(0);
    if (!first.failure.empty()) throw InputError(ErrorCode::unsupported, {}, "the first machine: " + first.failure);
    const std::vector<codesign::Role> roles = knob_roles(request.knobs, first.architecture);
    StopSource stop;
    const MachineQuestion question{request.specification, roles, request.metric,
                                   [&](const Architecture& machine) { return knob_roles(request.knobs, machine); }};
    MachineSubject machines(designs, question, cache, stop);
    std::unique_ptr<codesign::Journal> journal;
    std::unique_ptr<codesign::Remembered> remembered;
    if (!request.journal.empty()) {
        journal = std::make_unique<codesign::Journal>(request.journal, identity_of(request));
        remembered = std::make_unique<codesign::Remembered>(machines, *journal, stop);
    }
    codesign::Subject& subject = remembered ? static_cast<codesign::Subject&>(*remembered) : machines;
    Answer answer;
    {
        const Interrupt interrupt(stop);
        StatusLine line(!request.output.quiet);
        const codesign::Settings settings{.threads = designs.options().threads,
                                          .keeps_tree = !request.output.directory.empty()};
        answer = codesign::search(subject, request.specification.space, settings, stop,
                                  [&](const Answer& now) { line.show(line_of(now)); });
    }
    std::optional<explore::Row> best;
    if (answer.best) best = machines.row(answer.best->point);
    report::BestMachineReport report = report::best_machine_report(answer, request.specification, request.metric, best);
    report.provenance = provenance(kProofVerb, {});
    report.provenance.options = identity_of(request);
    report.title = designs.title();
    report.notes = designs.notes();
    std::vector<NamedBytes> certificate;
    if (!request.output.directory.empty()) {
        if (answer.proven)
            certificate.emplace_back(
                kCertificateFile,
                machine_certificate_json({question, answer, designs.options(), designs.title()}, machines));
        else
            report.notes.emplace_back("no certificate is written of what is not proven");
    }
    write_text_and_json(best_machine_text(report), best_machine_json(report), request.output, std::move(certificate));
    if (stop.requested() && !answer.proven) return ExitStatus::interrupted;
    return answer.best ? ExitStatus::done : ExitStatus::no_answer;
}

}  // namespace tilewright::cli
