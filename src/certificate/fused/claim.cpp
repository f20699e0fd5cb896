#include "certificate/fused/claim.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "certificate/common/accesses.hpp"
#include "certificate/fused/groups.hpp"
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

bool is_product(const Claim& claim) { return claim.objective == "edp"; }

std::string unit_of(const Claim& claim) {
    return is_product(claim) ? " pJ cycles" : claim.objective == "energy" ? " pJ" : " cycles";
}

// Of energy and cycles, or of a sum of both.
struct Judged {
    std::string field;  // before that of its duals
    Weights weights;
    const std::vector<double>& duals;
    std::string unit;
};

void judge_mapping(const Claim& claim, Verdict& verdict) {
    const fused::Answer answer = fused::evaluate(claim.cascade, claim.machine, claim.mapping);
    for (const FusedViolation& violation : answer.violations)
        verdict.findings.push_back({"mapping", "the mapping is not legal: " + violation.message});
    if (!answer.evaluation) return;
    const double energy = answer.evaluation->energy_pj;
    const auto cycles = static_cast<double>(answer.evaluation->cycles);
    const double value = is_product(claim) ? energy * cycles : claim.objective == "energy" ? energy : cycles;
    if (std::abs(value - claim.value) > kDigits * value)
        verdict.findings.push_back(
            {"value", "the mapping takes " + digits_of(value) + unit_of(claim) + ", not " + digits_of(claim.value)});
}

bool judge_duals(const Claim& claim, const Judged& judged, Verdict& verdict) {
    const std::size_t before = verdict.findings.size();
    const std::vector<double>& duals = judged.duals;
    const auto note = [&](std::size_t i, const std::string& message) {
        verdict.findings.push_back({judged.field + "duals." + std::to_string(i), message});
    };
    if (duals.size() != claim.cascade.einsums.size() + 1) {
        verdict.findings.push_back({judged.field + "duals", "expected " +
                                                                std::to_string(claim.cascade.einsums.size() + 1) +
                                                                " numbers, one by einsum and one of the end, found " +
                                                                std::to_string(duals.size())});
        return false;
    }
    if (!is_product(claim) && std::abs(duals.front() - claim.bound) > kDigits * claim.bound)
        note(0, "what all einsums cost at least is not the bound: it is " + digits_of(duals.front()) + ", not " +
                    digits_of(claim.bound));
    if (duals.back() != 0.0) note(duals.size() - 1, "after the last einsum nothing is left to cost");
    for (std::size_t i = 0; i < duals.size(); ++i)
        if (!std::isfinite(duals[i])) note(i, "expected a finite number");
    return verdict.findings.size() == before;
}

bool judge_lines(const Claim& claim, Verdict& verdict) {
    constexpr std::size_t kMostLines = 256;
    if (claim.lines.size() > kMostLines) {
        verdict.findings.push_back({"lines", "expected at most " + std::to_string(kMostLines)});
        return false;
    }
    bool sound = true;
    for (std::size_t i = 0; i < claim.lines.size(); ++i) {
        const Line& line = claim.lines[i];
        const auto is_weight = [](double weight) { return weight >= 0.0 && std::isfinite(weight); };
        if (is_weight(line.energy) && is_weight(line.cycles) && line.energy + line.cycles > 0.0) continue;
        verdict.findings.push_back({"lines." + std::to_string(i),
                                    "expected weights of energy and cycles that are not "
                                    "negative, and one that is not 0"});
        sound = false;
    }
    return sound;
}

void judge_meetings(const Claim& claim, Verdict& verdict) {
    const double least = least_product(claim.lines);
    if (!(least >= claim.bound * (1.0 - kDigits)))
        verdict.findings.push_back({"lines", "the lines leave room for a product of " + digits_of(least) +
                                                 ", less than the bound " + digits_of(claim.bound)});
}

void judge_bound(const Claim& claim, Verdict& verdict) {
    if (!std::isfinite(claim.bound) || claim.bound < 0.0)
        verdict.findings.push_back({"bound", "expected a finite number that is not negative"});
    else if (claim.bound > claim.value * (1.0 + kDigits))
        verdict.findings.push_back({"bound", "the mapping itself takes " + digits_of(claim.value) + unit_of(claim) +
                                                 ", less than the bound " + digits_of(claim.bound)});
}

std::string proof_of(const Claim& claim, std::size_t sums) {
    const bool is_best = claim.bound >= claim.value * (1.0 - kDigits);
    std::string proof = is_product(claim) ? "no fused mapping of the space has a smaller product than "
                                          : "no fused mapping of the space takes less than ";
    proof += digits_of(is_best ? claim.value : claim.bound) + unit_of(claim);
    if (!is_best) proof += "; this one takes " + digits_of(claim.value) + " and need not be the best";
    if (is_product(claim)) proof += "; of " + std::to_string(sums) + " sums of energy and cycles";
    return proof + (is_product(claim) ? " " : "; ") + "every group of the " +
           std::to_string(claim.cascade.einsum_count()) + " einsums was checked";
}

