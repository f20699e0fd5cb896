#include "run/codesign/best_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "certificate/codesign/check_tree.hpp"
#include "codesign/search.hpp"
#include "model/version.hpp"
#include "native/certificates/machine_certificate.hpp"
#include "run/codesign/machine_front.hpp"
#include "run/codesign/machine_subject.hpp"
#include "run/codesign/package_subject.hpp"

namespace tilewright {
namespace {

// What a search for the best machine has found out, as a certificate says it (run/check judges it).

struct ProvenMachine {
    const MachineQuestion& question;
    const codesign::Answer& answer;  ///< proven, with its tree
    const MapOptions& options;
    std::string network;
    std::string tool_version;
};

using certificate::BoxEnd;
using certificate::BoxNode;
using certificate::MachineCertificate;
using certificate::MachineForm;
using certificate::MachineSpace;
using codesign::Box;

[[noreturn]] void refuse_certificate(const std::string& why) {
    throw InputError(ErrorCode::unsupported, {}, "no certificate is written: " + why);
}

template <class Value>
certificate::PartTable<Value> part_table(const codesign::Parts::Table<Value>& table) {
    return {table.knobs, table.values};
}

/// Writes down what a search has found out, with what shows it.
class MachineRecord {
   public:
    MachineRecord(const ProvenMachine& proven, MachineSubject& machines)
        : proven_(proven), machines_(machines), space_(proven.question.specification.space) {}

    MachineCertificate run() {
        MachineCertificate record;
        record.tool_version = proven_.tool_version;
        record.model_version = kModelVersion;
        record.network = proven_.network;
        fill_space(record.space);
        if (proven_.answer.best)
            record.best = mapped(codesign::box_of(proven_.answer.best->point, space_), proven_.answer.best->point);
        add(codesign::whole(space_), record.tree);
        return record;
    }

   private:
    void fill_space(MachineSpace& space) const {
        space.objective = objective_text(proven_.options.objective);
        space.factors = name_of(proven_.options.factors);
        for (const explore::Knob& knob : space_.knobs()) space.knobs.push_back({knob.name, knob.values});
        for (std::size_t knob = 0; knob < proven_.question.roles.size(); ++knob)
            if (proven_.question.roles[knob].form) space.deciding.push_back(knob);
        for (const explore::Condition& limit : proven_.question.specification.limits) space.limits.push_back(of(limit));
        add_forms(space);
    }

    static certificate::MachineLimit of(const explore::Condition& limit) {
        static const std::vector<std::string> kKnown{"area_mm2", "energy_pj", "latency_cycles", "edp_pj_cycles",
                                                     "power_mw"};
        const bool at_most = limit.relation == explore::Condition::Relation::at_most;
        if ((!at_most && limit.relation != explore::Condition::Relation::less) ||
            std::ranges::find(kKnown, limit.name) == kKnown.end())
            refuse_certificate("the checker knows no limit like " + explore::to_text(limit));
        return {limit.name, at_most, limit.bound};
    }

    void add_forms(MachineSpace& space) const {
        Box box = codesign::whole(space_);
        constexpr std::int64_t kMost = 1000;
        std::int64_t forms = 1;
        for (const std::size_t knob : space.deciding) forms = std::min(kMost + 1, forms * box.ranges[knob].size());
        if (forms > kMost) refuse_certificate("knobs that may change anything have more than 1,000 values together");
        codesign::for_each_combination(box, space.deciding, [&](const std::vector<std::uint32_t>& positions) {
            Box one = box;
            MachineForm form;
            for (const std::size_t knob : space.deciding) {
                one.ranges[knob] = {positions[knob], positions[knob] + 1};
                form.decided.push_back(positions[knob]);
            }
            fill(form, machines_.family(one));
            space.forms.push_back(std::move(form));
        });
    }

