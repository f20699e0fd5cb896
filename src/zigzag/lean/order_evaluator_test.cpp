#include "zigzag/lean/order_evaluator.hpp"

#include <gmock/gmock.h>

#include "fixtures/zigzag_problem.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::zigzag::order_evaluator_test {
namespace {

LoopOrder kinds_of(const OrderEvaluator& evaluator, const std::vector<TemporalLoop>& order) {
    LoopOrder kinds;
    for (const TemporalLoop& loop : order)
        kinds.push_back(static_cast<std::uint8_t>(std::find(evaluator.kinds().begin(), evaluator.kinds().end(), loop) -
                                                  evaluator.kinds().begin()));
    return kinds;
}

/// The same with an array computing in memory, whose groups of cells are one to eight weights deep. False where no
/// memory belongs to I2 alone.
bool compute_in_memory(RandomProblem& problem, Random& random) {
    Accelerator& machine = problem.machine;
    if (machine.level_count(MemoryOperand::i2) == 0 || find_operand(problem.layer, MemoryOperand::i2) < 0) return false;
    SharedMemory& cells = machine.memories[machine.levels_of(MemoryOperand::i2)[0]];
    if (cells.operands.size() != 1) return false;
    const bool analog = random.chance(0.5);
    machine.in_memory = InMemoryArray{analog, {8, 8}, std::int64_t{1} << random.below(4), std::nullopt};
    if (analog) machine.in_memory->adc_resolution_bits = 5;
    machine.array[1].size = 8;
    cells.size_bits = 8 << random.below(4);
    cells.served.clear();
    derive(machine);
    problem.unrolling = legal(machine, problem.layer, problem.unrolling);
    problem.fractional = spatial_mapping(machine, problem.layer, problem.unrolling, UnrollRounding::fractional);
    problem.whole = spatial_mapping(machine, problem.layer, problem.unrolling, UnrollRounding::whole);
    if (leaves_no_unit(problem.whole)) return false;
    problem.loops = limited(loop_factors(problem.layer, problem.fractional), 5 + static_cast<int>(random.below(8)));
    return true;
}

TEST(OrderEvaluator, EqualsAllocationAndFullAccountToTheLastBit) {
    Random random(11);
    int fitting = 0;
    int in_memory = 0;
    constexpr int kProblems = 2000;
    for (int i = 0; i < kProblems; ++i) {
        RandomProblem problem = random_problem(random);
        if (i % 4 == 0) in_memory += compute_in_memory(problem, random) ? 1 : 0;
        const OrderEvaluator evaluator = problem.evaluator();
        for (int repeat = 0; repeat < 4; ++repeat) {
            const std::vector<TemporalLoop> order = problem.random_order(random);
            const std::optional<OrderCost> cost = evaluator.cost(kinds_of(evaluator, order));
            const auto allocated = problem.allocated(order);
            ASSERT_EQ(cost.has_value(), std::holds_alternative<UnevenMapping>(allocated)) << "problem " << i;
            if (!cost) continue;
            ++fitting;
            const Result result =
                evaluate(problem.machine, problem.layer, {problem.fractional, problem.whole, problem.unrolling},
                         std::get<UnevenMapping>(allocated));
            ASSERT_EQ(result.refusal, "") << "problem " << i;
            ASSERT_EQ(cost->energy_pj, result.energy_pj()) << "problem " << i;
            ASSERT_EQ(cost->latency_cycles, result.latency.total()) << "problem " << i;
            ASSERT_EQ(evaluator.energy_pj(kinds_of(evaluator, order)), cost->energy_pj);
        }
    }
    EXPECT_GT(fitting, kProblems);
    EXPECT_GT(in_memory, 100);
}

}  // namespace
}  // namespace tilewright::zigzag::order_evaluator_test
