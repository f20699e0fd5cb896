// The front of fused mappings in energy and cycles as it is found: mappings of which none beats another in both, and
// proven lines under which none lies.
#pragma once

#include <optional>
#include <vector>

#include "fusion/cost/lines.hpp"
#include "fusion/optimize.hpp"

namespace tilewright::fusion {

class Front {
   public:
    explicit Front(double tolerance) : tolerance_(tolerance) {}

    /// Unless a mapping of the front is as good in both.
    void offer(const Mapped& one);
    void prove(Line line);

    bool empty() const { return points_.empty(); }
    bool has_lines() const { return lines_.has_value(); }
    /// Floors, from which the lines begin.
    void begin(Lines floors) { lines_ = std::move(floors); }

    /// The one of least weighted sum, or of least product; null: there is none.
    const Mapped* cheapest(const std::optional<Weights>& weights) const;
    /// Of the line that would close most of what is open; nothing where less than `enough` is.
    std::optional<Weights> next(double enough) const { return lines_->next(hull(), enough, tolerance_); }

    /// Requires lines. Throws std::logic_error for a mapping below a line.
    void write(Answer& answer) const;

   private:
    Hull hull() const;
    std::optional<std::pair<Weights, Weights>> proof_of(const Mapped& one) const;

    double tolerance_;
    std::optional<Lines> lines_;
    std::vector<Mapped> points_;  // ascending energy
};

}  // namespace tilewright::fusion
