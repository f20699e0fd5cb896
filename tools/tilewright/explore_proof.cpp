#include "explore_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "codesign/journal.hpp"
#include "codesign/search.hpp"
#include "explore/store.hpp"
#include "interrupt.hpp"
#include "machine_certificates.hpp"
#include "output.hpp"
#include "run/codesign/knob_roles.hpp"
#include "run/codesign/machine_subject.hpp"
#include "status_line.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

using codesign::Answer;
using explore::Specification;

constexpr const char* kProofVerb = "explore";

std::string value_text(double value) { return fmt::format("{:.10g}", value); }

double gap_of(const Answer& answer) { return answer.best ? 1.0 - answer.bound / answer.best->value : 1.0; }

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
                       answer.best->value, answer.bound, 100.0 * gap_of(answer),
                       count_text(static_cast<std::int64_t>(answer.left)), count_text(answer.counts.mapped));
}

std::string row_text(const Specification& specification, const explore::Row& row) {
    std::string text;
    for (std::size_t i = 0; i < specification.space.knobs().size(); ++i)
        text +=
            fmt::format("  {:<28} {}\n", specification.space.knobs()[i].name, specification.space.value(row.point, i));
    for (std::size_t i = 0; i < row.values.size(); ++i)
        text += fmt::format("  {:<28} {:.10g}\n", specification.metrics[i].name, row.values[i]);
    return text;
}

std::string claim_text(const Answer& answer, const ProofRequest& request) {
    const std::string& metric = request.specification.metrics[request.metric].name;
    const std::string machines = count_text(request.specification.space.size());
    if (!answer.best)
        return answer.proven ? fmt::format("proven: none of {} machines is valid\n", machines)
                             : "stopped before a valid machine was found\n";
    if (answer.proven)
        return fmt::format("proven: of {} machines none has a smaller {} (to nine digits)\n", machines, metric);
    const std::string why = answer.unproven == 0
                                ? ""
                                : fmt::format(", and {} mapped machines have layers whose mappings are not proven",
                                              count_text(answer.unproven));
    return fmt::format("not proven: a machine may have a {} of {}, {:.3f} % less; {} boxes are left{}\n", metric,
                       value_text(answer.bound), 100.0 * gap_of(answer),
                       count_text(static_cast<std::int64_t>(answer.left)), why);
}

std::string counts_text(const codesign::Counts& counts) {
    return fmt::format(
        "{} boxes looked at: {} beyond a limit, {} ruled out by quick floors, {} by floors of the optimal mapper ({} "
        "found)\n{} machines mapped, {} of them not valid; {} ruled out with their boxes, {} beyond a limit with "
        "theirs\n",
        count_text(counts.boxes), count_text(counts.empty_cuts), count_text(counts.quick_cuts),
        count_text(counts.floor_cuts), count_text(counts.floors), count_text(counts.mapped), count_text(counts.invalid),
        count_text(counts.worse), count_text(counts.impossible));
}

// What decides the answers: all that decides the rows, and what is asked of them.
std::vector<std::pair<std::string, std::string>> identity_of(const ProofRequest& request) {
    std::vector<std::pair<std::string, std::string>> identity = explore::identity(request.specification);
    identity.emplace_back("least", request.specification.metrics[request.metric].name);
    return identity;
}

std::string uncertified_note(const std::string& file) {
    const std::string note = "no certificate is written of what is not proven";
    std::error_code unknown;
    return std::filesystem::exists(file, unknown) ? note + "; " + file + " is of an earlier answer" : note;
}

void print_answer(const Answer& answer, const ProofRequest& request, const std::string& title, const explore::Row* best,
                  const std::vector<std::string>& notes) {
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    if (best != nullptr) text += "  best machine: point " + std::to_string(best->point) + "\n";
    if (best != nullptr) text += row_text(request.specification, *best);
    text += "\n" + claim_text(answer, request) + counts_text(answer.counts);
    for (const std::string& note : notes) text += "note: " + note + "\n";
    print(text);
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
        StatusLine line(!request.quiet);
        const codesign::Settings settings{.threads = designs.options().threads,
                                          .keeps_tree = !request.certificate.empty()};
        answer = codesign::search(subject, request.specification.space, settings, stop,
                                  [&](const Answer& now) { line.show(line_of(now)); });
    }
    std::optional<explore::Row> best;
    if (answer.best) best = machines.row(answer.best->point);
    std::vector<std::string> notes = designs.notes();
    if (!request.certificate.empty()) {
        if (answer.proven)
            write_file(request.certificate,
                       machine_certificate_json({question, answer, designs.options(), designs.title()}, machines));
        else
            notes.push_back(uncertified_note(request.certificate));
    }
    if (!request.quiet) print_answer(answer, request, designs.title(), best ? &*best : nullptr, notes);
    if (stop.requested() && !answer.proven) return ExitStatus::interrupted;
    return answer.best ? ExitStatus::done : ExitStatus::no_answer;
}

}  // namespace tilewright::cli
