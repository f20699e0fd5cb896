#include "scalesim/stalls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <variant>
#include <vector>

#include "base/numbers/random.hpp"
#include "workload/shapes.hpp"

namespace tilewright::scalesim::stalls_test {
namespace {

// SCALE-Sim's own tests: 256 x 256 by 256 x 128 on 32 x 32, memories of 64 KiB, 10 words a cycle
// (scalesim-project/scale-sim-v2 and v3, test/general/golden_trace_user_*/COMPUTE_REPORT.csv).
TEST(ScaleSimStalls, AreThoseRecorded) {
    const Memories memories{65536, 65536, 65536, 10};
    const auto check = [&](Stationary stationary, std::int64_t cycles, std::int64_t stalled,
                           double utilization_percent) {
        const SystolicRun run = run_on({32, 32}, stationary, gemm(256, 256, 128), memories).value();
        EXPECT_EQ(run.cycles, cycles) << name_of(stationary);
        EXPECT_EQ(run.stalled, stalled) << name_of(stationary);
        EXPECT_NEAR(100.0 * run.utilization, utilization_percent, 1e-9) << name_of(stationary);
    };
    check(Stationary::output, 52447, 42272, 15.619577859553454);
    check(Stationary::weight, 52447, 41248, 15.619577859553454);
    check(Stationary::input, 19984, 5777, 40.99279423538831);
}

// An independent model of the same memories: whole matrices of requests, sets of words, one line a cycle.
using Line = std::vector<int>;
using Lines = std::vector<Line>;
constexpr int kNone = -1;

Lines skewed(const Lines& lines) {
    const int lanes = static_cast<int>(lines[0].size());
    Lines all(lines.size() + lanes - 1, Line(lanes, kNone));
    for (std::size_t row = 0; row < lines.size(); ++row)
        for (int lane = 0; lane < lanes; ++lane) all[row + lane][lane] = lines[row][lane];
    return all;
}

Lines empty_lines(int rows, int lanes) { return Lines(rows, Line(lanes, kNone)); }

void append(Lines& to, const Lines& more) { to.insert(to.end(), more.begin(), more.end()); }

// Rows and columns from a corner on, padded with nothing.
Lines block(const Lines& matrix, int row, int rows, int column, int columns) {
    Lines part = empty_lines(rows, columns);
    for (int i = 0; i < rows && row + i < std::ssize(matrix); ++i)
        for (int j = 0; j < columns && column + j < std::ssize(matrix[0]); ++j)
            part[i][j] = matrix[row + i][column + j];
    return part;
}

Lines transposed(const Lines& matrix) {
    Lines other(matrix[0].size(), Line(matrix.size()));
    for (std::size_t i = 0; i < matrix.size(); ++i)
        for (std::size_t j = 0; j < matrix[0].size(); ++j) other[j][i] = matrix[i][j];
    return other;
}

Lines reversed(Lines lines) {
    std::ranges::reverse(lines);
    return lines;
}

// The columns of `matrix`, `lanes` at a time, below each other.
Lines strips(const Lines& matrix, int lanes) {
    Lines all;
    for (int column = 0; column < std::ssize(matrix[0]); column += lanes)
        append(all, block(matrix, 0, static_cast<int>(matrix.size()), column, lanes));
    return all;
}

Line in_order(const Lines& lines) {
    Line all;
    for (const Line& line : lines) all.insert(all.end(), line.begin(), line.end());
    return all;
}

// A line of a skewed matrix is a diagonal, its lowest row first.
Line along_diagonals(const Lines& lines) { return in_order(skewed(lines)); }

struct Demands {
    Lines inputs;
    Lines filters;
    Lines outputs;
    Line input_loads;
    Line filter_loads;
};

// inputs: pixels x window, filters: window x filters.
Demands outputs_stay(const SystolicArray& array, const Lines& inputs, const Lines& filters, const Lines& outputs) {
    const int rows = static_cast<int>(array.rows);
    const int columns = static_cast<int>(array.columns);
    const int steps = static_cast<int>(filters.size());
    Demands all;
    for (int filter = 0; filter < std::ssize(filters[0]); filter += columns)
        for (int pixel = 0; pixel < std::ssize(inputs); pixel += rows) {
            Lines in = block(transposed(inputs), 0, steps, pixel, rows);
            append(in, empty_lines(columns - 1, rows));
            append(all.inputs, skewed(in));
            Lines weights = block(filters, 0, steps, filter, columns);
            append(weights, empty_lines(rows - 1, columns));
            append(all.filters, skewed(weights));
            Lines out = empty_lines(steps - 1, columns);
            append(out, reversed(block(outputs, pixel, rows, filter, columns)));
            append(all.outputs, skewed(out));
        }
    all.input_loads = along_diagonals(strips(transposed(inputs), rows));
    all.filter_loads = along_diagonals(strips(filters, columns));
    return all;
}

// held: window x columns, passing (`inputs`): steps x window, outputs: steps x columns.
Demands held_stays(const SystolicArray& array, const Lines& held, const Lines& passing, const Lines& outputs) {
    const int rows = static_cast<int>(array.rows);
    const int columns = static_cast<int>(array.columns);
    const int steps = static_cast<int>(passing.size());
    Demands all;
    for (int column = 0; column < std::ssize(held[0]); column += columns)
        for (int row = 0; row < std::ssize(held); row += rows) {
            append(all.filters, reversed(block(held, row, rows, column, columns)));
            append(all.filters, empty_lines(rows + columns + steps - 2, columns));
            Lines in = empty_lines(rows, rows);
            append(in, block(passing, 0, steps, row, rows));
            append(in, empty_lines(columns - 1, rows));
            append(all.inputs, skewed(in));
            Lines out = empty_lines(2 * rows - 1, columns);
            append(out, block(outputs, 0, steps, column, columns));
            append(all.outputs, skewed(out));
        }
    all.input_loads = along_diagonals(strips(passing, rows));
    all.filter_loads = in_order(strips(held, columns));
    return all;
}

struct Reader {
    Reader(std::int64_t words, std::int64_t width, const Line& loads) : loading((words / 2 + width - 1) / width + 1) {
        const std::int64_t in_set = (words + 99) / 100;
        sets.emplace_back();
        std::int64_t held = 0;
        for (const int word : loads) {
            if (word == kNone) continue;
            sets.back().insert(word);
            if (++held % in_set == 0) sets.emplace_back();
        }
        const std::int64_t half = words - words / 2;
        for (std::int64_t set = 0; set < std::ssize(sets); ++set)
            (set < (half + in_set - 1) / in_set ? serving : waiting).push_back(set);
        ahead = std::min<std::int64_t>(std::ssize(waiting), (words / 2 + in_set - 1) / in_set);
    }

