// tilewright explore --prove --pareto: the machines of a space that no other beats, with proof.

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "codesign/front.hpp"
#include "options/verb.hpp"
#include "report/codesign/machine_front.hpp"
#include "run/codesign/machine_front.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/explore/explore_proof.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kFrontVerb = "explore";

// Each metric has mappings of its own; an objective that the user gave cannot say otherwise.
void check_front(const MapOptions& options, const ProofRequest& request) {
    std::size_t mapped = 0;
    for (std::size_t i = 0; i < request.metrics.size(); ++i) {
        const explore::Metric& metric = request.specification.metrics[request.metrics[i]];
        if (!is_of_fronts(metric))
            fail_usage(kFrontVerb, "--prove: nothing bounds '" + metric.name +
                                       "'; fronts of energy, latency, edp and area can be proven");
        for (std::size_t j = 0; j < i; ++j)
            if (request.metrics[j] == request.metrics[i])
                fail_usage(kFrontVerb, "--prove: --pareto names '" + metric.name + "' twice");
        const std::optional<Objective> objective = objective_of(metric);
        if (!objective) continue;
        ++mapped;
        if (request.gives_objective && objective->kind != options.objective.kind)
            fail_usage(kFrontVerb, "--prove: mappings are searched for --objective " +
                                       objective_text(options.objective) + ", but " + metric.name +
                                       " has mappings of its own; leave out --objective");
    }
    if (mapped == 0) fail_usage(kFrontVerb, "--prove: a front takes energy, latency or edp, beside area");
    for (const explore::Knob& knob : request.specification.space.knobs())
        if (knob.name == "objective")
            fail_usage(kFrontVerb, "--prove: each metric has mappings of its own; there is no knob 'objective'");
    in_the_words_of(kFrontVerb, [&] { check_provable(options, "--"); });
}

std::string front_line(const codesign::FrontAnswer& answer) {
    return fmt::format("{} machines on the front, gap {:.2f} %, {} boxes looked at, {} machines mapped",
                       answer.front.size(), 100.0 * answer.gap, count_text(answer.counts.boxes),
                       count_text(answer.counts.mapped));
}

std::vector<std::vector<explore::Row>> rows_of(const codesign::FrontAnswer& answer, MachineFront& machines,
                                               std::size_t metrics) {
    std::vector<std::vector<explore::Row>> rows;
    for (const codesign::FrontMachine& machine : answer.front) {
        std::vector<explore::Row>& own = rows.emplace_back();
        for (std::size_t m = 0; m < metrics; ++m) own.push_back(machines.row(machine.point, m));
    }
    return rows;
}

}  // namespace

ExitStatus prove_front(Designs& designs, const DesignKnobs& knobs, const ProofRequest& request, AnswerCache& cache) {
    check_front(designs.options(), request);
    const std::vector<codesign::Role> roles = knob_roles(knobs, first_machine(designs));
    StopSource stop;
    const std::unique_ptr<codesign::Journal> journal = opened_journal(request);
    MachineFront machines(designs,
                          {request.specification, roles, request.metrics,
                           [&](const Architecture& machine) { return knob_roles(knobs, machine); }},
                          cache, stop, journal.get());
    codesign::FrontAnswer answer;
    {
        const Interrupt interrupt(stop);
        StatusLine line(!request.output.quiet);
        answer = codesign::search_front(machines.subjects(), request.specification.space,
                                        {.threads = designs.options().threads}, stop,
                                        [&](const codesign::FrontAnswer& now) { line.show(front_line(now)); });
    }
    report::MachineFrontReport report = report::machine_front_report(answer, request.specification, request.metrics,
                                                                     rows_of(answer, machines, request.metrics.size()));
    report.provenance = provenance(kFrontVerb, {});
    report.provenance.options = proof_identity(request);
    report.title = designs.title();
    report.notes = designs.notes();
    std::vector<NamedBytes> page;
    if (!request.output.directory.empty()) {
        report.notes.emplace_back("no certificate is written of fronts");
        page = page_file([&] {
            return views::Document{
                "report.json", {}, machine_front_figures(report), {}, {machine_front_headline(report)}};
        });
    }
    write_text_and_json(machine_front_text(report), machine_front_json(report), request.output, std::move(page));
    if (stop.requested() && !answer.proven) return ExitStatus::interrupted;
    return answer.front.empty() ? ExitStatus::no_answer : ExitStatus::done;
}

}  // namespace tilewright::cli
