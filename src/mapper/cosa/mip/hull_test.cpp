#include "mapper/cosa/mip/hull.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mapper/cosa/mip/solve.hpp"

namespace tilewright::mip::hull_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

Expression x(int variable, double coefficient = 1.0) { return Expression::of(variable, coefficient); }

// 2^a 3^b <= 8, as logarithms.
Program eight(double worth_of_a, double worth_of_b) {
    Program problem;
    const int a = problem.add_integer(0, 5);
    const int b = problem.add_integer(0, 5);
    problem.add_row(x(a) + x(b, std::log2(3.0)), -kInfinity, 3.0);
    problem.minimise(x(a, -worth_of_a) + x(b, -worth_of_b));
    return problem;
}

double relaxed(const Program& problem) {
    Program copy;
    for (const Column& column : problem.columns()) copy.add_continuous(column.lower, column.upper);
    for (const Row& row : problem.rows()) {
        Expression sum;
        for (const Term& term : row.terms) sum += x(term.variable, term.coefficient);
        copy.add_row(sum, row.lower, row.upper);
    }
    copy.minimise(problem.objective());
    return solve(copy).objective;
}

TEST(DownSet, MaximalPointsAreThoseThatNothingAboveFits) {
    const auto fits = [](const std::vector<int>& n) { return (1 << n[0]) * std::pow(3, n[1]) <= 8; };
    EXPECT_THAT(*maximal_points({5, 5}, fits), UnorderedElementsAre(ElementsAre(3, 0), ElementsAre(1, 1)));
    EXPECT_THAT(*maximal_points({2, 5}, fits), UnorderedElementsAre(ElementsAre(2, 0), ElementsAre(1, 1)));
}

TEST(DownSet, WhatNeverFitsOrIsTooLongIsNoSet) {
    EXPECT_FALSE(maximal_points({3}, [](const auto&) { return false; }));
    EXPECT_FALSE(maximal_points({}, [](const auto&) { return true; }));
    const auto sum = [](const std::vector<int>& n) { return n[0] + n[1] + n[2] + n[3] <= 60; };
    EXPECT_FALSE(maximal_points({60, 60, 60, 60}, sum));
}

TEST(DownSet, RowsOfWholeVariablesAreKnapsacks) {
    const std::vector<DownSet> sets = knapsacks_of(eight(1, 1));
    ASSERT_THAT(sets, SizeIs(1));
    EXPECT_THAT(sets[0].points, UnorderedElementsAre(ElementsAre(0, 3), ElementsAre(1, 1)));  // threes first
}

TEST(DownSet, VariablesOfOneBudgetCountOnce) {
    Program problem;
    const int a = problem.add_integer(0, 2);
    const int b = problem.add_integer(0, 2);
    problem.add_row(x(a) + x(b), 2.0, 2.0);  // two factors in all
    problem.add_row(x(a, 1.5) + x(b, 1.5), -kInfinity, 5.0);
    EXPECT_THAT(knapsacks_of(problem).back().points, ElementsAre(ElementsAre(2)));
}

TEST(DownSet, RowsWithOtherTermsAreNone) {
    Program problem;
    const int a = problem.add_integer(0, 2);
    const int real = problem.add_continuous(0, 2);
    problem.add_row(x(a) + x(real), -kInfinity, 3.0);
    problem.add_row(x(a, -1.0), -kInfinity, 3.0);
    problem.add_row(x(a), 1.0, kInfinity);
    EXPECT_THAT(knapsacks_of(problem), SizeIs(0));
}

TEST(Hull, TwosAndThreesInEight) {
    Program problem = eight(1.0, 1.9);
    EXPECT_NEAR(relaxed(problem), -1.9 * 3.0 / std::log2(3.0), 1e-6);
    EXPECT_GT(add_hull_rows(problem, knapsacks_of(problem)), 0);
    EXPECT_NEAR(relaxed(problem), -3.0, 1e-6);  // the face a + 2b <= 3
}

TEST(Hull, NothingIsAddedWhereTheRelaxationIsWhole) {
    Program problem = eight(1.0, 0.1);
    EXPECT_EQ(add_hull_rows(problem, knapsacks_of(problem)), 0);
}

TEST(Hull, ANumberThatMayOnlyBeNothingIsNothing) {
    Program problem;
    const int a = problem.add_integer(0, 5);
    problem.minimise(x(a, -1.0));
    add_hull_rows(problem, {{{x(a)}, {{0}}}});
    EXPECT_NEAR(relaxed(problem), 0.0, 1e-6);
}

// Random knapsacks with several rows: the optimum stays, and the relaxation gets no further from it.
TEST(Hull, NoWholeSolutionIsCutOff) {
    std::mt19937 random(11);
    double gap_before = 0.0;
    double gap_after = 0.0;
    for (int round = 0; round < 60; ++round) {
        Program problem;
        Expression worth;
        for (int i = 0; i < 8; ++i)
            worth += x(problem.add_integer(0, 1 + static_cast<int>(random() % 4)),
                       -1.0 - static_cast<double>(random() % 100) / 20.0);
        const double logs[] = {1.0, std::log2(3.0), std::log2(5.0), std::log2(7.0)};
        for (int r = 0; r < 3; ++r) {
            Expression sum;
            for (int i = 0; i < 8; ++i)
                if (random() % 3 > 0) sum += x(i, logs[i % 4]);
            problem.add_row(sum, -kInfinity, 3.0 + static_cast<double>(random() % 5));
        }
        problem.minimise(worth);
        const double best = solve(problem).objective;
        gap_before += best - relaxed(problem);
        add_hull_rows(problem, knapsacks_of(problem));
        EXPECT_NEAR(solve(problem).objective, best, 1e-6);
        gap_after += best - relaxed(problem);
    }
    EXPECT_LT(gap_after, 0.5 * gap_before);
}

}  // namespace
}  // namespace tilewright::mip::hull_test
