// Prices of words beyond a memory's price of a row: on machines with sparse optimisations some words are left out, some
// are gated, and others carry metadata (made by model/sparse/word_prices.hpp).
//
// Numbers by memory and tensor, immutable once made: threads may share them.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "arch/architecture.hpp"
#include "model/exact/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::lean {

/// Rounding excess of a double is no row, word or cycle.
inline constexpr double kNoMore = 1.0 - 1e-12;

struct PriceTerm {
    double rows_per_word = 0.0;
    double pj = 0.0;     ///< of a row
    bool whole = false;  ///< parts of rows cost as much as rows
};

/// Price of a number of words. Never falls as words grow.
struct Price {
    std::array<PriceTerm, 6> terms;
    std::size_t count = 0;

    /// Free terms are left out. No more than six.
    void add(const PriceTerm& term) {
        if (term.rows_per_word > 0.0 && term.pj > 0.0) terms[count++] = term;
    }
    double pj(double words) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const double rows = words * terms[i].rows_per_word;
            sum += (terms[i].whole ? fast_ceil(rows * kNoMore) : rows) * terms[i].pj;
        }
        return sum;
    }
    /// Never more than pj() of each word.
    double per_word() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += terms[i].rows_per_word * terms[i].pj;
        return sum;
    }
    /// Upper bound of pj() above that.
    double pj_of_rows() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += terms[i].whole ? terms[i].pj : 0.0;
        return sum;
    }
};

/// One tensor at one memory, by the words of a dense tensor.
struct TensorPrices {
    Price read;
    Price fill;
    Price update;
    double read_moved = 1.0;    ///< words of the memory's bandwidth taken by a word
    double read_written = 0.0;  ///< likewise, of the bandwidth of writes
    double fill_moved = 1.0;
    double update_moved = 1.0;
    double held = 1.0;  ///< share of a tile's words that needs room; whole words
    double most_held = std::numeric_limits<double>::infinity();
    bool holds_whole_words = true;  ///< a part of a word takes the room of one
    double on_link = 1.0;           ///< share of the words on the inner link

    double pj(const Accesses& accesses) const {
        return read.pj(accesses.reads) + fill.pj(accesses.fills) + update.pj(accesses.updates);
    }
    /// On the memory's bandwidth; a word of the tensor takes `word` of it in a time step.
    Demand demand(const Accesses& accesses, double word) const {
        const double written =
            accesses.fills * fill_moved + accesses.updates * update_moved + accesses.reads * read_written;
        return {fast_ceil(accesses.reads * read_moved * kNoMore) * word, fast_ceil(written * kNoMore) * word};
    }
    double words_held(double words) const {
        const double rounded = holds_whole_words ? fast_ceil(words * held * kNoMore) : words * held * kNoMore;
        return rounded < most_held ? rounded : most_held;
    }
};

struct Prices {
    std::vector<std::array<TensorPrices, kMaxTensors>> memories;  ///< outermost first
    double compute_pj = 0.0;                                      ///< of an operation
    double busy = 1.0;  ///< share of the time steps that take a cycle; 0: time is unknown
};

/// Prices of words from the memory's own prices.
TensorPrices prices_of_words(const Memory& memory, const Tensor& tensor);

}  // namespace tilewright::lean
