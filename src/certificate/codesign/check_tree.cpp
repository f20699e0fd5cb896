#include "certificate/codesign/check_tree.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "certificate/codesign/network_floor.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"

namespace tilewright::certificate {
namespace {

bool are_close(double a, double b) { return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b)); }

struct MachineTotals {
    double energy_pj = 0.0;
    double cycles = 0.0;
    double area_mm2 = 0.0;
    double cycle_seconds = 1.0;

    double of(const std::string& metric) const {
        if (metric == "energy_pj" || metric == "energy") return energy_pj;
        if (metric == "latency_cycles" || metric == "latency") return cycles;
        if (metric == "area_mm2") return area_mm2;
        if (metric == "power_mw") return energy_pj * 1e-9 / (cycles * cycle_seconds);
        return energy_pj * cycles;
    }
};

class LeafCheck {
   public:
    LeafCheck(const MachineCertificate& certificate, const BoxNode& node, const std::function<bool()>& stop)
        : certificate_(certificate), space_(certificate.space), node_(node), stop_(stop) {}

    std::vector<Finding> run() {
        form_ = form_of(space_, node_.box);
        if (form_ == nullptr) {
            note("box", "its machines map different networks: nothing can be said of all of them");
            return std::move(findings_);
        }
        if (node_.end == BoxEnd::mapped)
            check_mapped();
        else
            check_ruled_out();
        return std::move(findings_);
    }

   private:
    void check_ruled_out() {
        const BestCase best = best_case(space_, *form_, node_.box);
        if (node_.end == BoxEnd::beyond && node_.limit == "area_mm2") return check_area(best);
        if (!best.within_area) return;  // no machine is left
        if (!best.unknown.empty()) return note("box", "not confirmed: " + best.unknown);
        if (node_.end == BoxEnd::unmappable) return check_unmappable(best);
        if (node_.layers.size() != form_->layers.size())
            return note("layers", "floors of " + std::to_string(node_.layers.size()) + " layers, not of " +
                                      std::to_string(form_->layers.size()));
        if (node_.end == BoxEnd::beyond)
            check_limit();
        else
            check_worse();
        if (findings_.empty()) check_floors(best);
    }

    void check_area(const BestCase& best) {
        if (best.within_area)
            note("limit", "not confirmed: a machine may have an area of " + in_digits(best.least_area_mm2) +
                              " mm2, which the limit allows");
    }

    PlacedLayer problem(const BestCase& best, std::size_t layer) const {
        return {form_->layers[layer].einsum, best.machine, best.constraints[layer]};
    }

    void check_unmappable(const BestCase& best) {
        if (node_.layer >= form_->layers.size()) return note("layer", "there is no such layer");
        const std::string doubt = doubt_of_emptiness(problem(best, node_.layer), space_.factors, stop_);
        if (!doubt.empty()) note("layer", "not confirmed: " + doubt);
    }

    std::vector<RepeatedFloor> repeated() const {
        std::vector<RepeatedFloor> all;
        for (std::size_t i = 0; i < node_.layers.size(); ++i)
            all.push_back({static_cast<double>(form_->layers[i].repeats), node_.layers[i]});
        return all;
    }

    void check_limit() {
        const double energy_pj = total_energy_pj(repeated());
        const double cycles = total_cycles(repeated());
        const MachineTotals least{energy_pj, cycles, 0.0, 1.0};
        const bool broken = std::ranges::any_of(space_.limits, [&](const MachineLimit& limit) {
            const bool bounded = limit.metric != "area_mm2" && limit.metric != "power_mw";
            return bounded && limit.metric == node_.limit && !limit.holds(least.of(limit.metric) * (1.0 - kTolerance));
        });
        if (!broken) note("limit", "not confirmed: the floors of its layers keep every limit of " + node_.limit);
    }

