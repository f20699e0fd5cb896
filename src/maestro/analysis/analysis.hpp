// The exact analysis of a dataflow by closed forms; oracle/ walks every step and is its judge.
//
// All steps in which the same map moves on and the tiles have the same sizes are one case; cases are counted, not
// visited. docs/maestro.md has the rules and the derivation.
#pragma once

#include <memory>
#include <optional>

#include "maestro/analysis/counts.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

/// Why closed forms do not cover a dataflow, in words; "" when they do: a filter that moves apart from the image, two
/// spatial maps of one level that fold, image offsets that are no whole strides. Levels deeper than 8 or with more than
/// 12 maps are not covered either.
std::string not_covered(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// Requires levels that levels_of() completed for this problem. Nothing when closed forms do not cover them. Throws
/// OverflowError.
std::optional<Counts> analyze(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// What a search needs of the top level.
struct Estimate {
    std::int64_t runtime_cycles = 0;
    std::int64_t operations = 0;
    std::int64_t input_words = 0;  ///< sent by L2, multicast
    std::int64_t filter_words = 0;
    std::int64_t output_words = 0;  ///< collected by L2 when the array keeps results that do not change

    bool operator==(const Estimate&) const = default;
};

/// A dataflow of a layer made ready for many evaluations that differ in sizes, offsets, cluster sizes and hardware.
/// Not thread-safe: one per thread. The structure (which maps, in which order, at which level) stays.
class Plan {
   public:
    Plan(CompleteLayer problem, std::vector<Level> levels);
    ~Plan();
    Plan(Plan&&) noexcept;
    Plan& operator=(Plan&&) noexcept;

    const std::vector<Level>& levels() const;
    /// Maps below that inherit this one change with it. Requires values of at least 1.
    void set_map(std::size_t level, std::size_t map, std::int64_t size, std::int64_t offset);
    void set_clusters(std::size_t level, std::int64_t clusters);

    /// The same numbers as analyze(); nothing where it gives none. Does not allocate once it has run with sizes like
    /// these. Throws OverflowError.
    std::optional<Estimate> evaluate(const Hardware& hardware);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tilewright::dataflow
