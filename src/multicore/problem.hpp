// A cascade on a package, as evaluator and search see it: who makes and reads every tensor, and the words that a box of
// iterations touches.
//
// Rules of plans: docs/packages-of-cores.md. Values; thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "package/package.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::multicore {

struct Span {
    std::int64_t from = 0;
    std::int64_t to = 0;

    std::int64_t size() const { return to > from ? to - from : 0; }
    bool operator==(const Span&) const = default;
};

/// Along each axis or dimension. A box without axes is one word; `is_empty`: one of its spans is.
using Box = std::vector<Span>;

inline std::int64_t words_of(const Box& box) {
    std::int64_t words = 1;
    for (const Span& span : box) words *= span.size();
    return words;
}
inline bool is_empty(const Box& box) {
    return std::ranges::any_of(box, [](const Span& span) { return span.size() == 0; });
}
/// The box around both; an empty one counts for nothing.
Box hull(const Box& a, const Box& b);
Box common(const Box& a, const Box& b);
/// Part `index` of `parts`: parts differ by one at most.
inline Span part_of(const Span& whole, std::int64_t index, std::int64_t parts) {
    return {whole.from + index * whole.size() / parts, whole.from + (index + 1) * whole.size() / parts};
}

struct Reading {
    int operand = 0;
    int tensor = 0;
};

/// An einsum with what it makes and reads. Results all have the same axes.
struct Worker {
    std::vector<int> results;  ///< tensors
    std::vector<int> axes;     ///< dimension along each axis of the results
    std::vector<int> axis_of;  ///< by dimension; -1: summed over
    std::vector<Reading> reads;
};

/// Keeps references to both.
class Problem {
   public:
    /// Requires problem_with() to be "".
    Problem(const Cascade& cascade, const package::Package& package);

    const Cascade& cascade() const { return cascade_; }
    const package::Package& package() const { return package_; }
    int count() const { return cascade_.einsum_count(); }
    const Worker& worker(int einsum) const { return workers_[einsum]; }
    /// Einsum that makes the tensor; -1: none.
    int maker(int tensor) const { return makers_[tensor]; }
    const std::vector<int>& readers(int tensor) const { return readers_[tensor]; }  ///< einsums, ascending
    bool reads(int einsum, int tensor) const;
    bool depends(int reader, int maker) const { return depends_[reader * count() + maker]; }
    /// A reader behind einsum `last` needs the tensor.
    bool is_wanted(int tensor, int last) const { return is_output_[tensor] || last_reader_[tensor] > last; }
    /// The core may run the einsum.
    bool may_run(int einsum, int kind) const { return may_run_[einsum * kinds_ + kind]; }
    std::int64_t extent(int einsum, int dimension) const {
        return cascade_.einsums[einsum].einsum.dimensions[dimension].extent;
    }
    /// Times that it runs: the count of its block.
    std::int64_t repeats(int einsum) const { return repeats_[einsum]; }
    /// Einsums first .. last may be a run: what they make is read inside and nowhere else, but for the last; all of one
    /// block.
    bool may_be_run(int first, int last) const;

    /// The box around the words of `reading`'s tensor that these iterations touch and that exist.
    Box touched(int einsum, const Reading& reading, const Box& points) const;
    /// All iterations behind a box of the result.
    Box points_behind(int einsum, const Box& result) const;
    Box result_of(int einsum, const Box& points) const;
    Box whole_result(int einsum) const;

   private:
    const Cascade& cascade_;
    const package::Package& package_;
    int kinds_ = 0;
    std::vector<Worker> workers_;
    std::vector<int> makers_;
    std::vector<std::vector<int>> readers_;
    std::vector<int> last_reader_;
    std::vector<bool> is_output_;
    std::vector<bool> depends_;
    std::vector<bool> may_run_;
    std::vector<std::int64_t> repeats_;
    std::vector<int> blocks_;
};

/// Why such a cascade is not planned on such a package, in one sentence, or "": an einsum whose results have other axes
/// than its dimensions, a tensor with several writers, an einsum that no core runs.
std::string problem_with(const Cascade& cascade, const package::Package& package);

}  // namespace tilewright::multicore
