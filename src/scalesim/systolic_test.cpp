#include "scalesim/systolic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/numbers/random.hpp"
#include "workload/shapes.hpp"

namespace tilewright::scalesim::systolic_test {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Matrix random_matrix(Random& random, std::int64_t rows, std::int64_t columns) {
    Matrix matrix(rows, std::vector<std::int64_t>(columns));
    for (auto& row : matrix)
        for (std::int64_t& value : row) value = random.between(-9, 9);
    return matrix;
}

std::int64_t at(const Matrix& matrix, std::int64_t row, std::int64_t column) {
    const bool inside = row >= 0 && column >= 0 && row < static_cast<std::int64_t>(matrix.size()) &&
                        column < static_cast<std::int64_t>(matrix[0].size());
    return inside ? matrix[row][column] : 0;
}

// A value passing through the array, with its identity: -1, none.
struct Word {
    std::int64_t value = 0;
    std::int64_t step = -1;
};

using Wires = std::vector<std::vector<Word>>;

Wires wires(const SystolicArray& array) { return Wires(array.rows, std::vector<Word>(array.columns)); }

// Every unit passes its words to the right; the left edge gets new ones.
void shift_right(Wires& at, const std::vector<Word>& edge) {
    for (std::size_t row = 0; row < at.size(); ++row) {
        std::rotate(at[row].rbegin(), at[row].rbegin() + 1, at[row].rend());
        at[row][0] = edge[row];
    }
}

void shift_down(Wires& at, const std::vector<Word>& edge) {
    std::rotate(at.rbegin(), at.rbegin() + 1, at.rend());
    at[0] = edge;
}

// The word entering lane `lane` in cycle `cycle`, each lane a cycle behind the previous one.
Word skewed(std::int64_t cycle, std::int64_t lane, std::int64_t steps, std::int64_t value) {
    const std::int64_t step = cycle - lane;
    return step >= 0 && step < steps ? Word{value, step} : Word{};
}

// One output-stationary fold: rows of `left` enter at the left, columns of `top` at the top. Adds the products into
// `sums`; returns the cycles until the last unit is done.
std::int64_t output_stationary(const SystolicArray& array, const Matrix& left, const Matrix& top, std::int64_t steps,
                               Matrix& sums) {
    Wires from_left = wires(array);
    Wires from_top = wires(array);
    for (std::int64_t cycle = 0;; ++cycle) {
        std::vector<Word> left_edge;
        std::vector<Word> top_edge;
        for (std::int64_t row = 0; row < array.rows; ++row)
            left_edge.push_back(skewed(cycle, row, steps, at(left, row, cycle - row)));
        for (std::int64_t column = 0; column < array.columns; ++column)
            top_edge.push_back(skewed(cycle, column, steps, at(top, cycle - column, column)));
        shift_right(from_left, left_edge);
        shift_down(from_top, top_edge);
        for (std::int64_t row = 0; row < array.rows; ++row)
            for (std::int64_t column = 0; column < array.columns; ++column) {
                EXPECT_EQ(from_left[row][column].step, from_top[row][column].step);
                sums[row][column] += from_left[row][column].value * from_top[row][column].value;
            }
        if (from_left.back().back().step == steps - 1) return cycle + 1;
    }
}

// One fold with `held` stationary, shifted in from the top: rows of `stream` enter at the left, sums move down and
// leave at the bottom.
std::int64_t operand_stationary(const SystolicArray& array, const Matrix& held, const Matrix& stream,
                                std::int64_t steps, Matrix& sums) {
    std::int64_t cycles = 0;
    Wires place = wires(array);
    for (std::int64_t row = array.rows - 1; row >= 0; --row, ++cycles) {
        std::vector<Word> edge;
        for (std::int64_t column = 0; column < array.columns; ++column) edge.push_back({at(held, row, column), row});
        shift_down(place, edge);
    }
    Wires passing = wires(array);
    Wires partial = wires(array);
    for (std::int64_t cycle = 0;; ++cycle) {
        std::vector<Word> edge;
        for (std::int64_t row = 0; row < array.rows; ++row)
            edge.push_back(skewed(cycle, row, steps, at(stream, row, cycle - row)));
        shift_right(passing, edge);
        shift_down(partial, std::vector<Word>(array.columns));
        for (std::int64_t row = 0; row < array.rows; ++row)
            for (std::int64_t column = 0; column < array.columns; ++column) {
                const Word& word = passing[row][column];
                if (word.step >= 0 && row > 0) {
                    EXPECT_EQ(partial[row][column].step, word.step);
                }
                partial[row][column].value += word.value * place[row][column].value;
                partial[row][column].step = word.step;
            }
        for (std::int64_t column = 0; column < array.columns; ++column)
            if (const Word& done = partial.back()[column]; done.step >= 0) sums[done.step][column] += done.value;
        if (partial.back().back().step == steps - 1) return cycles + cycle + 1;
    }
}

Matrix part_of(const Matrix& matrix, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    Matrix part(rows, std::vector<std::int64_t>(columns));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) part[i][j] = at(matrix, row + i, column + j);
    return part;
}

