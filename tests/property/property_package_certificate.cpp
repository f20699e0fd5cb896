// Certificates of plans on packages: the judge's account against a walk word by word, and its verdicts on what a search
// found, on bounds that are too high and on what was changed.
//
//     property_package_certificate --problems 300 --seed 7
#include <cmath>
#include <cstdio>

#include "certificate/package/account.hpp"
#include "certificate/package/claim.hpp"
#include "harness.hpp"
#include "multicore/search/optimize.hpp"
#include "oracle/package_walk.hpp"
#include "package/plan_text.hpp"
#include "random_package.hpp"

namespace tilewright::property {
namespace {

namespace proof = certificate::package_proof;

struct Seen {
    std::uint64_t walked = 0;  // drawn plans, legal or not
    std::uint64_t confirmed = 0;
    std::uint64_t best = 0;   // confirmed as the best
    std::uint64_t fused = 0;  // of these, with runs of several einsums
    std::uint64_t lies = 0;
    std::uint64_t worse = 0;  // plans that are not the best, claimed as such
};

// Run by run, as the walk has them.
std::string compare_with_walk(const PackageProblem& problem, const package::Plan& plan, Seen& seen) {
    const proof::Reading reading(problem.cascade, problem.package);
    const proof::Wires wires(problem.package);
    std::vector<proof::Leaf> none;
    proof::Leaves leaves(reading, none, true);
    const proof::Accountant accountant(reading, wires, leaves);
    proof::Spent all;
    for (const package::Run& run : plan.runs) {
        const proof::Spent spent = accountant.of_run(run);
        if (!spent.refused.empty() && all.refused.empty()) all.refused = spent.refused;
        all.energy_pj += spent.all_pj();
        all.cycles += spent.cycles;
    }
    const oracle::PackageWalk walk = oracle::walk_package(problem.cascade, problem.package, plan.runs);
    ++seen.walked;
    if (all.refused.empty() != walk.refused.empty())
        return "judged: '" + all.refused + "', walked: '" + walk.refused + "'\n";
    if (!walk.refused.empty() || (all.energy_pj == walk.energy_pj && all.cycles == walk.cycles)) return "";
    return std::to_string(all.energy_pj) + " pJ and " + std::to_string(all.cycles) + " cycles judged, " +
           std::to_string(walk.energy_pj) + " and " + std::to_string(walk.cycles) + " walked\n";
}

multicore::Answer best_of(const PackageProblem& problem, const std::string& objective, int longest_run) {
    const multicore::Problem view(problem.cascade, problem.package);
    const package::Network network(problem.package);
    multicore::LaneLeaves leaves(view);
    const multicore::Evaluator evaluator(view, network, leaves);
    return multicore::optimize(evaluator, *parse_objective(objective), nullptr, {}, longest_run);
}

proof::Claim claim_of(const PackageProblem& problem, const std::string& objective, const multicore::Answer& answer) {
    return {problem.cascade,    problem.package, objective,        answer.best->plan,
            answer.best->value, answer.bound,    answer.potentials};
}

bool is_confirmed(const proof::Claim& claim) { return proof::check(claim).findings.empty(); }

// What is changed, and whether it is refused.
std::string tamper(const proof::Claim& honest, Seen& seen) {
    std::string wrong;
    const auto expect_refused = [&](const proof::Claim& lie, const char* what) {
        ++seen.lies;
        if (is_confirmed(lie)) wrong += std::string("confirmed with another ") + what + "\n";
    };
    proof::Claim lie = honest;
    lie.value *= 1.01;
    expect_refused(lie, "value");
    lie.value = honest.value * 0.99;
    lie.bound = std::min(lie.bound, lie.value);
    for (double& potential : lie.potentials) potential = std::min(potential, lie.bound);
    expect_refused(lie, "value and bound");
    lie = honest;
    lie.bound *= 0.99;
    expect_refused(lie, "bound");
    lie = honest;
    lie.potentials.back() = -0.01 * honest.value;
    expect_refused(lie, "last potential");
    lie = honest;
    lie.potentials.pop_back();
    expect_refused(lie, "number of potentials");
    for (std::size_t i = 1; i + 1 < honest.potentials.size(); ++i) {
        lie = honest;
        lie.potentials[i] = 2.0 * honest.value;
        expect_refused(lie, "potential");
    }
    lie = honest;
    lie.plan.runs.pop_back();
    expect_refused(lie, "plan");
    lie = honest;
    for (package::Dram& dram : lie.package.drams) dram = {dram.at, dram.words_per_cycle / 4.0, 100.0, 100.0};
    expect_refused(lie, "package");
    return wrong;
}

// The best of plans that fuse nothing, where longer runs are better: with potentials to fit.
std::string claim_worse(const PackageProblem& problem, const std::string& objective, const proof::Claim& honest,
                        Seen& seen) {
    const multicore::Answer worse = best_of(problem, objective, 1);
    if (!worse.best || !(worse.best->value > honest.value * 1.000001)) return "";
    ++seen.worse;
    proof::Claim lie = claim_of(problem, objective, worse);
    lie.bound = lie.value;
    return is_confirmed(lie) ? "confirmed a plan as the best that is not\n" : "";
}

std::string check_objective(const PackageProblem& problem, const std::string& objective, Seen& seen) {
    const multicore::Answer answer = best_of(problem, objective, 64);
    if (!answer.best) return "";
    proof::Claim claim = claim_of(problem, objective, answer);
    proof::add_bound(claim, answer.potentials);
    const proof::Verdict verdict = proof::check(claim);
    if (!verdict.findings.empty())
        return objective + ": " + verdict.findings.front().field + ": " + verdict.findings.front().message + "\n";
    ++seen.confirmed;
    const bool is_best = claim.bound >= claim.value * (1.0 - proof::kDigits);
    seen.best += is_best ? 1 : 0;
    seen.fused += is_best && answer.best->plan.runs.size() < problem.cascade.einsums.size() ? 1 : 0;
    std::string wrong = tamper(claim, seen) + claim_worse(problem, objective, claim, seen);
    if (!answer.proven) wrong += "the search proved nothing\n";
    if (claim.bound > answer.best->value * (1.0 + proof::kDigits)) wrong += "a bound above the optimum\n";
    return wrong.empty() ? "" : objective + ": " + wrong;
}

int check(const Cases& cases, std::uint64_t number, int plans, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    const PackageProblem problem = random_package_problem(random);
    std::string wrong;
    for (int i = 0; i < plans && wrong.empty(); ++i)
        wrong = compare_with_walk(problem, random_package_plan(random, problem), seen);
    if (wrong.empty() && multicore::problem_with(problem.cascade, problem.package).empty())
        for (const char* objective : {"energy", "latency"}) wrong += check_objective(problem, objective, seen);
    if (wrong.empty()) return 0;
    std::printf("--- problem %llu of seed %llu\n%s%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), problem.text.c_str(), wrong.c_str());
    return 1;
}

}  // namespace
}  // namespace tilewright::property

int main(int argc, char** argv) {
    using namespace tilewright::property;
    Seen seen;
    int plans = 10;
    Harness harness("property_package_certificate", "Certificates of plans on packages",
                    {.kind = "problems", .count = 60});
    harness.line.option("--plans", &plans);
    harness.least("walked", "drawn plans that were walked", &seen.walked);
    harness.least("confirmed", "claims that were confirmed", &seen.confirmed);
    harness.least("best", "of them of the best plan", &seen.best);
    harness.least("fused", "of them with runs of several einsums", &seen.fused);
    harness.least("lies", "changed claims", &seen.lies);
    harness.least("worse", "claims about plans that are not the best", &seen.worse);
    if (const auto status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness.cases(), number, plans, seen); },
        [&] {
            std::printf(
                "%llu plans walked; %llu claims confirmed, %llu of the best plan (%llu fused); %llu changed "
                "claims and %llu of worse plans refused\n",
                static_cast<unsigned long long>(seen.walked), static_cast<unsigned long long>(seen.confirmed),
                static_cast<unsigned long long>(seen.best), static_cast<unsigned long long>(seen.fused),
                static_cast<unsigned long long>(seen.lies), static_cast<unsigned long long>(seen.worse));
        });
}