    // The window of sets moves along the ring of all sets.
    std::int64_t read(int word, std::int64_t at) {
        while (std::ranges::none_of(serving, [&](std::int64_t set) { return sets[set].contains(word); })) {
            const auto size = std::ssize(sets);
            for (std::int64_t& set : serving) set = (set + ahead) % size;
            loaded += loading;
            at = loaded > at ? loaded + (loaded - at) : loaded;
        }
        return at;
    }

    std::vector<std::set<int>> sets;
    std::deque<std::int64_t> serving;
    std::deque<std::int64_t> waiting;
    std::int64_t ahead = 0;
    std::int64_t loading;
    std::int64_t loaded = -1;
};

struct Writer {
    std::int64_t write(std::int64_t now) {
        if (lines.empty() || closed || lines.back() == width) lines.push_back(0);
        closed = false;
        ++lines.back();
        --free;
        if (now < drained) return free > 0 ? now : drained;
        if (free >= words - words / 2) return now;
        closed = true;
        const std::int64_t most = (words / 2 + width - 1) / width;
        const std::int64_t count = std::min<std::int64_t>(most, std::ssize(lines));
        free += width * (count - 1) + lines[count - 1];
        lines.erase(lines.begin(), lines.begin() + count);
        drained = now + count - 1;
        return now;
    }

