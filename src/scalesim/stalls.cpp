#include "scalesim/stalls.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>

#include "base/numbers/checked.hpp"

namespace tilewright::scalesim {
namespace {

constexpr std::int64_t kNoWord = -1;

// Words of a group's operands: element (row, window) is word rows[row] + window[window]. Overlapping windows share
// words.
struct OperandWords {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> window;

    std::int64_t of(std::int64_t row, std::int64_t element) const { return rows[row] + window[element]; }
};

struct ProductWords {
    OperandWords inputs;   // rows: pixels, row of the image by row
    OperandWords filters;  // rows: filters
};

struct Stalls {
    std::int64_t cycles = 0;  // of the array and its stalls, counted from 0
    std::int64_t stalled = 0;
};

// Load order of an operand's elements, kNoWord where the array exceeds the operand: matrix rows in sequence, or along
// diagonals for a skewed array.
struct LoadOrder {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool diagonal = false;
    std::function<std::int64_t(std::int64_t row, std::int64_t column)> word;

    template <typename Visit>
    void each(const Visit& visit) const {
        if (!diagonal) {
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t column = 0; column < columns; ++column) visit(word(row, column));
            return;
        }
        for (std::int64_t line = 0; line < rows + columns - 1; ++line)
            for (std::int64_t row = std::min(line, rows - 1); row >= std::max<std::int64_t>(0, line - columns + 1);
                 --row)
                visit(word(row, line - row));
    }
};

// A read memory: half serves the array, the other half loads ahead. Words are in a hundred sets; the serving part is a
// window of sets, moved on by the other half at a missing word.
class ReadMemory {
   public:
    ReadMemory(std::int64_t words, std::int64_t words_per_cycle, const LoadOrder& order) {
        const std::int64_t set_words = ceil_div(words, 100);
        const std::int64_t serving = ceil_div(words, 2);
        lay_out(order, set_words);
        serving_sets_ = std::min(sets_, ceil_div(serving, set_words));
        ahead_sets_ = std::min(sets_ - serving_sets_, ceil_div(words - serving, set_words));
        end_ = serving_sets_;
        load_cycles_ = ceil_div(words - serving, words_per_cycle) + 1;
        if (ahead_sets_ == 0) first_of_.clear();
    }

    // Arrival of a word due in `cycle` without a miss. Loads are back to back, however late the array asks: the first
    // is done before cycle 0. A wait counts twice.
    std::int64_t read(std::int64_t word, std::int64_t cycle) {
        if (word == kNoWord || first_of_.empty()) return cycle;
        while (!serves(word)) {
            start_ = (start_ + ahead_sets_) % sets_;
            end_ = (start_ + serving_sets_) % sets_;
            loaded_ = checked_add(loaded_, load_cycles_);
            cycle = loaded_ + std::max<std::int64_t>(0, loaded_ - cycle);
        }
        return cycle;
    }

   private:
    // The sets of a word are sets_of_[first_of_[word]] to sets_of_[first_of_[word + 1] - 1], ascending.
    void lay_out(const LoadOrder& order, std::int64_t set_words) {
        std::int64_t most = -1;
        order.each([&](std::int64_t word) { most = std::max(most, word); });
        std::vector<std::int32_t> last(most + 1, -1);
        first_of_.assign(most + 2, 0);
        const auto each_set = [&](const auto& visit) {
            std::ranges::fill(last, -1);
            std::int64_t held = 0;
            order.each([&](std::int64_t word) {
                if (word == kNoWord) return;
                const auto set = static_cast<std::int32_t>(held++ / set_words);
                if (std::exchange(last[word], set) != set) visit(word, set);
            });
            sets_ = held / set_words + 1;
        };
        each_set([&](std::int64_t word, std::int32_t) { ++first_of_[word + 1]; });
        for (std::int64_t word = 0; word <= most; ++word) first_of_[word + 1] += first_of_[word];
        sets_of_.resize(first_of_.back());
        std::vector<std::int64_t> next(first_of_.begin(), first_of_.end());
        each_set([&](std::int64_t word, std::int32_t set) { sets_of_[next[word]++] = set; });
    }

