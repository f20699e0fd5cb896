#include "zigzag/lean/allocate.hpp"

#include <gmock/gmock.h>

#include "fixtures/zigzag_problem.hpp"
#include "zigzag/accounting/allocation.hpp"

namespace tilewright::zigzag::allocate_test {
namespace {

std::vector<std::vector<int>> ends_of(const UnevenMapping& mapping) {
    std::vector<std::vector<int>> ends;
    for (const auto& levels : mapping.operands) {
        ends.emplace_back();
        int end = 0;
        for (const LevelLoops& level : levels) ends.back().push_back(end += static_cast<int>(level.size()));
    }
    return ends;
}

TEST(LeanAllocation, EqualsTheReadableOne) {
    Random random(7);
    int fitting = 0;
    constexpr int kProblems = 3000;
    for (int i = 0; i < kProblems; ++i) {
        const RandomProblem problem = random_problem(random);
        const std::vector<TemporalLoop> order = problem.random_order(random);
        std::vector<std::uint8_t> kinds(order.size());
        for (std::size_t p = 0; p < order.size(); ++p) kinds[p] = static_cast<std::uint8_t>(p);
        const lean::Setup setup = lean::make_setup(problem.machine, problem.layer, problem.fractional, problem.whole,
                                                   order, order, problem.evenness);
        lean::Cuts cuts{};
        const bool fits = lean::allocate(setup, lean::Sequence(setup, kinds), cuts);
        const auto expected = problem.allocated(order);
        ASSERT_EQ(fits, std::holds_alternative<UnevenMapping>(expected)) << "problem " << i;
        if (!fits) continue;
        ++fitting;
        const auto ends = ends_of(std::get<UnevenMapping>(expected));
        for (std::size_t o = 0; o < ends.size(); ++o)
            for (std::size_t l = 0; l < ends[o].size(); ++l)
                ASSERT_EQ(cuts.end[o][l], ends[o][l]) << "problem " << i << ", operand " << o << ", level " << l;
    }
    EXPECT_GT(fitting, kProblems / 2);
    EXPECT_LT(fitting, kProblems) << "shortages have to be met, too";
}

}  // namespace
}  // namespace tilewright::zigzag::allocate_test
