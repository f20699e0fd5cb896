// The judge of fused mappings against the search of them, on tiny cascades.
//
//     property_fused_certificate --problems 5000 --seed 7 [--first 2500] [--einsums 4]
//
// What floors of leaves prove is confirmed, of the best mapping or as the lower end of an interval. Refused are:
// another value, a bound above the mapping, another mapping; where the mapping is the best, a cheaper beginning or end
// at every cut between two of its groups, a mapping that is not the best, and the best one of a smaller buffer where a
// larger one allows a better; of products a line that lies higher than the mapping on it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "base/numbers/random.hpp"
#include "certificate/fused/claim.hpp"
#include "fusion/optimize.hpp"
#include "harness.hpp"
#include "mapping/fused/text.hpp"
#include "random_chain.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;
using certificate::fused_proof::Claim;

struct Tally {
    std::uint64_t confirmed = 0;
    std::uint64_t best = 0;       ///< of those, of the best mapping
    std::uint64_t intervals = 0;  ///< the others
    std::uint64_t fused = 0;      ///< of those, with a group of several einsums
    std::uint64_t cuts = 0;       ///< duals that were changed and refused
    std::uint64_t second_best = 0;
    std::uint64_t other_machine = 0;
    std::uint64_t lies = 0;   ///< values and mappings
    std::uint64_t lines = 0;  ///< of products
};

constexpr double kBit = 1e-6;  // of a value

double value_of(const fusion::Mapped& mapped, const std::string& objective) {
    const auto cycles = static_cast<double>(mapped.evaluation.cycles);
    if (objective == "edp") return mapped.evaluation.energy_pj * cycles;
    return objective == "energy" ? mapped.evaluation.energy_pj : cycles;
}

Claim claim_of(const ChainProblem& problem, const fusion::Answer& answer, const std::string& objective) {
    const double value = value_of(*answer.fused, objective);
    Claim claim{problem.cascade, problem.architecture,
                objective,       answer.fused->mapping,
                value,           std::min(answer.floor_bound, value),
                answer.duals};
    for (const fusion::ProvenSum& sum : answer.sums) claim.lines.push_back({sum.energy, sum.cycles, sum.duals});
    claim.longest_group = problem.longest_group;
    return claim;
}

fusion::Answer best(const ChainProblem& problem, const std::string& objective, int longest) {
    return fusion::optimize(problem.cascade, problem.architecture, *parse_objective(objective), nullptr, longest);
}

bool is_refused(const Claim& claim) { return !certificate::fused_proof::check(claim).findings.empty(); }

class Lies {
   public:
    Lies(const ChainProblem& problem, const fusion::Answer& answer, const std::string& objective, Tally& tally)
        : problem_(problem),
          answer_(answer),
          objective_(objective),
          claim_(claim_of(problem, answer, objective)),
          tally_(tally) {}

    std::string run() {
        const certificate::fused_proof::Verdict verdict = certificate::fused_proof::check(claim_);
        if (!verdict.findings.empty())
            return "not confirmed: " + verdict.findings.front().field + ": " + verdict.findings.front().message + "\n";
        ++tally_.confirmed;
        higher_bound();
        if (!is_best()) {
            ++tally_.intervals;
            return wrong_;
        }
        ++tally_.best;
        if (objective_ == "edp") {
            lines();
        } else {
            values();
            cuts();
        }
        second_best();
        smaller_buffer();
        return wrong_;
    }

   private:
    void refuse(const Claim& claim, const std::string& what, std::uint64_t& count) {
        if (is_refused(claim))
            ++count;
        else
            wrong_ += what + " is confirmed\n";
    }

    bool is_best() const { return claim_.bound >= claim_.value * (1.0 - 1e-9); }

    // Above what the mapping takes nothing is a bound; nor is anything above the one that duals show.
    void higher_bound() {
        Claim lie = claim_;
        lie.bound = claim_.value * (1.0 + kBit);
        refuse(lie, "a bound above the mapping", tally_.lies);
        if (!lie.duals.empty()) lie.duals.front() = lie.bound;
        refuse(lie, "a bound above the mapping with its dual", tally_.lies);
        if (is_best()) return;
        lie = claim_;
        lie.bound = lie.value;
        refuse(lie, "a mapping that is not shown to be the best", tally_.lies);
    }

    void values() {
        for (const double part : {1.0 - kBit, 1.0 + kBit}) {
            Claim lie = claim_;
            lie.value *= part;
            refuse(lie, "another value", tally_.lies);
            lie.duals.front() = lie.bound = lie.value;
            refuse(lie, "another value with its dual", tally_.lies);
        }
        Claim shorter = claim_;
        shorter.duals.pop_back();
        refuse(shorter, "a missing dual", tally_.lies);
    }

    // Every sum of both is that of some mapping, and without the first or the last line one of both might be nothing.
    void lines() {
        for (const double part : {1.0 - kBit, 1.0 + kBit}) {
            Claim lie = claim_;
            lie.value *= part;
            lie.bound = lie.value;
            refuse(lie, "another product", tally_.lies);
        }
        for (std::size_t i = 0; i < claim_.lines.size(); ++i) {
            Claim lie = claim_;
            const certificate::fused_proof::Line& line = claim_.lines[i];
            tally_.lines += 1;
            if (line.energy > 0.0 && line.cycles > 0.0) {
                lie.lines[i].duals.front() *= 1.0 + kBit;
                refuse(lie, "a line that lies higher", tally_.cuts);
            } else {
                lie.lines.erase(lie.lines.begin() + static_cast<std::ptrdiff_t>(i));
                refuse(lie, "a missing line", tally_.lies);
            }
        }
        Claim lie = claim_;
        lie.lines.back().duals.pop_back();
        refuse(lie, "a missing dual", tally_.lies);
    }