    bool serves(std::int64_t word) const {
        const auto begin = sets_of_.begin() + first_of_[word];
        const auto end = sets_of_.begin() + first_of_[word + 1];
        const auto within = [&](std::int64_t from, std::int64_t to) {
            const auto found = std::lower_bound(begin, end, from);
            return found != end && *found < to;
        };
        return start_ < end_ ? within(start_, end_) : within(start_, sets_) || within(0, end_);
    }

    std::vector<std::int64_t> first_of_;
    std::vector<std::int32_t> sets_of_;
    std::int64_t sets_ = 1;
    std::int64_t serving_sets_ = 1;
    std::int64_t ahead_sets_ = 0;
    std::int64_t start_ = 0;
    std::int64_t end_ = 0;
    std::int64_t load_cycles_ = 1;
    std::int64_t loaded_ = -1;
};

// The written memory: when half full, half is drained, line by line of the DRAM's width, with the array waiting.
// Half-empty lines count as full except the last of a drain.
class WriteMemory {
   public:
    WriteMemory(std::int64_t words, std::int64_t words_per_cycle)
        : words_(words), half_(words - ceil_div(words, 2)), width_(words_per_cycle), free_(words) {}

    // Acceptance cycle of `count` words arriving in `cycle`.
    std::int64_t take(std::int64_t count, std::int64_t cycle) {
        for (; count > 0; --count) {
            store();
            if (cycle < drained_) {
                if (free_ <= 0) cycle = drained_;
            } else if (free_ < words_ - half_) {
                drained_ = drain(cycle);
            }
        }
        return cycle;
    }

   private:
    void store() {
        --free_;
        if (++filled_ < width_) return;
        lines_.push_back(filled_);
        filled_ = 0;
    }

    // The cycle of the last line.
    std::int64_t drain(std::int64_t cycle) {
        if (filled_ > 0) lines_.push_back(std::exchange(filled_, 0));
        const std::int64_t lines = std::min<std::int64_t>(ceil_div(half_, width_), std::ssize(lines_));
        free_ += (lines - 1) * width_ + lines_[lines - 1];
        lines_.erase(lines_.begin(), lines_.begin() + lines);
        return checked_add(cycle, lines - 1);
    }

    std::int64_t words_;
    std::int64_t half_;
    std::int64_t width_;
    std::int64_t free_;
    std::int64_t filled_ = 0;
    std::int64_t drained_ = 0;
    std::deque<std::int64_t> lines_;
};

// Demand of the array's edges in step `step` of a fold: an index into the fold's lane, or none.
std::int64_t entering(std::int64_t step, std::int64_t lane, std::int64_t prefix, std::int64_t steps) {
    const std::int64_t at = step - lane - prefix;
    return at >= 0 && at < steps ? at : -1;
}

class Counting {
   public:
    Counting(const SystolicArray& array, Stationary stationary, const Product& product, const ProductWords& words,
             const Memories& memories)
        : array_(array),
          stationary_(stationary),
          product_(product),
          words_(words),
          inputs_(memories.ifmap_words, memories.words_per_cycle, input_order()),
          filters_(memories.filter_words, memories.words_per_cycle, filter_order()),
          outputs_(memories.ofmap_words, memories.words_per_cycle) {}

    Stalls run() {
        const bool outputs_stay = stationary_ == Stationary::output;
        const std::int64_t rows = outputs_stay ? product_.pixels : product_.window;
        const std::int64_t columns = stationary_ == Stationary::input ? product_.pixels : product_.filters;
        for (std::int64_t column = 0; column < columns; column += array_.columns)
            for (std::int64_t row = 0; row < rows; row += array_.rows)
                if (outputs_stay)
                    outputs_in_place(row, column);
                else
                    operand_in_place(row, column);
        return stalls_;
    }

   private:
    std::int64_t input(std::int64_t pixel, std::int64_t window) const {
        return pixel < product_.pixels && window < product_.window ? words_.inputs.of(pixel, window) : kNoWord;
    }
    std::int64_t filter(std::int64_t window, std::int64_t filter) const {
        return filter < product_.filters && window < product_.window ? words_.filters.of(filter, window) : kNoWord;
    }

