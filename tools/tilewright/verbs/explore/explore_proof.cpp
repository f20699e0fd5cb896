#include "verbs/explore/explore_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "codesign/journal.hpp"
#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/codesign/best_machine.hpp"
#include "run/codesign/knob_roles.hpp"
#include "run/codesign/machine_subject.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/status_line.hpp"
#include "verbs/check/machine_certificates.hpp"

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
    check_provable(options);
}

std::string line_of(const Answer& answer) {
    if (!answer.best) return fmt::format("{} boxes, no machine yet", count_text(answer.counts.boxes));
    return fmt::format("best {:.4g}, none below {:.4g} (gap {:.2f} %), {} boxes left, {} machines mapped",
                       answer.best->value, answer.bound, 100.0 * codesign::gap_of(answer.best->value, answer.bound),
                       count_text(static_cast<std::int64_t>(answer.left)), count_text(answer.counts.mapped));
}

std::vector<report::KnobWorth> worth_of(const Answer& answer, codesign::Subject& subject, const ProofRequest& request,
                                        int threads, const StopSource& stop, StatusLine& line) {
    constexpr std::int64_t kBoxes = 64;  // of each value: then a bound is enough
    const codesign::Settings settings{.threads = threads, .most_looked = kBoxes};
    const explore::Space& space = request.specification.space;
    return report::knob_worth(
        codesign::hold_knobs(subject, space, settings, stop, answer,
                             [&](std::size_t done, std::size_t all) {
                                 line.show(fmt::format("worth of each knob: value {} of {}", done + 1, all));
                             }),
        space, *answer.best);
}

}  // namespace

void check_provable(const MapOptions& options) {
    if (options.uneven || options.factors == FactorRule::padded)
        fail_usage(kProofVerb, "--prove: there are no floors for uneven mappings and for paddings");
    if (intended_mapper(options) != MapperKind::optimal)
        fail_usage(kProofVerb, "--prove: machines are compared by their proven mappings; leave out --mapper");
}

Architecture first_machine(Designs& designs) {
    const Design first = designs.design(0);
    if (!first.failure.empty()) throw InputError(ErrorCode::unsupported, {}, "the first machine: " + first.failure);
    return first.architecture;
}

std::vector<std::pair<std::string, std::string>> proof_identity(const ProofRequest& request) {
    std::vector<std::pair<std::string, std::string>> identity = explore::identity(request.specification);
    std::string names;
    for (const std::size_t metric : request.metrics)
        names += (names.empty() ? "" : ", ") + request.specification.metrics[metric].name;
    identity.emplace_back(request.metrics.size() == 1 ? "least" : "front", names);
    return identity;
}

std::unique_ptr<codesign::Journal> opened_journal(const ProofRequest& request) {
    if (request.journal.empty()) return nullptr;
    return std::make_unique<codesign::Journal>(request.journal, proof_identity(request));
}

ExitStatus prove_best(Designs& designs, const ProofRequest& request, AnswerCache& cache) {
    const std::size_t metric = request.metrics.front();
    check_search(designs.options(), request.specification, metric);
    const std::vector<codesign::Role> roles = knob_roles(request.knobs, first_machine(designs));
    StopSource stop;
    const MachineQuestion question{request.specification, roles, metric,
                                   [&](const Architecture& machine) { return knob_roles(request.knobs, machine); }};
    MachineSubject machines(designs, question, cache, stop);
    const std::unique_ptr<codesign::Journal> journal = opened_journal(request);
    std::unique_ptr<codesign::Remembered> remembered;
    if (journal) remembered = std::make_unique<codesign::Remembered>(machines, *journal, stop);
    codesign::Subject& subject = remembered ? static_cast<codesign::Subject&>(*remembered) : machines;
    Answer answer;
    std::vector<report::KnobWorth> worth;
    {
        const Interrupt interrupt(stop);
        StatusLine line(!request.output.quiet);
        const codesign::Settings settings{.threads = designs.options().threads,
                                          .keeps_tree = !request.output.directory.empty()};
        answer = codesign::search(subject, request.specification.space, settings, stop,
                                  [&](const Answer& now) { line.show(line_of(now)); });
        if (request.worth && answer.proven && answer.best)
            worth = worth_of(answer, subject, request, settings.threads, stop, line);
    }
    std::optional<explore::Row> best;
    if (answer.best) best = machines.row(answer.best->point);
    report::BestMachineReport report = report::best_machine_report(answer, request.specification, metric, best);
    report.provenance = provenance(kProofVerb, {});
    report.provenance.options = proof_identity(request);
    report.title = designs.title();
    report.notes = designs.notes();
    report.worth = std::move(worth);
    if (request.worth && report.worth.empty())
        report.notes.emplace_back("no worth of knobs: the best machine is not proven");
    std::vector<NamedBytes> more;
    if (!request.output.directory.empty()) {
        if (!answer.proven)
            report.notes.emplace_back("no certificate: the answer is not proven");
        else
            try {
                const ProvenMachine proven{question, answer, designs.options(), designs.title()};
                more.emplace_back(kCertificateFile, machine_certificate_json(proven, machines));
            } catch (const InputError& why) {  // the checker does not know what was asked
                report.notes.emplace_back(why.message());
            }
        for (NamedBytes& page : page_file([&] {
                 return views::Document{
                     "report.json", {}, best_machine_figures(report), {}, {best_machine_headline(report)}};
             }))
            more.push_back(std::move(page));
    }
    write_text_and_json(best_machine_text(report), best_machine_json(report), request.output, std::move(more));
    if (stop.requested() && !answer.proven) return ExitStatus::interrupted;
    return answer.best ? ExitStatus::done : ExitStatus::no_answer;
}

}  // namespace tilewright::cli