    void check_worse() {
        if (!certificate_.best) return note("value", "it is said to be worse, but there is no best machine");
        if (node_.value < certificate_.best->value * (1.0 - kEqualMachines))
            note("value", "not ruled out: a machine in it may come to " + in_digits(node_.value) +
                              ", less than the best one's " + in_digits(certificate_.best->value));
        if (!comes_to(repeated(), space_.objective, node_.value))
            note("value", "not confirmed: the floors of its layers come to less than " + in_digits(node_.value));
    }

    void check_floors(const BestCase& best) {
        for (std::size_t i = 0; i < node_.layers.size(); ++i) {
            const std::string doubt =
                doubt_of_floor(problem(best, i), space_.factors, space_.objective, node_.layers[i], stop_);
            if (!doubt.empty())
                note("layers." + std::to_string(i),
                     "not confirmed of layer " + form_->layers[i].names.front() + ": " + doubt);
        }
    }

    void check_mapped() {
        if (!is_one_machine(node_.box)) return note("box", "several machines cannot be mapped as one");
        KnobPositions positions;
        for (const KnobRange& range : node_.box) positions.push_back(range.low);
        const Architecture machine = machine_at(space_, *form_, positions);
        if (const std::string problem = problem_with(machine); !problem.empty())
            return note("box", "this is no machine: " + problem);
        if (node_.answers.size() != form_->layers.size())
            return note("answers", "mappings of " + std::to_string(node_.answers.size()) + " layers, not of " +
                                       std::to_string(form_->layers.size()));
        const BestCase alone = best_case(space_, *form_, node_.box);
        MachineTotals totals{0.0, 0.0, total_area_um2(machine) * 1e-6, machine.cycle_seconds};
        for (std::size_t i = 0; i < node_.answers.size(); ++i) {
            const auto repeats = static_cast<double>(form_->layers[i].repeats);
            const Cost cost = check_answer({form_->layers[i].einsum, machine, form_->layers[i].constraints}, i);
            totals.energy_pj += repeats * cost.energy_pj;
            totals.cycles += repeats * cost.cycles;
        }
        check_value(totals);
        if (findings_.empty() && alone.within_area) check_optimal(alone);
    }

    Cost check_answer(const PlacedLayer& layer, std::size_t index) {
        const std::string field = "answers." + std::to_string(index);
        const Answer& answer = node_.answers[index];
        const std::vector<Violation> violations = tilewright::check(layer.einsum, layer.machine, answer.mapping);
        if (!violations.empty()) {
            note(field, "the mapping is not legal: " + violations.front().message);
            return {};
        }
        const std::optional<FactorRule> rule = factor_rule_named(space_.factors);
        if (!rule) {
            note(field, "the rule of factors '" + space_.factors + "' is unknown");
            return {};
        }
        const Mapspace mapspace(layer.einsum, layer.machine, layer.constraints, *rule);
        if (!is_in(mapspace, Storage::even, layer.einsum, layer.machine, answer.mapping))
            note(field, "the mapping is not in the space");
        const Evaluation evaluation = evaluate(layer.einsum, layer.machine, answer.mapping);
        const Cost cost{evaluation.energy_pj, static_cast<double>(evaluation.cycles)};
        if (!are_close(cost.energy_pj, answer.cost.energy_pj) || cost.cycles != answer.cost.cycles)
            note(field, "the mapping takes " + in_digits(cost.energy_pj) + " pJ and " + in_digits(cost.cycles) +
                            " cycles, not " + in_digits(answer.cost.energy_pj) + " and " +
                            in_digits(answer.cost.cycles));
        return cost;
    }

    void check_value(const MachineTotals& totals) {
        const double value = totals.of(space_.objective);
        if (!are_close(value, node_.value))
            note("value", "the machine comes to " + in_digits(value) + ", not " + in_digits(node_.value));
        const auto broken = std::ranges::find_if(
            space_.limits, [&](const MachineLimit& limit) { return !limit.holds(totals.of(limit.metric)); });
        if (broken != space_.limits.end()) {
            if (node_.limit.empty()) note("limit", "the machine is beyond a limit of " + broken->metric);
            return;
        }
        if (!node_.limit.empty()) note("limit", "the machine keeps every limit");
        if (!certificate_.best || value < certificate_.best->value * (1.0 - kEqualMachines))
            note("value", "the machine comes to " + in_digits(value) + ", less than the best one");
    }