    // Fold by fold, a row per cycle with demand from the array's lanes.
    LoadOrder input_order() const {
        const std::int64_t lanes = stationary_ == Stationary::input ? array_.columns : array_.rows;
        const std::int64_t across = stationary_ == Stationary::weight ? product_.window : product_.pixels;
        const std::int64_t steps = stationary_ == Stationary::weight ? product_.pixels : product_.window;
        const bool pixels_pass = stationary_ == Stationary::weight;
        return {checked_mul(ceil_div(across, lanes), steps), lanes, stationary_ != Stationary::input,
                [this, lanes, steps, pixels_pass](std::int64_t row, std::int64_t column) {
                    const std::int64_t lane = row / steps * lanes + column;
                    return pixels_pass ? input(row % steps, lane) : input(lane, row % steps);
                }};
    }

    LoadOrder filter_order() const {
        const bool filters_pass = stationary_ == Stationary::input;
        const std::int64_t lanes = filters_pass ? array_.rows : array_.columns;
        const std::int64_t across = filters_pass ? product_.window : product_.filters;
        const std::int64_t steps = filters_pass ? product_.filters : product_.window;
        return {checked_mul(ceil_div(across, lanes), steps), lanes, stationary_ != Stationary::weight,
                [this, lanes, steps, filters_pass](std::int64_t row, std::int64_t column) {
                    const std::int64_t lane = row / steps * lanes + column;
                    return filters_pass ? filter(lane, row % steps) : filter(row % steps, lane);
                }};
    }

    void outputs_in_place(std::int64_t first_pixel, std::int64_t first_filter) {
        const std::int64_t pixels = std::min(array_.rows, product_.pixels - first_pixel);
        const std::int64_t filters = std::min(array_.columns, product_.filters - first_filter);
        const std::int64_t steps = product_.window;
        for (std::int64_t step = 0; step < steps + array_.rows + array_.columns - 2; ++step) {
            const std::int64_t now = cycle();
            std::int64_t input_at = now + 1;
            std::int64_t filter_at = now + 1;
            for (std::int64_t lane = 0; lane < pixels; ++lane)
                if (const std::int64_t at = entering(step, lane, 0, steps); at >= 0)
                    input_at = inputs_.read(input(first_pixel + lane, at), input_at);
            for (std::int64_t lane = 0; lane < filters; ++lane)
                if (const std::int64_t at = entering(step, lane, 0, steps); at >= 0)
                    filter_at = filters_.read(filter(at, first_filter + lane), filter_at);
            // The last row of sums leaves first.
            std::int64_t leaving = 0;
            for (std::int64_t lane = 0; lane < filters; ++lane) {
                const std::int64_t at = entering(step, lane, steps - 1, array_.rows);
                leaving += at >= 0 && array_.rows - 1 - at < pixels ? 1 : 0;
            }
            advance(std::max(input_at, filter_at), leaving);
        }
    }

    // The stationary operand is shifted in from its last row on, then the other operand streams.
    void operand_in_place(std::int64_t first_window, std::int64_t first_column) {
        const bool weights_stay = stationary_ == Stationary::weight;
        const std::int64_t held = std::min(array_.rows, product_.window - first_window);
        const std::int64_t columns =
            std::min(array_.columns, (weights_stay ? product_.filters : product_.pixels) - first_column);
        const std::int64_t steps = weights_stay ? product_.pixels : product_.filters;
        for (std::int64_t step = 0; step < 2 * array_.rows + array_.columns + steps - 2; ++step) {
            const std::int64_t now = cycle();
            std::int64_t input_at = now + 1;
            std::int64_t filter_at = now + 1;
            const std::int64_t row = array_.rows - 1 - step;
            for (std::int64_t lane = 0; row >= 0 && row < held && lane < columns; ++lane)
                if (weights_stay)
                    filter_at = filters_.read(filter(first_window + row, first_column + lane), filter_at);
                else
                    input_at = inputs_.read(input(first_column + lane, first_window + row), input_at);
            for (std::int64_t lane = 0; lane < held; ++lane) {
                const std::int64_t at = entering(step, lane, array_.rows, steps);
                if (at < 0) continue;
                if (weights_stay)
                    input_at = inputs_.read(input(at, first_window + lane), input_at);
                else
                    filter_at = filters_.read(filter(first_window + lane, at), filter_at);
            }
            std::int64_t leaving = 0;
            for (std::int64_t lane = 0; lane < columns; ++lane)
                leaving += entering(step, lane, 2 * array_.rows - 1, steps) >= 0 ? 1 : 0;
            advance(std::max(input_at, filter_at), leaving);
        }
    }

