#include "certificate/fused/claim.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "certificate/fused/groups.hpp"
#include "certificate/fused/place.hpp"
#include "certificate/fused/prices.hpp"
#include "certificate/fused/space.hpp"
#include "model/fused/model.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr double kDigits = 1e-9;     // of the value: energies are sums of doubles in another order
constexpr double kRounding = 1e-10;  // of one group, in parts of the value

// All digits that tell it from other numbers.
std::string digits_of(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string unit_of(const Claim& claim) { return claim.objective == "energy" ? " pJ" : " cycles"; }

void judge_mapping(const Claim& claim, Verdict& verdict) {
    const fused::Answer answer = fused::evaluate(claim.cascade, claim.machine, claim.mapping);
    for (const FusedViolation& violation : answer.violations)
        verdict.findings.push_back({"mapping", "the mapping is not legal: " + violation.message});
    if (!answer.evaluation) return;
    const double value =
        claim.objective == "energy" ? answer.evaluation->energy_pj : static_cast<double>(answer.evaluation->cycles);
    if (std::abs(value - claim.value) > kDigits * value)
        verdict.findings.push_back(
            {"value", "the mapping takes " + digits_of(value) + unit_of(claim) + ", not " + digits_of(claim.value)});
}

bool judge_duals(const Claim& claim, Verdict& verdict) {
    const std::size_t before = verdict.findings.size();
    const auto note = [&](std::size_t i, const std::string& message) {
        verdict.findings.push_back({"duals." + std::to_string(i), message});
    };
    if (claim.duals.size() != claim.cascade.einsums.size() + 1) {
        verdict.findings.push_back({"duals", "expected " + std::to_string(claim.cascade.einsums.size() + 1) +
                                                 " numbers, one by einsum and one of the end, found " +
                                                 std::to_string(claim.duals.size())});
        return false;
    }
    if (std::abs(claim.duals.front() - claim.value) > kDigits * claim.value)
        note(0, "what all einsums cost at least is not the value of the mapping: it is " +
                    digits_of(claim.duals.front()) + ", not " + digits_of(claim.value));
    if (claim.duals.back() != 0.0) note(claim.duals.size() - 1, "after the last einsum nothing is left to cost");
    for (std::size_t i = 0; i < claim.duals.size(); ++i)
        if (!std::isfinite(claim.duals[i])) note(i, "expected a finite number");
    return verdict.findings.size() == before;
}

std::string named(const Claim& claim, int first, int last) {
    const auto name = [&](int e) { return "'" + claim.cascade.einsums[place(e)].name + "'"; };
    return first == last ? name(last) + " by itself" : name(first) + " to " + name(last) + " as one group";
}

void judge_groups(const Claim& claim, const std::function<bool()>& stop, Verdict& verdict) {
    const Space space(claim.cascade);
    const Prices prices = prices_of(claim.machine);
    const Weights weights = claim.objective == "energy" ? Weights{1.0, 0.0} : Weights{0.0, 1.0};
    Groups groups(space, prices, weights, claim.duals, kRounding * claim.value, claim.longest_group, stop);
    for (int last = space.count() - 1; last >= 0; --last) {
        const std::optional<Cheaper> cheaper = groups.cheaper_group(last);
        if (groups.was_stopped()) {
            verdict.findings.push_back({"duals", "not confirmed: the check was stopped at groups that end with '" +
                                                     claim.cascade.einsums[place(last)].name + "'"});
            return;
        }
        if (cheaper)
            verdict.findings.push_back({"duals." + std::to_string(cheaper->first),
                                        named(claim, cheaper->first, last) + " can be mapped for " +
                                            digits_of(cheaper->value) + unit_of(claim) + ", less than the " +
                                            digits_of(cheaper->least) +
                                            " that the duals say: the mapping is not shown to be the best"});
    }
}

}  // namespace

std::string problem_with(const Cascade& cascade, const Architecture& machine, const std::string& objective) {
    if (objective != "energy" && objective != "latency")
        return "claims about fused mappings are judged for energy and latency, not for '" + objective + "'";
    if (std::string problem = problem_with_machine(machine); !problem.empty()) return problem;
    return problem_with_einsums(cascade, machine.memories[1].word_bits);
}

Verdict check(const Claim& claim, const std::function<bool()>& stop) {
    Verdict verdict;
    if (const std::string problem = problem_with(claim.cascade, claim.machine, claim.objective); !problem.empty()) {
        verdict.findings.push_back({"", "not confirmed: " + problem});
        return verdict;
    }
    judge_mapping(claim, verdict);
    const bool sound = judge_duals(claim, verdict);
    if (sound && verdict.findings.empty()) judge_groups(claim, stop, verdict);
    if (verdict.findings.empty())
        verdict.proof = "no fused mapping of the space takes less than " + digits_of(claim.value) + unit_of(claim) +
                        "; every group of the " + std::to_string(claim.cascade.einsum_count()) +
                        " einsums was looked at";
    return verdict;
}

}  // namespace tilewright::certificate::fused_proof