    // Machines are compared by the best mapping of every layer.
    void check_optimal(const BestCase& alone) {
        const Objective objective = parse_objective(space_.objective).value_or(Objective{});
        for (std::size_t i = 0; i < node_.answers.size(); ++i) {
            const Cost& cost = node_.answers[i].cost;
            const double score = objective.score(cost.energy_pj, cost.cycles).value;
            const std::string doubt = doubt_of_score(problem(alone, i), space_.factors, space_.objective, score, stop_);
            if (!doubt.empty())
                note("answers." + std::to_string(i),
                     "not confirmed of layer " + form_->layers[i].names.front() + ": " + doubt);
        }
    }

    void note(std::string field, std::string message) { findings_.push_back({std::move(field), std::move(message)}); }

    const MachineCertificate& certificate_;
    const MachineSpace& space_;
    const BoxNode& node_;
    const std::function<bool()>& stop_;
    const MachineForm* form_ = nullptr;
    std::vector<Finding> findings_;
};

// All faults; fields are paths inside the node.
std::vector<Finding> check_leaf(const MachineCertificate& certificate, const BoxNode& node,
                                const std::function<bool()>& stop) {
    return LeafCheck(certificate, node, stop).run();
}

std::string box_in_words(const MachineBox& box, const MachineSpace& space) {
    std::string text;
    for (std::size_t knob = 0; knob < box.size() && knob < space.knobs.size(); ++knob) {
        const MachineKnob& one = space.knobs[knob];
        const auto last = static_cast<std::int64_t>(one.values.size()) - 1;
        const auto value = [&](std::int64_t position) -> const std::string& {
            return one.values[static_cast<std::size_t>(std::clamp<std::int64_t>(position, 0, last))];
        };
        text += (text.empty() ? "" : ", ") + one.name + "=" + value(box[knob].low);
        if (box[knob].high - box[knob].low > 1) text += ".." + value(box[knob].high - 1);
    }
    return text;
}

/// Walks the tree in file order, every box before its halves.
class TreeWalk {
   public:
    TreeWalk(const MachineCertificate& certificate, std::vector<Finding>& findings)
        : certificate_(certificate), findings_(findings) {}

    std::vector<std::size_t> leaves() {
        visit(whole_box(certificate_.space));
        if (findings_.empty() && next_ < certificate_.tree.size())
            note(next_, "box", "this box is a part of none that was cut");
        return std::move(leaves_);
    }

   private:
    // Depth is limited: every cut halves a range.
    void visit(const MachineBox& expected) {
        if (!findings_.empty()) return;
        if (next_ == certificate_.tree.size()) {
            findings_.push_back({"tree", "a box is left out: " + box_in_words(expected, certificate_.space)});
            return;
        }
        const std::size_t at = next_++;
        const BoxNode& node = certificate_.tree[at];
        if (node.box != expected)
            return note(at, "box",
                        "expected the box " + box_in_words(expected, certificate_.space) +
                            ": it is left out, or another one stands in its place");
        if (node.end != BoxEnd::cut) return leaves_.push_back(at);
        visit_halves(node, at);
    }

    void visit_halves(const BoxNode& node, std::size_t at) {
        if (node.knob >= node.box.size() || node.box[node.knob].high - node.box[node.knob].low < 2)
            return note(at, "cut", "the box cannot be cut there");
        const std::int64_t middle = (node.box[node.knob].low + node.box[node.knob].high) / 2;
        MachineBox low = node.box;
        MachineBox high = node.box;
        low[node.knob].high = middle;
        high[node.knob].low = middle;
        visit(low);
        visit(high);
    }

