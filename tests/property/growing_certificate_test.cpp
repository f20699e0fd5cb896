// Certificates of a concatenation that grows, which random chains do not have: tensors are read before the last of
// their writers.
#include <gtest/gtest.h>

#include "certificate/fused/claim.hpp"
#include "fixtures/fused_bottleneck.hpp"
#include "fixtures/growing_concatenation.hpp"
#include "fusion/optimize.hpp"

namespace tilewright::property {
namespace {

using certificate::fused_proof::Claim;

Claim claim_for(std::int64_t buffer_words) {
    const Cascade cascade = fixtures::growing_concatenation();
    const Architecture machine = fixtures::three_levels(buffer_words, 2);
    const fusion::Answer answer = fusion::optimize(cascade, machine, *parse_objective("energy"));
    EXPECT_TRUE(answer.proven);
    return {cascade, machine, "energy", answer.fused->mapping, answer.fused->evaluation.energy_pj, answer.duals};
}

TEST(GrowingConcatenation, ItsCertificateIsConfirmed) {
    for (const std::int64_t words : {24, 40, 64, 200}) {
        const auto verdict = certificate::fused_proof::check(claim_for(words));
        EXPECT_TRUE(verdict.findings.empty()) << words << ": " << verdict.findings.front().message;
    }
}

TEST(GrowingConcatenation, TheMappingOfASmallerBufferIsNotTheBest) {
    Claim claim = claim_for(200);
    const Claim smaller = claim_for(24);
    ASSERT_GT(smaller.value, claim.value);
    claim.mapping = smaller.mapping;
    claim.value = smaller.value;
    claim.duals.front() = smaller.value;
    EXPECT_FALSE(certificate::fused_proof::check(claim).findings.empty());
}

}  // namespace
}  // namespace tilewright::property
