#include "certificate/claim/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include "base/files/file.hpp"
#include "certificate/prove/prove.hpp"
#include "fixtures/small_machine.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "workload/shapes.hpp"

namespace tilewright::certificate::claim_check_test {
namespace {

// The buffer's bandwidth binds in many mappings, and its wires cost energy.
Architecture machine() {
    Architecture a = fixtures::small_machine();
    a.memories[1].capacity_words = 300;
    a.memories[1].link.energy_per_hop_pj = 0.5;
    a.memories[2].energy.leak_pj_per_cycle.value = 0.01;
    return a;
}

Constraints constraints() {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].must_keep = constraints.levels[1].must_keep = TensorSet::all(3);
    constraints.levels[2].must_keep = TensorSet::from_bits(0b101);
    constraints.levels[2].must_bypass = TensorSet::of(1);
    return constraints;
}

Answer answer_of(const Claim& claim, const Mapping& mapping) {
    const Evaluation evaluation = evaluate(claim.einsum, machine(), mapping);
    return {mapping, {evaluation.energy_pj, static_cast<double>(evaluation.cycles)}};
}

void score(Claim& claim) {
    const Cost& cost = claim.answers.front().cost;
    claim.score = claim.bound = parse_objective(claim.objective)->score(cost.energy_pj, cost.cycles).value;
    claim.outline = outline_of(claim, machine());
}

Claim claim_for(const std::string& objective, const std::string& storage = "even",
                const std::string& factors = "perfect") {
    Claim claim;
    claim.space = {storage, factors};
    claim.names = {"layer"};
    claim.einsum = conv2d(4, 8, 5, 3);
    claim.constraints = constraints();
    claim.objective = objective;
    const Mapspace mapspace(claim.einsum, machine(), claim.constraints, claim.space.rule());
    const SearchResult found =
        OptimalMapper({.uneven = storage == "uneven"})
            .search(mapspace, LeanEvaluator(claim.einsum, machine()), parse_objective(objective).value(), {}, {});
    EXPECT_EQ(found.stopped, StopReason::proven);
    if (found.front.empty())
        claim.answers = {answer_of(claim, found.best->uneven.value_or(mapping_of(found.best->point)))};
    for (const FrontPoint& point : found.front)
        claim.answers.push_back(answer_of(claim, point.mapping.uneven.value_or(mapping_of(point.mapping.point))));
    score(claim);
    if (!found.front.empty()) claim.score = claim.bound = found.score.value;
    claim.outline = outline_of(claim, machine());
    return claim;
}

std::vector<std::string> fields(const Verdict& verdict) {
    std::vector<std::string> fields;
    for (const Finding& finding : verdict.findings) fields.push_back(finding.field);
    return fields;
}

using Fields = std::vector<std::string>;

TEST(Check, ConfirmsWhatTheOptimalMapperProves) {
    for (const char* objective : {"energy", "latency", "edp", "energy^2*latency", "pareto"}) {
        const Verdict verdict = check(claim_for(objective), machine());
        EXPECT_EQ(fields(verdict), Fields{}) << objective << ": " << verdict.findings.front().message;
        EXPECT_NE(verdict.proof.find("optimal among all even mappings"), std::string::npos);
    }
}

TEST(Check, ConfirmsUnevenMappings) {
    for (const char* objective : {"energy", "latency", "edp", "energy^2*latency", "pareto"}) {
        const Verdict verdict = check(claim_for(objective, "uneven"), machine());
        EXPECT_EQ(fields(verdict), Fields{}) << objective << ": " << verdict.findings.front().message;
        EXPECT_NE(verdict.proof.find("optimal among all even and uneven mappings"), std::string::npos);
    }
}

// The buffer then stores its tensors at different places.
TEST(Check, TellsUnevenMappingsFromEvenOnes) {
    Claim even = claim_for("energy");
    Claim uneven = claim_for("energy", "uneven");
    ASSERT_LT(uneven.score, even.score);
    even.space.storage = "uneven";
    EXPECT_EQ(fields(check(even, machine())), Fields{"bound"}) << "an uneven mapping is better";
    uneven.space.storage = "even";
    EXPECT_EQ(fields(check(uneven, machine())), Fields{"answers.0.mapping"});
}

TEST(Check, ConfirmsABoundThatIsNotMet) {
    Claim claim = claim_for("edp");
    claim.bound *= 0.9;
    claim.outline = outline_of(claim, machine());
    const Verdict verdict = check(claim, machine());
    EXPECT_EQ(fields(verdict), Fields{});
    EXPECT_NE(verdict.proof.find(": nothing has less than "), std::string::npos);
}

// The same loops with two of them in the wrong order.
Mapping worse_order(const Claim& claim) {
    const Answer& best = claim.answers.front();
    for (std::size_t i = 0; i < best.mapping.nodes.size(); ++i)
        for (std::size_t j = i + 1; j < best.mapping.nodes.size(); ++j) {
            Mapping other = best.mapping;
            std::swap(other.nodes[i], other.nodes[j]);
            if (!tilewright::check(claim.einsum, machine(), other).empty()) continue;
            if (evaluate(claim.einsum, machine(), other).energy_pj > 1.001 * best.cost.energy_pj) return other;
        }
    ADD_FAILURE() << "every order costs the same";
    return best.mapping;
}

// Forged files have valid seals: every lie has to be found by its content.
struct Lie {
    const char* what;
    std::function<void(Claim&)> tell;
    std::string found_at;
};

TEST(Check, FindsEveryLie) {
    const Claim honest = claim_for("edp");
    const Lie lies[] = {
        {"a mapping that takes other loops", [](Claim& claim) { claim.answers.front().mapping = worse_order(claim); },
         "answers.0.energy_pj"},
        {"a mapping that covers only a part", [](Claim& claim) { claim.answers.front().mapping.nodes.pop_back(); },
         "answers.0.mapping"},
        {"less energy", [](Claim& claim) { claim.answers.front().cost.energy_pj *= 0.999; }, "answers.0.energy_pj"},
        {"fewer cycles", [](Claim& claim) { claim.answers.front().cost.cycles -= 1; }, "answers.0.cycles"},
        {"a better score", [](Claim& claim) { claim.score *= 0.999; }, "score"},
        {"a bound above the score", [](Claim& claim) { claim.bound *= 1.001; }, "bound"},
        {"an assignment less", [](Claim& claim) { --claim.outline.assignments; }, "proof.assignments"},
        {"other assignments", [](Claim& claim) { claim.outline.digest[0] ^= 1; }, "proof.digest"},
        {"easier reasons", [](Claim& claim) { claim.outline.reasons = "w1"; }, "proof.reasons"},
        {"another objective", [](Claim& claim) { claim.objective = "energy"; }, "score"},
        {"no objective", [](Claim& claim) { claim.objective = "speed"; }, "objective"},
        {"mappings of no known kind", [](Claim& claim) { claim.space.storage = "odd"; }, "space"},
        {"imperfect factors, too", [](Claim& claim) { claim.space.factors = "ruby"; }, "space"},
        {"fewer constraints", [](Claim& claim) { claim.constraints = {}; }, "proof.assignments"},
        {"a constraint that the mapping breaks",
         [](Claim& claim) { claim.constraints.levels[2].must_keep = TensorSet::of(1); }, "answers.0.mapping"},
        {"another layer", [](Claim& claim) { claim.einsum.dimensions[0].extent *= 2; }, "answers.0.mapping"},
        {"no mapping", [](Claim& claim) { claim.answers.clear(); }, "answers"},
    };
    for (const Lie& lie : lies) {
        Claim claim = honest;
        lie.tell(claim);
        const Fields found = fields(check(claim, machine()));
        EXPECT_NE(std::find(found.begin(), found.end(), lie.found_at), found.end()) << lie.what;
    }
}

TEST(Check, DoesNotConfirmTheSecondBestAsTheBest) {
    for (const char* objective : {"energy", "latency", "edp"}) {
        Claim claim = claim_for(objective);
        const Mapspace mapspace(claim.einsum, machine(), claim.constraints);
        const LeanEvaluator evaluator(claim.einsum, machine());
        const Score best =
            parse_objective(objective)->score(claim.answers[0].cost.energy_pj, claim.answers[0].cost.cycles);
        Random random(1);
        TilingPoint point = mapspace.point();
        for (int found = 0; found < 2;) {
            if (!mapspace.sample(random, point) || !evaluator.evaluate(point).valid()) continue;
            claim.answers = {answer_of(claim, mapping_of(point))};
            score(claim);
            if (claim.score <= best.value) continue;
            ++found;
            EXPECT_EQ(fields(check(claim, machine())), Fields{"bound"}) << objective;
        }
    }
}

TEST(Check, AnotherMachineTellsOtherCosts) {
    const Claim claim = claim_for("edp");
    Architecture cheaper = machine();
    cheaper.memories[0].energy.read_pj.value = 199.0;
    EXPECT_EQ(fields(check(claim, cheaper)).front(), "answers.0.energy_pj");
    Architecture larger = machine();
    larger.memories[2].capacity_words = 240;
    const Verdict verdict = check(claim, larger);
    ASSERT_EQ(fields(verdict), Fields{"bound"}) << "more room, better mappings";
    EXPECT_NE(verdict.findings.front().message.find("may hold something better"), std::string::npos);
}

// Tests run in the project's root. The list is docs/certificate.md's: definition of the mapspace, and cost models.
TEST(Check, SharesWithTheSearchWhatADefinitionIsAndNoMore) {
    const std::set<std::string> shared{
        "mapspace/constraints.hpp", "mapspace/factors/chains.hpp", "mapspace/factors/factor_rule.hpp",
        "mapspace/mapspace.hpp",    "mapspace/variants.hpp",       "model/exact/costs.hpp",
        "model/lean/lean.hpp",      "model/exact/model.hpp",       "model/fused/model.hpp",
        "model/fused/windows.hpp",  "model/objective.hpp",         "model/sparse/sparse_model.hpp"};
    std::set<std::string> seen;
    for (const auto& file : std::filesystem::recursive_directory_iterator("src/certificate")) {
        if (!file.is_regular_file() || file.path().filename().string().ends_with("_test.cpp")) continue;
        std::istringstream text(read_file(file.path()));
        for (std::string line; std::getline(text, line);)
            for (const char* room : {"mapper/", "mapspace/", "model/", "orders/"})
                if (line.starts_with(std::string("#include \"") + room)) seen.insert(line.substr(10, line.size() - 11));
    }
    EXPECT_EQ(seen, shared);
    const std::string text = read_file("CMakeLists.txt");
    const std::size_t begin = text.find("tw_room(certificate ");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_EQ(text.substr(begin, text.find(')', begin) - begin).find("mapper"), std::string::npos)
        << "nor is it linked";
}

TEST(Check, RefusesAFrontThatIsNone) {
    const Claim front = claim_for("pareto");
    Claim twice = front;
    twice.answers.insert(twice.answers.begin(), front.answers.front());
    EXPECT_EQ(fields(check(twice, machine())), Fields{"answers.1"});
    Claim dearer = front;
    dearer.answers.push_back(front.answers.front());
    dearer.answers.back().cost.energy_pj *= 2.0;
    EXPECT_EQ(fields(check(dearer, machine())), (Fields{"answers.1.energy_pj", "answers.1"})) << "and no faster";
}

TEST(Check, RefusesConstraintsThatLeaveNothing) {
    Claim claim = claim_for("edp");
    claim.constraints.levels.resize(static_cast<std::size_t>(machine().memory_count()));
    for (LevelConstraint& level : claim.constraints.levels)
        for (LoopConstraint* loops : {&level.temporal, &level.spatial}) {
            loops->factors.resize(claim.einsum.dimensions.size());
            for (FactorConstraint& factor : loops->factors) factor.at_most = 1;
        }
    EXPECT_EQ(fields(check(claim, machine())), Fields{"constraints"});
}

// Such mappings are proven like those of ruby-s.
TEST(Check, KnowsSpatialRemaindersThatConstraintsAllow) {
    const auto claim_with = [](bool spatial) {
        Claim claim = claim_for("edp");
        claim.constraints.levels.resize(static_cast<std::size_t>(machine().memory_count()));
        for (LevelConstraint& level : claim.constraints.levels)
            (spatial ? level.spatial : level.temporal).remainders = 9;
        return claim;
    };
    Claim claim = claim_with(true);
    const Mapspace mapspace(claim.einsum, machine(), claim.constraints);
    ASSERT_TRUE(mapspace.has_remainders());
    const SearchResult found = OptimalMapper().search(mapspace, LeanEvaluator(claim.einsum, machine()),
                                                      parse_objective("edp").value(), {}, {});
    ASSERT_TRUE(is_proven(found));
    claim.answers = {answer_of(claim, mapping_of(found.best->point, claim.einsum).value())};
    score(claim);
    claim.outline = outline_of(claim, machine());
    const Verdict verdict = check(claim, machine());
    EXPECT_EQ(fields(verdict), Fields{});
    EXPECT_NE(verdict.proof.find("with perfect factors (and remainders where the constraints allow them)"),
              std::string::npos)
        << verdict.proof;
    EXPECT_EQ(fields(check(claim_with(false), machine())), Fields{"constraints"})
        << "of temporal ones nothing is known";
}

TEST(Check, SaysWhenItWasInterrupted) {
    EXPECT_EQ(fields(check(claim_for("energy"), machine(), [] { return true; })), Fields{"bound"});
}

TEST(Check, GoesThroughFamiliesWhereThereAreManyAssignments) {
    Claim claim = claim_for("energy");
    claim.constraints = {};
    const Mapspace mapspace(claim.einsum, machine(), claim.constraints);
    EXPECT_FALSE(has_too_many_assignments(claim, machine()));
    for (const bool families : {false, true}) {
        const std::int64_t most = families ? 0 : kMostAssignments;
        const auto proof_of = [&](double energy_pj) {
            const Goal goal = Goal::optimal({}, {energy_pj, 1.0});
            return prove(claim.einsum, machine(), mapspace, goal, Storage::even, {}, most);
        };
        EXPECT_EQ(proof_of(1e-3).by_family, families);
        EXPECT_TRUE(proof_of(1e-3).doubts.empty()) << "no mapping takes next to nothing";
        EXPECT_FALSE(proof_of(1e12).doubts.empty()) << "any mapping is better";
    }
}

}  // namespace
}  // namespace tilewright::certificate::claim_check_test