Matrix transposed(const Matrix& matrix) {
    Matrix other(matrix[0].size(), std::vector<std::int64_t>(matrix.size()));
    for (std::size_t i = 0; i < matrix.size(); ++i)
        for (std::size_t j = 0; j < matrix[0].size(); ++j) other[j][i] = matrix[i][j];
    return other;
}

void add(Matrix& to, std::int64_t row, std::int64_t column, const Matrix& part) {
    for (std::size_t i = 0; i < part.size(); ++i)
        for (std::size_t j = 0; j < part[0].size(); ++j)
            if (row + i < to.size() && column + j < to[0].size()) to[row + i][column + j] += part[i][j];
}

struct Stepped {
    Matrix result;
    std::int64_t cycles = 0;
};

Stepped step_outputs(const SystolicArray& array, const Matrix& inputs, const Matrix& filters) {
    const auto steps = static_cast<std::int64_t>(filters.size());
    Stepped stepped{Matrix(inputs.size(), std::vector<std::int64_t>(filters[0].size()))};
    for (std::int64_t row = 0; row < std::ssize(inputs); row += array.rows)
        for (std::int64_t column = 0; column < std::ssize(filters[0]); column += array.columns) {
            Matrix sums(array.rows, std::vector<std::int64_t>(array.columns));
            stepped.cycles += output_stationary(array, part_of(inputs, row, array.rows, 0, steps),
                                                part_of(filters, 0, steps, column, array.columns), steps, sums);
            add(stepped.result, row, column, sums);
        }
    return stepped;
}

