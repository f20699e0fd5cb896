#include "certificate/package/claim.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/numbers/checked.hpp"
#include "certificate/claim/check.hpp"
#include "certificate/common/accesses.hpp"
#include "certificate/package/account.hpp"
#include "certificate/package/run_proof.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/model.hpp"

namespace tilewright::certificate::package_proof {
namespace {

constexpr std::int64_t kMostAccounts = 200'000;  // of a run
constexpr double kBoundRounding = 1e-10;         // of the bound

bool is_energy(const std::string& objective) { return objective == "energy"; }

std::string digits_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

std::string unit_of(const Claim& claim) { return is_energy(claim.objective) ? " pJ" : " cycles"; }

struct Run {
    int first = 0;
    int last = 0;
};

std::vector<Run> runs_of(const Reading& reading) {
    std::vector<Run> runs;
    for (int last = 0; last < reading.count(); ++last)
        for (int first = last; first >= 0 && last - first < 63; --first)
            if (reading.is_run(first, last)) runs.push_back({first, last});
    return runs;
}

// Machines count the words of an operand by its ranks, cores of lanes by its coordinates.
std::vector<WrongAccess> wrong_words(const Cascade& cascade, const package::Package& package) {
    if (std::ranges::none_of(package.kinds,
                             [](const package::CoreKind& kind) { return kind.architecture.has_value(); }))
        return {};
    return wrong_accesses(cascade, as_read(cascade));
}

class Judge {
   public:
    Judge(const Claim& claim, const std::function<bool()>& stop)
        : claim_(claim),
          stop_(stop),
          reading_(claim.cascade, claim.package),
          wires_(claim.package),
          known_(claim.leaves),
          leaves_(reading_, known_, is_energy(claim.objective)) {}

    Verdict judge() {
        judge_leaves();
        if (verdict_.findings.empty()) judge_plan();
        judge_bound();
        if (verdict_.findings.empty()) judge_runs();
        if (verdict_.findings.empty()) verdict_.proof = proof();
        return verdict_;
    }

   private:
    void note(std::string field, std::string message) {
        verdict_.findings.push_back({std::move(field), std::move(message)});
    }
    bool is_stopped() const { return stop_ && stop_(); }

    void judge_leaves() {
        for (std::size_t i = 0; i < claim_.leaves.size(); ++i) {
            const std::string field = "leaves." + std::to_string(i);
            if (is_stopped()) return note(field, "not confirmed: the check was stopped");
            const Leaf& leaf = claim_.leaves[i];
            if (std::string problem = problem_with_leaf(leaf); !problem.empty()) {
                note(field, std::move(problem));
                continue;
            }
            const Architecture& machine = *claim_.package.kinds[leaf.kind].architecture;
            if (!leaf.has_bound()) {
                judge_mapping(leaf, machine, field);
                continue;
            }
            for (const Finding& finding : certificate::check(leaf.claim, machine, stop_).findings)
                note(field + ".claim." + finding.field, finding.message);
        }
    }

    std::string problem_with_leaf(const Leaf& leaf) const {
        if (leaf.einsum < 0 || leaf.einsum >= reading_.count() || leaf.kind < 0 || leaf.kind >= reading_.kinds())
            return "it is of an einsum or kind of core that there is not";
        if (!claim_.package.kinds[leaf.kind].architecture)
            return "cores of this kind have lanes, and no leaves to claim";
        const Einsum& whole = reading_.einsum(leaf.einsum).einsum;
        const Einsum& box = leaf.claim.einsum;
        if (box.dimensions.size() != whole.dimensions.size() || box.tensors != whole.tensors)
            return "this is no box of '" + reading_.einsum(leaf.einsum).name + "'";
        for (std::size_t d = 0; d < whole.dimensions.size(); ++d)
            if (box.dimensions[d].name != whole.dimensions[d].name ||
                box.dimensions[d].extent > whole.dimensions[d].extent)
                return "this is no box of '" + reading_.einsum(leaf.einsum).name + "'";
        if (leaf.claim.objective != claim_.objective) return "it is of another objective than the plan";
        if (leaf.claim.space.storage != "even" || leaf.claim.space.factors != "perfect" || leaf.claim.zeros)
            return "leaves are even mappings with perfect factors, and dense";
        if (leaf.claim.answers.size() != 1) return "expected one mapping";
        for (const Leaf& other : claim_.leaves)
            if (other.einsum == leaf.einsum && other.kind == leaf.kind)
                return other.claim.constraints == leaf.claim.constraints
                           ? ""
                           : "other leaves of the same einsum and kind of core have other constraints";
        return "";
    }