std::string named(const Claim& claim, int first, int last) {
    const auto name = [&](int e) { return "'" + claim.cascade.einsums[place(e)].name + "'"; };
    return first == last ? name(last) + " by itself" : name(first) + " to " + name(last) + " as one group";
}

void judge_groups(const Claim& claim, const Cascade& read, const Judged& judged, int longest,
                  const std::function<bool()>& stop, Verdict& verdict) {
    const Space space(read);
    const Prices prices = prices_of(claim.machine);
    const double rounding = kRounding * std::abs(judged.duals.front());
    Groups groups(space, prices, judged.weights, judged.duals, rounding, longest, stop);
    for (int last = space.count() - 1; last >= 0; --last) {
        const std::optional<Cheaper> cheaper = groups.cheaper_group(last);
        if (groups.was_stopped()) {
            verdict.findings.push_back(
                {judged.field + "duals", "not confirmed: the check was stopped at groups that end with '" +
                                             claim.cascade.einsums[place(last)].name + "'"});
            return;
        }
        if (cheaper)
            verdict.findings.push_back({judged.field + "duals." + std::to_string(cheaper->first),
                                        named(claim, cheaper->first, last) + " can be mapped for " +
                                            digits_of(cheaper->value) + judged.unit + ", less than the " +
                                            digits_of(cheaper->least) + " that the duals say: the bound is not shown"});
    }
}

}  // namespace

// With so much energy the cycles are at least the highest line's: straight pieces, each falling or level. Along a
// straight piece the product is a parabola that is open below, so that it is least at an end of the piece: where two
// lines meet, or where energy is least. Behind the last such place cycles are level, and the product grows.
double least_product(const std::vector<Line>& lines) {
    double least_energy = 0.0;
    double least_cycles = 0.0;
    for (const Line& line : lines) {
        if (line.cycles == 0.0) least_energy = std::max(least_energy, line.duals.front() / line.energy);
        if (line.energy == 0.0) least_cycles = std::max(least_cycles, line.duals.front() / line.cycles);
    }
    if (least_energy <= 0.0 || least_cycles <= 0.0) return 0.0;
    const auto product_at = [&](double energy) {
        double cycles = least_cycles;
        for (const Line& line : lines)
            if (line.cycles > 0.0) cycles = std::max(cycles, (line.duals.front() - line.energy * energy) / line.cycles);
        return energy * cycles;
    };
    double least = product_at(least_energy);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = i + 1; k < lines.size(); ++k) {
            const Line& a = lines[i];
            const Line& b = lines[k];
            const double apart = a.energy * b.cycles - a.cycles * b.energy;
            const double energy = (a.duals.front() * b.cycles - a.cycles * b.duals.front()) / apart;
            // Of parallel ones (not a number, or infinity) the higher one is that of every place.
            if (energy > least_energy && energy < std::numeric_limits<double>::infinity())
                least = std::min(least, product_at(energy));
        }
    return least;
}

std::string problem_with(const Cascade& cascade, const Architecture& machine, const std::string& objective) {
    if (objective != "energy" && objective != "latency" && objective != "edp")
        return "claims about fused mappings are judged for energy, latency and edp, not for '" + objective + "'";
    if (std::string problem = problem_with_machine(machine); !problem.empty()) return problem;
    return problem_with_einsums(cascade);
}

Verdict check(const Claim& claim, const std::function<bool()>& stop) {
    Verdict verdict;
    if (const std::string problem = problem_with(claim.cascade, claim.machine, claim.objective); !problem.empty()) {
        verdict.findings.push_back({"", "not confirmed: " + problem});
        return verdict;
    }
    const Cascade read = as_read(claim.cascade);
    for (const WrongAccess& wrong : wrong_accesses(claim.cascade, read))
        verdict.findings.push_back({wrong.field, wrong.message});
    if (!verdict.findings.empty()) return verdict;
    judge_mapping(claim, verdict);
    judge_bound(claim, verdict);
    std::vector<Judged> all;
    if (is_product(claim)) {
        if (judge_lines(claim, verdict))
            for (std::size_t i = 0; i < claim.lines.size(); ++i) {
                const Line& line = claim.lines[i];
                all.push_back({"lines." + std::to_string(i) + ".", {line.energy, line.cycles}, line.duals, ""});
            }
    } else {
        const Weights weights = claim.objective == "energy" ? Weights{1.0, 0.0} : Weights{0.0, 1.0};
        all.push_back({"", weights, claim.duals, unit_of(claim)});
    }
    bool sound = true;
    for (const Judged& one : all) sound = judge_duals(claim, one, verdict) && sound;
    if (is_product(claim) && sound && verdict.findings.empty()) judge_meetings(claim, verdict);
    // Duals that single einsums refute are refused at once: where much is cheaper than they say little can be left out.
    for (const int longest : {1, claim.longest_group})
        for (const Judged& one : all)
            if (verdict.findings.empty()) judge_groups(claim, read, one, longest, stop, verdict);
    if (verdict.findings.empty()) verdict.proof = proof_of(claim, all.size());
    return verdict;
}

}  // namespace tilewright::certificate::fused_proof