// `held` [K x columns] in place, `stream` [steps x K] passing: [steps x columns].
Stepped step_held(const SystolicArray& array, const Matrix& held, const Matrix& stream) {
    const std::int64_t steps = std::ssize(stream);
    Stepped stepped{Matrix(stream.size(), std::vector<std::int64_t>(held[0].size()))};
    for (std::int64_t row = 0; row < std::ssize(held); row += array.rows)
        for (std::int64_t column = 0; column < std::ssize(held[0]); column += array.columns) {
            Matrix sums(steps, std::vector<std::int64_t>(array.columns));
            const Matrix passing = transposed(part_of(stream, 0, steps, row, array.rows));
            stepped.cycles +=
                operand_stationary(array, part_of(held, row, array.rows, column, array.columns), passing, steps, sums);
            add(stepped.result, 0, column, sums);
        }
    return stepped;
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result(a.size(), std::vector<std::int64_t>(b[0].size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b[0].size(); ++j)
            for (std::size_t k = 0; k < b.size(); ++k) result[i][j] += a[i][k] * b[k][j];
    return result;
}

// The stepped array computes the product, in the closed form's time.
TEST(ScaleSim, CyclesAreThoseOfTheArrayStepByStep) {
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        const SystolicArray array{random.between(1, 5), random.between(1, 5)};
        const Product shape{random.between(1, 9), random.between(1, 9), random.between(1, 9), 1};
        const Matrix inputs = random_matrix(random, shape.pixels, shape.window);
        const Matrix filters = random_matrix(random, shape.window, shape.filters);
        const Matrix expected = product(inputs, filters);
        const Stepped outputs = step_outputs(array, inputs, filters);
        EXPECT_EQ(outputs.result, expected);
        EXPECT_EQ(run_on(array, Stationary::output, shape).cycles, outputs.cycles - 1);
        const Stepped weights = step_held(array, filters, inputs);
        EXPECT_EQ(weights.result, expected);
        EXPECT_EQ(run_on(array, Stationary::weight, shape).cycles, weights.cycles - 1);
        const Stepped pixels = step_held(array, transposed(inputs), transposed(filters));
        EXPECT_EQ(transposed(pixels.result), expected);
        EXPECT_EQ(run_on(array, Stationary::input, shape).cycles, pixels.cycles - 1);
    }
}

// SCALE-Sim's reported cycles and percentages (its COMPUTE_REPORT.csv), in public repositories.
TEST(ScaleSim, CyclesAreThoseRecorded) {
    struct Recorded {
        SystolicArray array;
        Stationary stationary;
        Product product;
        std::int64_t cycles;
        double utilization_percent;
    };
    const SystolicArray tpu{128, 128};
    const std::vector<Recorded> all{
        {tpu, Stationary::input, {128, 128, 128}, 509, 25.147347740667975},
        {tpu, Stationary::input, {128, 128, 1024}, 4079, 25.10419220397156},
        {tpu, Stationary::input, {128, 256, 128}, 637, 40.1883830455259},
        {tpu, Stationary::input, {128, 1024, 1024}, 11247, 72.83720103138614},
        {tpu, Stationary::input, {256, 384, 512}, 6127, 50.13873021054349},
        {tpu, Stationary::input, {512, 1024, 1024}, 44991, 72.8323442466271},
        {{4, 4}, Stationary::weight, {48 * 48, 8, 27}, 32395, 96.01481710140453},
    };
    for (const Recorded& one : all) {
        const SystolicRun run = run_on(one.array, one.stationary, one.product);
        EXPECT_EQ(run.cycles, one.cycles);
        EXPECT_NEAR(100.0 * run.utilization, one.utilization_percent, 1e-9);
    }
    EXPECT_NEAR(run_on({4, 4}, Stationary::weight, {48 * 48, 8, 27}).mapping_efficiency, 0.9642857142857143, 1e-12);
}

TEST(ScaleSim, LayersAreProducts) {
    EXPECT_EQ(std::get<Product>(product_of(conv2d(3, 64, 55, 11, 4))), (Product{55 * 55, 64, 3 * 11 * 11, 1}));
    EXPECT_EQ(std::get<Product>(product_of(gemm(5, 6, 7))), (Product{5, 7, 6, 1}));
    EXPECT_EQ(std::get<Product>(product_of(depthwise(32, 10, 3))), (Product{100, 1, 9, 32}));
    EXPECT_EQ(std::get<Product>(product_of(batched_matmul(4, 5, 6, 7))), (Product{5, 7, 6, 4}));
}

TEST(ScaleSim, GroupsAreRunsOfTheirOwn) {
    const SystolicArray array{4, 4};
    const std::int64_t one = run_on(array, Stationary::weight, {100, 1, 9, 1}).cycles;
    EXPECT_EQ(run_on(array, Stationary::weight, {100, 1, 9, 32}).cycles, 32 * one);
}

}  // namespace
}  // namespace tilewright::scalesim::systolic_test
