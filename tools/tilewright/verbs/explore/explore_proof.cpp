#include "verbs/explore/explore_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "base/version.hpp"
#include "codesign/journal.hpp"
#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/codesign/best_machine.hpp"
#include "run/check/file_names.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/check/certificates.hpp"

namespace tilewright::cli {
namespace {

using codesign::Answer;

constexpr const char* kProofVerb = "explore";

std::string line_of(const Answer& answer) {
    if (!answer.best) return fmt::format("{} boxes, no machine yet", count_text(answer.counts.boxes));
    return fmt::format("best {:.4g}, none below {:.4g} (gap {:.2f} %), {} boxes left, {} machines mapped",
                       answer.best->value, answer.bound, 100.0 * codesign::gap_of(answer.best->value, answer.bound),
                       count_text(static_cast<std::int64_t>(answer.left)), count_text(answer.counts.mapped));
}

}  // namespace

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

ExitStatus prove_best(const Provable& provable, const ProofRequest& request) {
    const bool to_folder = !request.output.directory.empty();
    StopSource stop;
    const std::unique_ptr<codesign::Journal> journal = opened_journal(request);
    BestMachine found;
    {
        const Interrupt interrupt(stop);
        StatusLine line(!request.output.quiet);
        const BestMachineControl control{
            .certificate = to_folder,
            .worth = request.worth,
            .journal = journal.get(),
            .tell = [&](const Answer& now) { line.show(line_of(now)); },
            .tell_worth =
                [&](std::size_t done, std::size_t all) {
                    line.show(fmt::format("worth of each knob: value {} of {}", done + 1, all));
                }};
        found = in_the_words_of(kProofVerb, [&] {
            return provable.best(
                {request.specification, request.metrics.front(), provable.title, "--", build_version()}, stop, control);
        });
    }
    report::BestMachineReport& report = found.report;
    report.provenance = provenance(kProofVerb, {});
    report.provenance.options = proof_identity(request);
    const std::vector<std::string> notes = provable.notes();
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    std::vector<NamedBytes> more;
    if (to_folder && !report.plan.empty()) more.emplace_back(kPlanFile, report.plan);
    if (!found.certificate.empty()) more.emplace_back(kCertificateFile, found.certificate);
    if (to_folder)
        for (NamedBytes& page : page_file([&] {
                 return views::Document{
                     "report.json", {}, best_machine_figures(report), {}, {best_machine_headline(report)}};
             }))
            more.push_back(std::move(page));
    write_text_and_json(best_machine_text(report), best_machine_json(report), request.output, std::move(more));
    if (stop.requested() && !report.proven) return ExitStatus::interrupted;
    return report.best ? ExitStatus::done : ExitStatus::no_answer;
}

}  // namespace tilewright::cli
