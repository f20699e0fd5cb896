#include "mapper/cosa/mip/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

namespace {
std::atomic<int> handlers_set{0};
}  // namespace

// Replaces the C library's, also for the solver's libraries: counts registrations of signals.
extern "C" sighandler_t signal(int /*number*/, sighandler_t /*handler*/) noexcept {
    ++handlers_set;
    return SIG_DFL;
}

namespace tilewright::mip::solve_test {
namespace {

using testing::ElementsAre;

Expression x(int variable, double coefficient = 1.0) { return Expression::of(variable, coefficient); }

// The most valuable set of things that fits: the textbook knapsack.
Program knapsack(const std::vector<double>& values, const std::vector<double>& weights, double room) {
    Program problem;
    Expression value, weight;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int taken = problem.add_binary();
        value += x(taken, values[i]);
        weight += x(taken, weights[i]);
    }
    problem.add_row(weight, -kInfinity, room);
    problem.minimise(-1.0 * value);
    return problem;
}

// Market split: equations hard for branch and bound. `hidden`: a solution is built in.
Program market_split(int rows, int columns, unsigned seed) {
    std::mt19937 random(seed);
    Program problem;
    for (int i = 0; i < columns; ++i) problem.add_binary();
    Expression slack_sum;
    for (int r = 0; r < rows; ++r) {
        Expression sum;
        double total = 0.0;
        for (int i = 0; i < columns; ++i) {
            const double coefficient = static_cast<double>(random() % 100);
            sum += x(i, coefficient);
            total += coefficient;
        }
        const int over = problem.add_continuous(0.0, kInfinity);
        const int under = problem.add_continuous(0.0, kInfinity);
        problem.add_equal(sum + x(over) - x(under), Expression(std::floor(total / 2.0)));
        slack_sum += x(over) + x(under);
    }
    problem.minimise(slack_sum);
    return problem;
}

TEST(Solve, FindsTheBestKnapsack) {
    const Solution solution = solve(knapsack({10, 13, 7, 8, 2}, {5, 6, 3, 4, 1}, 10));
    EXPECT_EQ(solution.status, Status::optimal);
    EXPECT_NEAR(solution.objective, -22.0, 1e-9);
    EXPECT_NEAR(solution.bound, -22.0, 1e-9);
    EXPECT_THAT(solution.values, ElementsAre(0, 1, 1, 0, 1));
}

TEST(Solve, ObjectiveAndRowsMayHaveConstants) {
    Program problem;
    const int n = problem.add_integer(0, 10);
    problem.add_at_most(x(n, 2.0) + Expression(1.0), Expression(8.0));  // 2n + 1 <= 8
    problem.minimise(Expression(100.0) - x(n));
    const Solution solution = solve(problem);
    EXPECT_NEAR(solution.objective, 97.0, 1e-9);
    EXPECT_THAT(solution.values, ElementsAre(3));
}

TEST(Solve, RealVariablesStayReal) {
    Program problem;
    const int n = problem.add_integer(0, 10);
    const int r = problem.add_continuous(0.0, 10.0);
    problem.add_row(x(n, 2.0) + x(r, 2.0), -kInfinity, 7.0);
    problem.minimise(x(n, -3.0) - x(r, 2.0));
    EXPECT_THAT(solve(problem).values, ElementsAre(3.0, testing::DoubleNear(0.5, 1e-9)));
}

TEST(Solve, SaysWhenThereIsNoSolution) {
    Program problem;
    const int n = problem.add_integer(0, 10);
    problem.add_row(x(n, 2.0), 3.0, 3.0);  // 2n = 3
    problem.minimise(x(n));
    EXPECT_EQ(solve(problem).status, Status::infeasible);
}

TEST(Solve, SaysWhenAConstantRowCannotHold) {
    Program problem;
    problem.minimise(x(problem.add_integer(0, 10)));
    problem.add_row(Expression(5.0), 0.0, 4.0);
    EXPECT_EQ(solve(problem).status, Status::infeasible);
}

TEST(Solve, WithoutVariablesThereIsTheConstant) {
    Program problem;
    problem.minimise(Expression(7.0));
    EXPECT_EQ(solve(problem).status, Status::optimal);
    EXPECT_EQ(solve(problem).objective, 7.0);
    EXPECT_EQ(solve(problem).bound, 7.0);
    problem.add_row(Expression(5.0), 0.0, 4.0);
    EXPECT_FALSE(solve(problem).found());
}

TEST(Solve, SaysWhenThereIsNoEnd) {
    Program problem;
    problem.minimise(x(problem.add_continuous(0.0, kInfinity), -1.0));
    EXPECT_EQ(solve(problem).status, Status::unbounded);
}

TEST(Solve, AStartThatIsBestIsTheAnswer) {
    const Program problem = knapsack({10, 13, 7, 8, 2}, {5, 6, 3, 4, 1}, 10);
    const Solution solution = solve(problem, {}, {0, 1, 1, 0, 1});
    EXPECT_EQ(solution.status, Status::optimal);
    EXPECT_THAT(solution.values, ElementsAre(0, 1, 1, 0, 1));
}

TEST(Solve, ABetterSolutionThanTheStartIsFound) {
    const Program problem = knapsack({10, 13, 7, 8, 2}, {5, 6, 3, 4, 1}, 10);
    EXPECT_NEAR(solve(problem, {}, {1, 0, 0, 0, 0}).objective, -22.0, 1e-9);
}

TEST(Solve, AStartThatDoesNotHoldIsIgnored) {
    const Program problem = knapsack({10, 13, 7, 8, 2}, {5, 6, 3, 4, 1}, 10);
    EXPECT_NEAR(solve(problem, {}, {1, 1, 1, 1, 1}).objective, -22.0, 1e-9);
}

TEST(Solve, LimitsLeaveABound) {
    const Program problem = market_split(4, 30, 1);
    Limits limits;
    limits.nodes = 200;
    const Solution solution = solve(problem, limits);
    EXPECT_EQ(solution.status, Status::feasible);
    EXPECT_EQ(solution.ended, Ended::nodes);
    EXPECT_LE(solution.bound, solution.objective);
    EXPECT_GE(solution.bound, -1e-6);  // no slack is negative
    EXPECT_TRUE(problem.holds(solution.values, 1e-5));
}

TEST(Solve, TooManyOpenNodesEndTheSearch) {
    const Program problem = market_split(4, 30, 1);
    Limits limits;
    limits.open_nodes = 20;
    const Solution solution = solve(problem, limits);
    EXPECT_EQ(solution.ended, Ended::memory);
    EXPECT_NE(solution.status, Status::optimal);
    EXPECT_LE(solution.bound, solution.objective);
    EXPECT_GE(solution.bound, -1e-6);
}

TEST(Solve, ALimitOfTimeIsKept) {
    Limits limits;
    limits.seconds = 0.2;
    const Solution solution = solve(market_split(5, 40, 2), limits);
    EXPECT_EQ(solution.ended, Ended::time);
}

TEST(Solve, NoTimeAtAllIsNoProof) {
    for (const double seconds : {0.0, 1e-6, 1e-3}) {
        Limits limits;
        limits.seconds = seconds;
        const Solution solution = solve(market_split(3, 24, 6), limits);
        EXPECT_NE(solution.status, Status::infeasible);
        EXPECT_TRUE(solution.status == Status::optimal || solution.ended == Ended::time);
    }
}

TEST(Solve, AnInterruptedSearchSaysSo) {
    StopSource stop;
    stop.request();
    Limits limits;
    limits.stop = &stop;
    EXPECT_EQ(solve(market_split(4, 30, 3), limits).ended, Ended::interrupted);
}

TEST(Solve, PrintsNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Limits limits;
    limits.nodes = 50;
    solve(market_split(4, 30, 4), limits);
    solve(knapsack({1, 2}, {1, 1}, 1));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Solves that save and restore the process's handlers disturb each other: they must not touch them at all.
TEST(Solve, LeavesSignalsAlone) {
    handlers_set = 0;
    solve(knapsack({5, 4, 3}, {2, 3, 1}, 5));
    solve(market_split(2, 12, 1));
    EXPECT_EQ(handlers_set, 0);
}

// CBC's C interface gave wrong answers here; one model per thread does not.
TEST(Solve, ThreadsDoNotDisturbEachOther) {
    std::vector<Program> problems;
    std::vector<Solution> alone;
    for (unsigned seed = 0; seed < 4; ++seed) {
        problems.push_back(market_split(2, 16, seed));
        alone.push_back(solve(problems.back()));
    }
    std::vector<Solution> together(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { together[i] = solve(problems[i]); });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(alone[i].values, together[i].values);
        EXPECT_EQ(alone[i].nodes, together[i].nodes);
    }
}

// Against all 2^n sets.
TEST(Solve, AgreesWithEnumeration) {
    std::mt19937 random(5);
    for (int round = 0; round < 30; ++round) {
        std::vector<double> values, weights;
        for (int i = 0; i < 8; ++i) {
            values.push_back(static_cast<double>(1 + random() % 50));
            weights.push_back(static_cast<double>(1 + random() % 20));
        }
        double best = 0.0;
        for (unsigned set = 0; set < 256; ++set) {
            double value = 0.0;
            double weight = 0.0;
            for (unsigned i = 0; i < 8; ++i) {
                if ((set >> i & 1U) == 0) continue;
                value += values[i];
                weight += weights[i];
            }
            if (weight <= 30.0) best = std::max(best, value);
        }
        EXPECT_NEAR(solve(knapsack(values, weights, 30.0)).objective, -best, 1e-6);
    }
}

}  // namespace
}  // namespace tilewright::mip::solve_test