    // A word in its memory arrives a cycle after its request; the array waits for later ones.
    std::int64_t cycle() const { return checked_add(step_, stalls_.stalled); }

    void advance(std::int64_t ready, std::int64_t leaving) {
        const std::int64_t now = cycle();
        stalls_.cycles = outputs_.take(leaving, now);
        stalls_.stalled += std::max({std::int64_t{0}, ready - (now + 1), stalls_.cycles - now});
        ++step_;
    }

    SystolicArray array_;
    Stationary stationary_;
    const Product& product_;
    const ProductWords& words_;
    ReadMemory inputs_;
    ReadMemory filters_;
    WriteMemory outputs_;
    std::int64_t step_ = 0;
    Stalls stalls_;
};

// Word number increment per step along each dimension, words numbered row by row.
std::vector<std::int64_t> strides_of(const Einsum& einsum, const Tensor& tensor) {
    std::vector<std::int64_t> strides(einsum.dimensions.size(), 0);
    std::int64_t words = 1;
    for (const Rank& rank : tensor.ranks | std::views::reverse) {
        std::int64_t extent = 1;
        for (const Term& term : rank.terms) {
            const std::int64_t step = std::abs(term.coefficient);
            strides[term.dimension] = checked_add(strides[term.dimension], checked_mul(step, words));
            extent = checked_add(extent, checked_mul(step, einsum.dimensions[term.dimension].extent - 1));
        }
        words = checked_mul(words, extent);
    }
    return strides;
}

// Word numbers of all steps along `dimensions`, the last one fastest.
std::vector<std::int64_t> offsets(const Einsum& einsum, const std::vector<std::int64_t>& strides,
                                  const std::vector<int>& dimensions) {
    std::vector<std::int64_t> all{0};
    for (const int dimension : dimensions) {
        std::vector<std::int64_t> next;
        for (const std::int64_t base : all)
            for (std::int64_t at = 0; at < einsum.dimensions[dimension].extent; ++at)
                next.push_back(base + at * strides[dimension]);
        all = std::move(next);
    }
    return all;
}

// The dimensions of `tensor`, in rank order, in `with` and not in `without`.
std::vector<int> dimensions_of(const Tensor& tensor, const Tensor& with, const Tensor& without) {
    std::vector<int> dimensions;
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (is_relevant(with, term.dimension) && !is_relevant(without, term.dimension) &&
                std::ranges::find(dimensions, term.dimension) == dimensions.end())
                dimensions.push_back(term.dimension);
    return dimensions;
}

ProductWords words_of(const Einsum& einsum) {
    const ProductTensors at = product_tensors(einsum).value();
    const Tensor& inputs = einsum.tensors[at.inputs];
    const Tensor& filters = einsum.tensors[at.filters];
    const Tensor& result = einsum.tensors[at.result];
    // A window is read row by row, all channels of a place first: Weights[G, C, K, R, S] has them in the reverse order.
    std::vector<int> window = dimensions_of(filters, inputs, result);
    std::ranges::reverse(window);
    const std::vector<std::int64_t> of_inputs = strides_of(einsum, inputs);
    const std::vector<std::int64_t> of_filters = strides_of(einsum, filters);
    return {{offsets(einsum, of_inputs, dimensions_of(result, inputs, filters)), offsets(einsum, of_inputs, window)},
            {offsets(einsum, of_filters, dimensions_of(result, filters, inputs)), offsets(einsum, of_filters, window)}};
}

}  // namespace

std::optional<SystolicRun> run_on(const SystolicArray& array, Stationary stationary, const Einsum& einsum,
                                  const Memories& memories) {
    const auto product = std::get<Product>(product_of(einsum));
    if (checked_mul(product.window, std::max(product.pixels, product.filters)) > kMostElements) return std::nullopt;
    const ProductWords words = words_of(einsum);
    const Stalls stalls = Counting(array, stationary, product, words, memories).run();
    SystolicRun run = run_on(array, stationary, product);
    const std::int64_t cycles = checked_mul(product.groups, stalls.cycles);
    if (cycles > 0) run.utilization *= static_cast<double>(run.cycles) / static_cast<double>(cycles);
    run.cycles = cycles;
    run.stalled = checked_mul(product.groups, stalls.stalled);
    return run;
}

}  // namespace tilewright::scalesim