    std::int64_t words;
    std::int64_t width;
    std::int64_t free = words;
    std::int64_t drained = 0;
    std::deque<std::int64_t> lines = {};
    bool closed = false;
};

std::pair<std::int64_t, std::int64_t> walked(const Demands& demands, std::int64_t input_words,
                                             std::int64_t filter_words, std::int64_t output_words, std::int64_t width) {
    Reader inputs(input_words, width, demands.input_loads);
    Reader filters(filter_words, width, demands.filter_loads);
    Writer outputs{output_words, width};
    std::int64_t stalls = 0;
    std::int64_t last = 0;
    EXPECT_EQ(demands.inputs.size(), demands.outputs.size());
    EXPECT_EQ(demands.filters.size(), demands.outputs.size());
    for (std::int64_t line = 0; line < std::ssize(demands.outputs); ++line) {
        const std::int64_t now = line + stalls;
        std::int64_t input = now + 1;
        std::int64_t filter = now + 1;
        last = now;
        for (const int word : demands.inputs[line])
            if (word != kNone) input = inputs.read(word, input);
        for (const int word : demands.filters[line])
            if (word != kNone) filter = filters.read(word, filter);
        for (const int word : demands.outputs[line])
            if (word != kNone) last = outputs.write(last);
        stalls += std::max<std::int64_t>({0, input - now - 1, filter - now - 1, last - now});
    }
    return {last, stalls};
}

struct Layer {
    int channels;
    int size;  // of the square image, whole windows only
    int kernel;
    int stride;
    int filters;

    int outputs() const { return (size - kernel) / stride + 1; }

    // pixels x window: numbers of words, channels of a place beside each other.
    Lines inputs() const {
        Lines all;
        for (int row = 0; row < outputs(); ++row)
            for (int column = 0; column < outputs(); ++column) {
                all.emplace_back();
                for (int y = 0; y < kernel; ++y)
                    for (int x = 0; x < kernel; ++x)
                        for (int channel = 0; channel < channels; ++channel)
                            all.back().push_back(((row * stride + y) * size + column * stride + x) * channels +
                                                 channel);
            }
        return all;
    }

    Lines numbered(int rows, int columns) const {
        Lines all = empty_lines(rows, columns);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) all[row][column] = column * rows + row;
        return all;
    }
};

TEST(ScaleSimStalls, AreThoseOfRequestsInMatrices) {
    Random random(11);
    int stalled = 0;
    for (int i = 0; i < 300; ++i) {
        const SystolicArray array{random.between(1, 5), random.between(1, 5)};
        const int kernel = static_cast<int>(random.between(1, 3));
        const int stride = static_cast<int>(random.between(1, 2));
        const int outputs = static_cast<int>(random.between(1, 5));
        const Layer layer{static_cast<int>(random.between(1, 4)), (outputs - 1) * stride + kernel, kernel, stride,
                          static_cast<int>(random.between(1, 9))};
        const Memories memories{random.between(2, 300), random.between(2, 300), random.between(2, 60),
                                random.between(1, 6)};
        const Lines inputs = layer.inputs();
        const Lines filters = layer.numbered(static_cast<int>(inputs[0].size()), layer.filters);
        const Lines results = layer.numbered(static_cast<int>(inputs.size()), layer.filters);
        const Einsum einsum = conv2d(layer.channels, layer.filters, outputs, kernel, stride);
        const auto check = [&](Stationary stationary, const std::pair<std::int64_t, std::int64_t>& expected) {
            const SystolicRun run = run_on(array, stationary, einsum, memories).value();
            EXPECT_EQ(std::pair(run.cycles, run.stalled), expected) << "case " << i << " " << name_of(stationary);
            stalled += run.stalled > 0 ? 1 : 0;
        };
        const auto& [in, weights, out, width] = memories;
        check(Stationary::output, walked(outputs_stay(array, inputs, filters, results), in, weights, out, width));
        check(Stationary::weight, walked(held_stays(array, filters, inputs, results), in, weights, out, width));
        check(Stationary::input, walked(held_stays(array, transposed(inputs), transposed(filters), transposed(results)),
                                        weights, in, out, width));
    }
    EXPECT_GT(stalled, 300);
}

TEST(ScaleSimStalls, FastMemoriesMakeNone) {
    const Memories memories{1 << 20, 1 << 20, 1 << 20, 1000};
    for (const Stationary stationary : kStationaries) {
        const Einsum einsum = depthwise(8, 10, 3);
        const SystolicRun run = run_on({4, 4}, stationary, einsum, memories).value();
        const SystolicRun expected = run_on({4, 4}, stationary, std::get<Product>(product_of(einsum)));
        EXPECT_EQ(run.cycles, expected.cycles);
        EXPECT_EQ(run.stalled, 0);
    }
}

TEST(ScaleSimStalls, LargeOperandsAreNotCounted) {
    EXPECT_FALSE(run_on({4, 4}, Stationary::weight, gemm(1 << 14, 1 << 14, 1), Memories{}));
}

}  // namespace
}  // namespace tilewright::scalesim::stalls_test
