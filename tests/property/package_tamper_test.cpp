// A certificate of a plan on a package in which any one number is another: whatever it says, it gets a verdict.
#include <gtest/gtest.h>

#include <cctype>
#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "multicore/search/optimize.hpp"
#include "native/certificates/package_certificate.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::property {
namespace {

namespace proof = certificate::package_proof;

// Windows with padding and steps, and their input once more.
Cascade two_filters() {
    return parse_cascade(
        "size k=2, c=2, p=4, r=3, x=2, y=4; input t[2,8]; weight u[2,2,3]; input s[2,4];\n"
        "first: a[k,p] += t[c,2*p+r-1] * u[k,c,r];\n"
        "second: z[x,y] = a[x,y] + s[x,y];",
        {});
}

package::Package two_cores() {
    package::Package package;
    package.name = "pair";
    package.columns = 2;
    package.chiplet_columns = 1;
    package.link = {2.0, 1.0, 1};
    package.d2d = {1.0, 3.0, 2};
    package.local = {4.0, 0.5, 0};
    package::CoreKind kind;
    kind.name = "simple";
    kind.buffer_words = 40;
    kind.read_pj = kind.write_pj = kind.operation_pj = 1.0;
    kind.leak_pj_per_cycle = 0.5;
    kind.lanes["k"] = 2;
    package.kinds.push_back(kind);
    package.cores = {{{0, 0}, 0}, {{1, 0}, 0}};
    package.drams = {{{0, 0}, 2.0, 10.0, 12.0}, {{1, 0}, 2.0, 10.0, 12.0}};
    package.homes = {{"s", 1}};
    return package;
}

std::string certificate_for(const std::string& objective) {
    const Cascade cascade = two_filters();
    const package::Package package = two_cores();
    const multicore::Problem problem(cascade, package);
    const package::Network network(package);
    multicore::LaneLeaves leaves(problem);
    const multicore::Evaluator evaluator(problem, network, leaves);
    const multicore::Answer answer = multicore::optimize(evaluator, *parse_objective(objective));
    proof::Claim claim{cascade, package, objective, answer.best->plan, answer.best->value, 0.0, {}};
    proof::add_bound(claim, answer.potentials);
    EXPECT_TRUE(proof::check(claim).findings.empty());
    EXPECT_TRUE(multicore::is_proven_by(claim.bound, claim.value)) << claim.bound << " of " << claim.value;
    return native::write_package_certificate({"test", 1, std::move(claim)});
}

struct Number {
    std::size_t place = 0;
    std::size_t digits = 0;
};

std::vector<Number> numbers_in(const std::string& text) {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t end = i;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        if (end == i) continue;
        numbers.push_back({i, end - i});
        i = end;
    }
    return numbers;
}

// Words of the one verdict that there is; "" when it was none.
std::string verdict_on(const std::string& text) {
    try {
        const native::PackageCertificateFile file =
            native::read_package_certificate(yaml::parse_text(text, "changed.json"));
        const proof::Verdict verdict = proof::check(file.certificate.claim);
        return verdict.findings.empty() ? verdict.proof : verdict.findings.front().message;
    } catch (const InputError& error) {
        return error.message();
    } catch (const OverflowError& error) {
        return error.what();
    }
}

TEST(TamperedPackageCertificate, GetsAVerdictWhateverNumberIsAnother) {
    int changed = 0;
    for (const std::string objective : {"energy", "latency"}) {
        const std::string honest = certificate_for(objective);
        for (const auto& [place, digits] : numbers_in(honest)) {
            const std::string number = honest.substr(place, digits);
            const std::string more = digits < 6 ? std::to_string(std::stoll(number) + 1) : number + "1";
            for (const std::string& other : {std::string("0"), more, "-" + number, number + "77777777"}) {
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
    EXPECT_GT(changed, 1000);
}

}  // namespace
}  // namespace tilewright::property
