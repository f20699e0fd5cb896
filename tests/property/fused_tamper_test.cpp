// A certificate of a fused mapping in which any one number is another: whatever it says, it gets a verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "fixtures/fused_bottleneck.hpp"
#include "fusion/optimize.hpp"
#include "native/certificates/fused_certificate.hpp"

namespace tilewright::property {
namespace {

using certificate::fused_proof::Claim;

// Windows that overlap, windows that step over words, and a filter of one word.
Cascade three_filters() {
    return parse_cascade(
        "size k=2, c=2, p=4, r=3, n=3, m=2, q=2, s=1, t=2; input x[2,8]; weight u1, u2, u3; output z[3,1];\n"
        "first: a[k,p] += x[c,2*p+r-1] * u1[k,c,r];\n"
        "second: b[n,q] += a[m,2*q+s] * u2[n,m,s];\n"
        "third: z[n,0] += b[n,t] * u3[n,t];",
        {});
}

std::string certificate_for(const std::string& objective) {
    const Cascade cascade = three_filters();
    const Architecture machine = fixtures::three_levels(24, 2);
    const fusion::Answer answer = fusion::optimize(cascade, machine, *parse_objective(objective));
    const fused::Evaluation& cost = answer.fused->evaluation;
    Claim claim{cascade, machine, objective, answer.fused->mapping, cost.energy_pj, answer.floor_bound, answer.duals};
    if (objective == "latency") claim.value = static_cast<double>(cost.cycles);
    if (objective == "edp") claim.value = cost.edp_pj_cycles();
    claim.bound = std::min(claim.bound, claim.value);
    for (const fusion::ProvenSum& sum : answer.sums) claim.lines.push_back({sum.energy, sum.cycles, sum.duals});
    EXPECT_TRUE(certificate::fused_proof::check(claim).findings.empty());
    return native::write_fused_certificate({"test", 1, std::move(claim)});
}

// Every number of the text: where it begins and how many digits it has.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t end = i;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        if (end == i) continue;
        numbers.emplace_back(i, end - i);
        i = end;
    }
    return numbers;
}

// Words of the one verdict that there is; "" when it was none.
std::string verdict_on(const std::string& text) {
    try {
        const native::FusedCertificateFile file =
            native::read_fused_certificate(yaml::parse_text(text, "changed.json"));
        const auto verdict = certificate::fused_proof::check(file.certificate.claim);
        return verdict.findings.empty() ? verdict.proof : verdict.findings.front().message;
    } catch (const InputError& error) {
        return error.message();
    } catch (const OverflowError& error) {
        return error.what();
    }
}

TEST(TamperedFusedCertificate, GetsAVerdictWhateverNumberIsAnother) {
    int changed = 0;
    for (const std::string objective : {"energy", "latency", "edp"}) {
        const std::string honest = certificate_for(objective);
        for (const auto& [place, digits] : numbers_in(honest)) {
            const std::string number = honest.substr(place, digits);
            const std::string more = digits < 6 ? std::to_string(std::stoll(number) + 1) : number + "1";
            for (const std::string& other : {std::string("0"), std::string("1"), more, "-" + number, number + "7"}) {
                std::string text = honest;
                text.replace(place, digits, other);
                try {
                    EXPECT_NE(verdict_on(text), "") << objective << ", " << place << ": " << number << " to " << other;
                } catch (const std::exception& error) {
                    ADD_FAILURE() << objective << ": " << honest.substr(place < 60 ? 0 : place - 60, 80) << ": "
                                  << number << " to " << other << ": " << error.what();
                }
                ++changed;
            }
        }
    }
    EXPECT_GT(changed, 2000);
}

}  // namespace
}  // namespace tilewright::property