    // Of its cost alone.
    void judge_mapping(const Leaf& leaf, const Architecture& machine, const std::string& field) {
        const Answer& answer = leaf.claim.answers.front();
        const std::string at = field + ".claim.answers.0.";
        const auto violations = tilewright::check(leaf.claim.einsum, machine, answer.mapping);
        if (!violations.empty()) return note(at + "mapping", "the mapping is not legal: " + violations.front().message);
        const Mapspace mapspace(leaf.claim.einsum, machine, leaf.claim.constraints, leaf.claim.space.rule());
        if (!mapspace.problem().empty() ||
            !is_in(mapspace, leaf.claim.space.stored(), leaf.claim.einsum, machine, answer.mapping))
            return note(at + "mapping", "the mapping is not in the space");
        const Evaluation evaluation = tilewright::evaluate(leaf.claim.einsum, machine, answer.mapping);
        if (!is_close(evaluation.energy_pj, answer.cost.energy_pj))
            note(at + "energy_pj", "the mapping takes " + digits_of(evaluation.energy_pj) + " pJ, not " +
                                       digits_of(answer.cost.energy_pj));
        if (static_cast<double>(evaluation.cycles) != answer.cost.cycles)
            note(at + "cycles", "the mapping takes " + std::to_string(evaluation.cycles) + " cycles, not " +
                                    digits_of(answer.cost.cycles));
    }

    static bool is_close(double a, double b) {
        return std::isfinite(a) && std::abs(a - b) <= kDigits * std::max(std::abs(a), std::abs(b));
    }

    void judge_plan() {
        const Accountant accountant(reading_, wires_, leaves_);
        double value = 0.0;
        int next = 0;
        for (const package::Run& run : claim_.plan.runs) {
            if (run.first != next) break;
            const Spent spent = accountant.of_run(run);
            if (!spent.refused.empty()) return note("plan", "the plan is refused: " + spent.refused);
            if (!spent.is_known) return note("plan", "not confirmed: a leaf of it has no claim of its own");
            value += static_cast<double>(reading_.repeats(run.last)) *
                     (is_energy(claim_.objective) ? spent.all_pj() : static_cast<double>(spent.cycles));
            next = run.last + 1;
        }
        if (next != reading_.count()) return note("plan", "its runs do not follow one another to the last einsum");
        if (!is_close(value, claim_.value))
            note("value", "the plan takes " + digits_of(value) + unit_of(claim_) + ", not " + digits_of(claim_.value));
    }

    void judge_bound() {
        const std::vector<double>& potentials = claim_.potentials;
        if (!std::isfinite(claim_.bound) || claim_.bound < 0.0)
            return note("bound", "expected a finite number that is not negative");
        if (claim_.bound > claim_.value * (1.0 + kDigits))
            note("bound", "the plan itself takes " + digits_of(claim_.value) + unit_of(claim_) +
                              ", less than the bound " + digits_of(claim_.bound));
        if (potentials.size() != claim_.cascade.einsums.size() + 1)
            return note("potentials", "expected " + std::to_string(claim_.cascade.einsums.size() + 1) +
                                          " numbers: one for each einsum, and one for the end");
        for (std::size_t i = 0; i < potentials.size(); ++i)
            if (!std::isfinite(potentials[i])) note("potentials." + std::to_string(i), "expected a finite number");
        if (std::abs(potentials.front() - claim_.bound) > kBoundRounding * std::abs(claim_.bound))
            note("potentials.0", "what all einsums cost at least is not the bound");
        if (potentials.back() != 0.0)
            note("potentials." + std::to_string(potentials.size() - 1),
                 "after the last einsum nothing is left to cost");
    }

    void judge_runs() {
        RunProof proof(reading_, wires_, leaves_, is_energy(claim_.objective), kMostAccounts, stop_);
        for (const auto& [first, last] : runs_of(reading_)) {
            const std::string field = "potentials." + std::to_string(first);
            if (is_stopped()) return note(field, "not confirmed: the check was stopped");
            const double rounding = kBoundRounding * claim_.bound;
            const auto repeats = static_cast<double>(reading_.repeats(last));
            const double wanted = (claim_.potentials[first] - claim_.potentials[last + 1] - rounding) / repeats;
            const double least = proof.least(first, last, wanted);
            ++runs_;
            if (least >= wanted) continue;
            note(field, named(first, last) + (proof.has_given_up() ? " is shown to cost " : " may cost ") +
                            digits_of(least) + unit_of(claim_) +
                            (proof.has_given_up() ? " at least, no more, and" : ",") + " less than the " +
                            digits_of(wanted) + " that the potentials say: the bound is not shown");
        }
    }

