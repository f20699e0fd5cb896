// A small set of ZigZag's searches that stands alone (tests/golden/zigzag_search). The full set is run by golden where
// ../shared exists.
#include "zigzag_search.hpp"

#include <gmock/gmock.h>

namespace tilewright::golden::zigzag_search_test {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kFacts = "tests/golden/zigzag_search";
const SearchEffort kEffort{.seeds = 5, .most_orders = 1'000'000};

TEST(ZigzagSearches, EveryRecordedEnergyIsReached) {
    const auto stems = searches_in(kFacts);
    ASSERT_EQ(stems.size(), 1U);
    HitRates rates;
    int cases = 0;
    for (const auto& stem : stems)
        for (const SearchCase& one : read_searches(stem)) {
            ++cases;
            const Differences differences = check_search(one, kEffort, rates);
            EXPECT_TRUE(differences.empty()) << one.name << ": " << to_text(differences.all(), 10);
        }
    EXPECT_EQ(cases, 2 * 8);
    EXPECT_GT(rates.anneal_1000.hits, rates.salsa.hits);
}

std::string differences_after_change(const std::string& search, double energy_pj) {
    SearchCase one = read_searches(kFacts / "eyeriss_paper").front();
    one.recorded.at(search).energy_pj += energy_pj;
    HitRates rates;
    return to_text(check_search(one, kEffort, rates).all(), 10);
}

TEST(ZigzagSearches, AWrongEnergyIsNoticed) {
    EXPECT_EQ(differences_after_change("loma6", 0.0), "");
    EXPECT_THAT(differences_after_change("loma6", 1.0), HasSubstr("loma6 energy"));
    EXPECT_THAT(differences_after_change("exhaustive", 1e5), HasSubstr("exhaustive energy"));
    EXPECT_THAT(differences_after_change("salsa0.999", -1e6), HasSubstr("best of 5 seeds"));
}

}  // namespace
}  // namespace tilewright::golden::zigzag_search_test
