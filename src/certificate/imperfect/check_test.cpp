// Claims of mappings with spatial remainders.
#include <gtest/gtest.h>

#include "certificate/claim/check.hpp"
#include "fixtures/small_machine.hpp"
#include "mapper/optimal/optimal.hpp"
#include "model/exact/model.hpp"
#include "workload/shapes.hpp"

namespace tilewright::certificate::imperfect_check_test {
namespace {

// Four elements: no extent divides by that.
Architecture machine() {
    Architecture a = fixtures::small_machine({4, 1});
    a.memories[1].capacity_words = 300;
    return a;
}

Answer answer_of(const Einsum& einsum, const Mapping& mapping) {
    const Evaluation evaluation = evaluate(einsum, machine(), mapping);
    return {mapping, {evaluation.energy_pj, static_cast<double>(evaluation.cycles)}};
}

void score(Claim& claim) {
    const Cost& cost = claim.answers.front().cost;
    claim.score = claim.bound = parse_objective(claim.objective)->score(cost.energy_pj, cost.cycles).value;
    claim.outline = outline_of(claim, machine());
}

Claim claim_for(const std::string& objective) {
    Claim claim;
    claim.names = {"layer"};
    claim.einsum = conv2d(3, 7, 5, 1);
    claim.space = {"even", "ruby-s"};
    claim.objective = objective;
    claim.constraints.levels.resize(3);
    for (LevelConstraint& level : claim.constraints.levels) level.must_keep = TensorSet::all(3);
    const Mapspace mapspace(claim.einsum, machine(), claim.constraints, FactorRule::ruby_s);
    const SearchResult found = OptimalMapper().search(mapspace, LeanEvaluator(claim.einsum, machine()),
                                                      parse_objective(objective).value(), {}, {});
    EXPECT_EQ(found.stopped, StopReason::proven);
    claim.answers = {answer_of(claim.einsum, mapping_of(found.best->point, claim.einsum).value())};
    score(claim);
    return claim;
}

using Fields = std::vector<std::string>;

Fields fields(const Verdict& verdict) {
    Fields fields;
    for (const Finding& finding : verdict.findings) fields.push_back(finding.field);
    return fields;
}

TEST(ImperfectCheck, ConfirmsWhatTheOptimalMapperProves) {
    for (const char* objective : {"energy", "latency", "edp"}) {
        const Claim claim = claim_for(objective);
        const Verdict verdict = check(claim, machine());
        EXPECT_EQ(fields(verdict), Fields{}) << objective << ": " << verdict.findings.front().message;
        EXPECT_NE(verdict.proof.find("optimal among all even mappings with ruby-s factors"), std::string::npos);
    }
}

TEST(ImperfectCheck, KnowsWhichRemaindersBelongToTheSpace) {
    Claim claim = claim_for("edp");
    claim.space.factors = "perfect";
    const Fields found = fields(check(claim, machine()));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), "answers.0.mapping");
    claim.space.factors = "ruby";
    EXPECT_EQ(fields(check(claim, machine())), Fields{"space"});
}

TEST(ImperfectCheck, ComesAcrossMappingsWithRemainders) {
    EXPECT_FALSE(is_perfect(claim_for("latency").answers.front().mapping)) << "all this would be too easy";
    EXPECT_FALSE(is_perfect(claim_for("edp").answers.front().mapping));
}

// The best mapping without remainders is not the best of all.
TEST(ImperfectCheck, DoesNotConfirmABetterMappingAway) {
    Claim claim = claim_for("edp");
    const double best = claim.score;
    const Mapspace perfect(claim.einsum, machine(), claim.constraints);
    const SearchResult found =
        OptimalMapper().search(perfect, LeanEvaluator(claim.einsum, machine()), parse_objective("edp").value(), {}, {});
    claim.answers = {answer_of(claim.einsum, mapping_of(found.best->point))};
    score(claim);
    ASSERT_GT(claim.score, best);
    EXPECT_EQ(fields(check(claim, machine())), Fields{"bound"});
}

TEST(ImperfectCheck, ConfirmsABoundThatIsNotMet) {
    Claim claim = claim_for("edp");
    claim.bound *= 0.9;
    claim.outline = outline_of(claim, machine());
    const Verdict verdict = check(claim, machine());
    EXPECT_EQ(fields(verdict), Fields{});
    EXPECT_NE(verdict.proof.find("nothing has less than"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::certificate::imperfect_check_test
