// The loop of an exploration: chunks are claimed from a store, evaluated and committed until all are done.
#pragma once

#include <functional>
#include <optional>

#include "base/stop.hpp"
#include "explore/store.hpp"

namespace tilewright::explore {

/// Measures points. One evaluator serves one worker; it may use threads inside.
class Evaluator {
   public:
    virtual ~Evaluator() = default;
    /// Results of the chunk, or of its first points (Batch::counts.explored): the points measured together, or known at
    /// a `stop`. Empty if none. The rows depend on the points alone.
    virtual std::optional<Batch> evaluate(const Chunk& chunk, const StopSource& stop) = 0;
    /// Whether it uses others' incumbents, told before every chunk.
    virtual bool learns() const { return false; }
    virtual void learn(const std::vector<Row>& incumbents) { static_cast<void>(incumbents); }
};

/// The row of a measured point: valid, or over a limit.
Row measured(Point point, std::vector<double> values, const Specification& specification);

/// Works until every chunk of the store is done, others' included, or `stop` is requested, or the store is told to
/// stop. Calls `tell` after every commit, and while others are at work. Returns whether all is done.
bool run(Evaluator& evaluator, Store& store, const StopSource& stop, const std::function<void()>& tell = {});

}  // namespace tilewright::explore