    static void fill(MachineForm& form, const MachineFamily& family) {
        form.base = family.parts->first();
        if (family.fused) refuse_certificate("the checker counts layers by themselves, not fused ones");
        for (const auto& memory : family.parts->memories()) form.memories.push_back(part_table(memory));
        form.compute = part_table(family.parts->compute());
        form.meshes = part_table(family.parts->meshes());
        for (const ShapeProblem& shape : family.problem.shapes) {
            if (!shape.layer.is_plain())
                refuse_certificate("the checker counts machines with words of one width, and no zeros");
            form.layers.push_back({shape.names, shape.repeats, shape.layer.einsum, shape.layer.constraints});
        }
    }

    static certificate::MachineBox ranges_of(const Box& box) {
        certificate::MachineBox ranges;
        for (const codesign::Range& range : box.ranges) ranges.push_back({range.low, range.high});
        return ranges;
    }

    // A box, then what it was cut into.
    void add(const Box& box, std::vector<BoxNode>& tree) {
        const auto cut = proven_.answer.tree.cuts.find(box);
        if (cut == proven_.answer.tree.cuts.end()) return tree.push_back(leaf(box));
        BoxNode node;
        node.box = ranges_of(box);
        node.knob = cut->second;
        tree.push_back(std::move(node));
        const auto [low, high] = codesign::halves(box, cut->second);
        add(low, tree);
        add(high, tree);
    }

    BoxNode leaf(const Box& box) {
        if (proven_.answer.tree.ends.at(box) == codesign::End::mapped)
            return mapped(box, codesign::first_point(box, space_));
        const double best = proven_.answer.best ? proven_.answer.best->value : std::numeric_limits<double>::infinity();
        const double enough = best * codesign::kClose;
        RuledOut shown = machines_.ruled_out(box, enough);
        BoxNode node;
        node.box = ranges_of(box);
        node.end = shown.beyond_area || !shown.limit.empty() ? BoxEnd::beyond
                   : shown.unmappable                        ? BoxEnd::unmappable
                                                             : BoxEnd::worse;
        node.limit = shown.beyond_area ? "area_mm2" : shown.limit;
        node.layer = shown.unmappable.value_or(0);
        if (node.end == BoxEnd::worse) {
            lower(shown, enough);
            node.value = shown.value;
        }
        for (const codesign::LayerFloor& floor : shown.floors)
            node.layers.push_back({floor.energy_pj, floor.cycles, floor.objective});
        return node;
    }

    // To what still rules the box out: what is far above that is shown in less time.
    void lower(RuledOut& shown, double enough) const {
        if (!(shown.value > enough)) return;
        const double share = enough / shown.value;
        const bool of_cycles = proven_.options.objective.kind == ObjectiveKind::latency;
        for (codesign::LayerFloor& floor : shown.floors) {
            (of_cycles ? floor.cycles : floor.energy_pj) *= share;
            floor.objective *= share;
        }
        shown.value = enough;
    }

    BoxNode mapped(const Box& box, explore::Point point) {
        BoxNode node;
        node.box = ranges_of(box);
        const NetworkAnswer answer = machines_.mappings(point);
        node.end = BoxEnd::mapped;
        for (std::size_t i = 0; i < answer.layers.size(); ++i) {
            const LayerAnswer& layer = answer.layers[i];
            if (!layer.mapping) return unmappable(std::move(node), i);
            node.answers.push_back(
                {*layer.mapping, {layer.evaluation->energy_pj, static_cast<double>(layer.evaluation->cycles)}});
        }
        const explore::Row row = machines_.row(point);
        node.value = row.values.at(proven_.question.metric);
        for (const explore::Condition& limit : proven_.question.specification.limits)
            if (!limit.holds(
                    row.values.at(explore::metric_named(proven_.question.specification.metrics, limit.name, {}))))
                node.limit = limit.name;
        return node;
    }

    static BoxNode unmappable(BoxNode node, std::size_t layer) {
        node.end = BoxEnd::unmappable;
        node.layer = layer;
        node.answers.clear();
        return node;
    }

    const ProvenMachine& proven_;
    MachineSubject& machines_;
    const explore::Space& space_;
};

// The document. Throws InputError(unsupported) where the checker would not know what to say.
std::string machine_certificate_json(const ProvenMachine& proven, MachineSubject& machines) {
    return native::write_machine_certificate(MachineRecord(proven, machines).run());
}

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