    void note(std::size_t node, const std::string& field, const std::string& message) {
        findings_.push_back({"tree." + std::to_string(node) + "." + field, message});
    }

    const MachineCertificate& certificate_;
    std::vector<Finding>& findings_;
    std::size_t next_ = 0;
    std::vector<std::size_t> leaves_;
};

// It is a mapped machine of the space within every limit, with the claimed value.
void check_best(const MachineCertificate& certificate, const std::function<bool()>& stop,
                std::vector<Finding>& findings) {
    if (!certificate.best) return;
    const BoxNode& best = *certificate.best;
    const MachineBox whole = whole_box(certificate.space);
    bool inside = best.end == BoxEnd::mapped && best.box.size() == whole.size() && is_one_machine(best.box);
    for (std::size_t knob = 0; inside && knob < whole.size(); ++knob)
        inside = best.box[knob].low >= 0 && best.box[knob].high <= whole[knob].high;
    if (!inside) return findings.push_back({"best", "the best machine is none of the space that was mapped"});
    if (!best.limit.empty()) return findings.push_back({"best", "the best machine is beyond a limit of " + best.limit});
    for (const Finding& finding : check_leaf(certificate, best, stop))
        findings.push_back({"best." + finding.field, finding.message});
}

std::string machines_proof(const MachineCertificate& certificate, const std::vector<std::size_t>& leaves) {
    const auto count = [&](BoxEnd end) {
        return std::to_string(
            std::ranges::count_if(leaves, [&](std::size_t leaf) { return certificate.tree[leaf].end == end; }));
    };
    double machines = 1.0;
    for (const MachineKnob& knob : certificate.space.knobs) machines *= static_cast<double>(knob.values.size());
    return (certificate.best ? "none has less " + certificate.space.objective : std::string("none is valid")) +
           ", of " + std::to_string(static_cast<std::int64_t>(machines)) + " machines: " + count(BoxEnd::mapped) +
           " mapped, " + count(BoxEnd::worse) + " boxes ruled out by proven floors, " + count(BoxEnd::beyond) +
           " beyond a limit, " + count(BoxEnd::unmappable) + " without a mapping of a layer";
}

}  // namespace

TreeVerdict check(const MachineCertificate& certificate, const std::function<bool()>& stop,
                  const std::function<void(std::size_t, std::size_t)>& tell) {
    TreeVerdict verdict;
    if (const std::string problem = problem_with(certificate.space); !problem.empty()) {
        verdict.findings.push_back({"space", problem});
        return verdict;
    }
    const std::vector<std::size_t> leaves = TreeWalk(certificate, verdict.findings).leaves();
    if (!verdict.findings.empty()) return verdict;
    check_best(certificate, stop, verdict.findings);
    if (!verdict.findings.empty()) return verdict;
    std::vector<std::vector<Finding>> found(leaves.size());
    std::atomic<std::size_t> done{0};
    const auto is_stopped = [&] { return stop && stop(); };
    tbb::parallel_for(std::size_t{0}, leaves.size(), [&](std::size_t i) {
        if (is_stopped()) return;
        std::vector<Finding> findings = check_leaf(certificate, certificate.tree[leaves[i]], stop);
        if (is_stopped()) return;  // a stop may be their only reason
        found[i] = std::move(findings);
        const std::size_t so_far = ++done;
        if (tell) tell(so_far, leaves.size());
    });
    if (done < leaves.size())
        verdict.findings.push_back({"tree", "the check was interrupted after " + std::to_string(done) + " of " +
                                                std::to_string(leaves.size()) + " boxes"});
    for (std::size_t i = 0; i < leaves.size(); ++i)
        for (const Finding& finding : found[i])
            verdict.findings.push_back({"tree." + std::to_string(leaves[i]) + "." + finding.field, finding.message});
    if (verdict.findings.empty()) verdict.proof = machines_proof(certificate, leaves);
    return verdict;
}

}  // namespace tilewright::certificate
