#include "explore/engine.hpp"

#include <cmath>

namespace tilewright::explore {

Row measured(Point point, std::vector<double> values, const Specification& specification) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i]))  // unordered, and stored as null
            return {point, Status::failed, {}, specification.metrics[i].name + " is not a number"};
    Row row{point, Status::valid, std::move(values), {}};
    for (const Condition& limit : specification.limits)
        if (!satisfies(row, limit, specification.metrics, specification.space)) row.status = Status::over_limit;
    return row;
}

bool run(Evaluator& evaluator, Store& store, const StopSource& stop, const std::function<void()>& tell) {
    while (!stop.requested()) {
        const std::optional<Chunk> chunk = store.claim();
        if (!chunk) {
            if (store.is_complete()) return true;
            if (store.is_stopped()) return false;
            store.wait();  // others are at work: they finish, or die and leave theirs
            if (tell) tell();
            continue;
        }
        if (evaluator.learns()) evaluator.learn(store.fresh_incumbents());
        const std::optional<Batch> batch = evaluator.evaluate(*chunk, stop);
        if (!batch) {
            store.release(*chunk);
            break;
        }
        store.commit(*chunk, *batch);
        if (tell) tell();
    }
    return store.is_complete();
}

}  // namespace tilewright::explore