    std::string named(int first, int last) const {
        const auto name = [&](int e) { return "'" + reading_.einsum(e).name + "'"; };
        return first == last ? name(last) + " by itself" : name(first) + " to " + name(last) + " as one run";
    }

    std::string proof() const {
        const bool is_best = claim_.bound >= claim_.value * (1.0 - kDigits);
        std::string text = "no plan of the space takes less than " + digits_of(is_best ? claim_.value : claim_.bound) +
                           unit_of(claim_);
        if (!is_best) text += "; this one takes " + digits_of(claim_.value) + " and need not be the best";
        text += "; every one of " + std::to_string(runs_) + " runs of the " + std::to_string(reading_.count()) +
                " einsums was checked";
        if (!claim_.leaves.empty()) {
            const auto proven = std::ranges::count_if(claim_.leaves, &Leaf::has_bound);
            text += ", and " + std::to_string(claim_.leaves.size()) + " mapped leaves, " + std::to_string(proven) +
                    " of them as the best";
        }
        return text;
    }

    const Claim& claim_;
    const std::function<bool()>& stop_;
    Reading reading_;
    Wires wires_;
    std::vector<Leaf> known_;
    Leaves leaves_;
    Verdict verdict_;
    int runs_ = 0;
};

}  // namespace

std::string problem_with(const Cascade& cascade, const package::Package& package, const std::string& objective) {
    if (objective != "energy" && objective != "latency")
        return "claims about plans are judged for energy and latency, not for '" + objective + "'";
    if (std::string why = problem_with(cascade, package); !why.empty()) return why;
    constexpr int kMostEinsums = 4096;
    if (cascade.einsum_count() > kMostEinsums) return "there are too many einsums";
    const std::vector<WrongAccess> wrong = wrong_words(cascade, package);
    return wrong.empty() ? "" : wrong.front().message;
}

Verdict check(const Claim& claim, const std::function<bool()>& stop) {
    if (std::string problem = problem_with(claim.cascade, claim.package, claim.objective); !problem.empty()) {
        const std::vector<WrongAccess> wrong = wrong_words(claim.cascade, claim.package);
        return {{{wrong.empty() ? "" : wrong.front().field, "not confirmed: " + problem}}, ""};
    }
    return Judge(claim, stop).judge();
}

// Every run by counts first; those that are to reach more, the search's share of them or what is left of the plan's own
// value, are looked into one by one. The potentials are the least paths over all that was shown.
void add_bound(Claim& claim, const std::vector<double>& wanted, const Leaves::More& more,
               const std::function<bool()>& stop) {
    const Reading reading(claim.cascade, claim.package);
    const Wires wires(claim.package);
    Leaves leaves(reading, claim.leaves, is_energy(claim.objective));
    leaves.ask_by(more);
    RunProof proof(reading, wires, leaves, is_energy(claim.objective), kMostAccounts, stop);
    const int count = reading.count();
    std::vector<double> least(count + 1, kInfinite);
    least[count] = 0.0;
    std::vector<Run> runs = runs_of(reading);
    std::ranges::stable_sort(runs, [](const Run& a, const Run& b) { return a.first > b.first; });
    for (const auto& [first, last] : runs) {
        const auto repeats = static_cast<double>(reading.repeats(last));
        double floor = proof.floor(first, last);
        if (!wanted.empty() && !(stop && stop())) {
            const double share = (wanted[first] - wanted[last + 1]) / repeats;
            if (floor < share) floor = std::min(share, proof.least(first, last, share));
        }
        least[first] = std::min(least[first], floor * repeats + least[last + 1]);
    }
    claim.bound = std::min(least.front(), claim.value);
    for (double& one : least) one = std::min(one, claim.bound);
    claim.potentials = std::move(least);
}

void each_leaf_of_plan(const Claim& claim,
                       const std::function<void(int einsum, int kind, const Extents& extents)>& use) {
    const Reading reading(claim.cascade, claim.package);
    std::set<std::tuple<int, int, Extents>> seen;
    for (const package::Run& run : claim.plan.runs)
        each_leaf(reading, run, makings_of(reading, run.first, run.last, {run.axis, run.step}),
                  (std::uint64_t{2} << (run.last - run.first)) - 1, [&](int einsum, int core, const Extents& extents) {
                      const int kind = claim.package.cores[core].kind;
                      if (claim.package.kinds[kind].architecture && seen.emplace(einsum, kind, extents).second)
                          use(einsum, kind, extents);
                  });
}

}  // namespace tilewright::certificate::package_proof