    // Between two groups of the best mapping every dual is exact.
    void cuts() {
        for (const fusion::GroupPlan& group : answer_.fused->plan.groups) {
            tally_.fused += group.first < group.last;
            for (const double more : {kBit, -kBit}) {
                Claim lie = claim_;
                lie.duals[group.first] += more * claim_.value;
                refuse(lie, "a dual of einsum " + std::to_string(group.first), tally_.cuts);
            }
        }
        Claim lie = claim_;
        lie.duals.back() += kBit * claim_.value;
        refuse(lie, "a dual of the end", tally_.cuts);
    }

    void second_best() {
        if (!answer_.unfused || value_of(*answer_.unfused, objective_) < claim_.value * (1.0 + 2.0 * kBit)) return;
        const fusion::Answer unfused = best(problem_, objective_, 1);
        if (!unfused.fused || value_of(*unfused.fused, objective_) < claim_.value * (1.0 + 2.0 * kBit)) return;
        Claim lie = claim_of(problem_, unfused, objective_);
        lie.longest_group = problem_.longest_group;
        lie.bound = lie.value;
        refuse(lie, "a mapping that fuses nothing", tally_.second_best);
        lie.lines = claim_.lines;
        lie.duals = claim_.duals;
        if (!lie.duals.empty()) lie.duals.front() = lie.bound;
        refuse(lie, "a mapping that fuses nothing, with the proof of the best", tally_.lies);
        lie.value = claim_.value;
        refuse(lie, "another mapping", tally_.lies);
    }

    void smaller_buffer() {
        ChainProblem larger = problem_;
        *larger.architecture.memories[1].capacity_words *= 2;
        const fusion::Answer answer = best(larger, objective_, larger.longest_group);
        if (value_of(*answer.fused, objective_) > claim_.value * (1.0 - 2.0 * kBit)) return;
        Claim lie = claim_;
        lie.machine = larger.architecture;
        refuse(lie, "the best mapping of a smaller buffer", tally_.other_machine);
    }

    const ChainProblem& problem_;
    const fusion::Answer& answer_;
    const std::string& objective_;
    Claim claim_;
    Tally& tally_;
    std::string wrong_;
};

int check(const Cases& cases, int einsums, bool widths, std::uint64_t number, Tally& tally) {
    ChainProblem problem = random_chain(Random::split(cases.seed, number), einsums);
    if (widths) give_widths(problem, Random::split(cases.seed, number) ^ 0xb175);
    for (const std::string objective : {"energy", "latency", "edp"}) {
        const fusion::Answer answer = best(problem, objective, problem.longest_group);
        if (!answer.fused || answer.floor_bound <= 0.0) continue;
        const std::string wrong = Lies(problem, answer, objective, tally).run();
        if (wrong.empty()) continue;
        std::printf("--- problem %llu, %s, longest group %d, buffer %lld\n%s%s",
                    static_cast<unsigned long long>(number), objective.c_str(), problem.longest_group,
                    static_cast<long long>(*problem.architecture.memories[1].capacity_words), wrong.c_str(),
                    to_text(answer.fused->mapping, problem.cascade, problem.architecture).c_str());
        for (const CascadeEinsum& einsum : problem.cascade.einsums) {
            std::printf("%s: %s", einsum.name.c_str(), to_text(einsum.einsum).c_str());
            for (const Dimension& dimension : einsum.einsum.dimensions)
                std::printf(" %s=%lld", dimension.name.c_str(), static_cast<long long>(dimension.extent));
            std::printf("\n");
        }
        return 1;
    }
    return 0;
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu claims confirmed, %llu of the best and %llu intervals, %llu groups of several einsums, %llu lines; "
        "refused: %llu duals, %llu mappings that "
        "fuse nothing, "
        "%llu of smaller buffers, %llu other lies\n",
        shown(tally.confirmed), shown(tally.best), shown(tally.intervals), shown(tally.fused), shown(tally.lines),
        shown(tally.cuts), shown(tally.second_best), shown(tally.other_machine), shown(tally.lies));
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    int einsums = 4;
    bool widths = false;
    Harness harness("property_fused_certificate", "The judge of fused mappings against the search", {.count = 200});
    harness.line.option("--einsums", &einsums);
    harness.line.option("--widths", &widths, "tensors have widths of their own");
    harness.least("confirmed", "claims that were confirmed", &tally.confirmed);
    harness.least("best", "claims of the best mapping that were confirmed", &tally.best);
    harness.least("intervals", "intervals that were confirmed", &tally.intervals);
    harness.least("fused", "groups of several einsums", &tally.fused);
    harness.least("lines", "sums of energy and cycles that were confirmed", &tally.lines);
    harness.least("cuts", "changed duals that were refused", &tally.cuts);
    harness.least("second-best", "mappings that fuse nothing and were refused", &tally.second_best);
    harness.least("other-machine", "mappings of smaller buffers that were refused", &tally.other_machine);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness.cases(), einsums, widths, number, tally); },
                       [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused_certificate: %s\n", error.what());
    return 2;
}
