// Exact closed-form analysis of a dataflow; its judge, walk/, visits every step.
//
// Steps with the same advancing map and the same tile sizes form one case; cases are counted, not visited. Rules and
// derivation: docs/maestro.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "maestro/analysis/delivery.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

/// Reason why closed forms do not cover a dataflow, or "": a filter moving apart from the image, two folding spatial
/// maps of one level, image offsets of fractional strides, more than 8 levels or 12 maps.
std::string not_covered(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// Requires levels completed by levels_of() for this problem. Empty beyond the closed forms. Throws OverflowError.
std::optional<Counts> analyze(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// A search's figures of the top level.
struct Estimate {
    std::int64_t runtime_cycles = 0;
    std::int64_t operations = 0;
    std::int64_t input_words = 0;  ///< sent by L2, multicast
    std::int64_t filter_words = 0;
    std::int64_t output_words = 0;  ///< collected by L2 if the array keeps stationary results

    bool operator==(const Estimate&) const = default;
};

/// A layer's dataflow prepared for many evaluations with different sizes, offsets, cluster sizes and hardware; the
/// structure (maps, order, levels) is fixed. Not thread-safe: one per thread.
class Plan {
   public:
    Plan(CompleteLayer problem, std::vector<Level> levels);
    ~Plan();
    Plan(Plan&&) noexcept;
    Plan& operator=(Plan&&) noexcept;

    const std::vector<Level>& levels() const;
    /// Inheriting maps below change too. Requires values of at least 1.
    void set_map(std::size_t level, std::size_t map, std::int64_t size, std::int64_t offset);
    void set_clusters(std::size_t level, std::int64_t clusters);

    /// The numbers of analyze(), or empty likewise. No allocation after a run of similar sizes. Throws OverflowError.
    std::optional<Estimate> evaluate(const Hardware& hardware);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Legality of a dataflow: bound, coverage, no redundancy (MAESTRO, section 3.3), directive by directive.
//
// Image rows and columns are judged by their tiles' outputs. Rows skipped by a stride, or behind the window's last
// position, are no lack of coverage: dropping them is the purpose of stride and dilation.

enum class Condition : std::uint8_t { bound, coverage, redundancy };

/// "bound", "coverage", "redundancy"
std::string_view name_of(Condition condition);

struct Finding {
    Condition condition = Condition::bound;
    std::size_t level = 0;
    std::string text;  ///< "SpatialMap(3,1) K: ..."
    Location where;    ///< of the directive in its file
};

/// Violations of completed levels, level by level; empty: every multiply-accumulate is done exactly once.
std::vector<Finding> findings(const CompleteLayer& problem, const std::vector<Level>& levels);

}  // namespace tilewright::dataflow
