// From a requested unrolling to a legal one (ZigZag 3.8.5, spatial_mapping_generation.py).
// Unrollings for a mapping's open array dimensions (ZigZag 3.8.5, spatial_mapping_generation.py).

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"
#include "zigzag/accounting/spatial.hpp"

namespace tilewright::zigzag {
namespace {

/// One factor of the unrolling, for changing it in place.
using Factors = std::vector<std::int64_t*>;

std::int64_t product(const Factors& factors) {
    std::int64_t result = 1;
    for (const std::int64_t* factor : factors) result = saturating_mul(result, *factor);
    return result;
}

bool is_innermost(const SharedMemory& memory) {
    return std::all_of(memory.operands.begin(), memory.operands.end(),
                       [&](MemoryOperand operand) { return memory.level_of(operand) == 0; });
}

/// Calls `act(memory, operand)` for each operand at each innermost memory.
template <class Act>
void for_innermost(const Accelerator& accelerator, const Layer& layer, Act act) {
    for (const SharedMemory& memory : accelerator.memories) {
        if (!is_innermost(memory)) continue;
        for (const MemoryOperand name : memory.operands)
            if (const int operand = find_operand(layer, name); operand >= 0) act(memory, layer.operands[operand]);
    }
}

void clip_to_sizes(const Accelerator& accelerator, const Layer& layer, ArrayUnrolling& unrolling) {
    for (std::size_t a = 0; a < unrolling.size(); ++a)
        for (Unrolling& one : unrolling[a])
            one.factor = std::min({one.factor, layer.dimensions[one.dimension].extent, accelerator.array[a].size});
}

/// Distinct words at a time, bounded by the port to the units.
void clip_to_bandwidth(const SharedMemory& memory, const Operand& operand, ArrayUnrolling& unrolling) {
    const Port* port =
        memory.port_for(operand.memory, operand.is_result() ? Direction::write_from_below : Direction::read_down);
    if (port == nullptr || operand.precision_bits == 0) return;
    const std::int64_t words = std::max<std::int64_t>(1, port->bandwidth_max_bits / operand.precision_bits);
    for (const int a : memory.served)
        for (Unrolling& one : unrolling[a])
            if (!operand.irrelevant.has(one.dimension)) one.factor = std::min(one.factor, words);
}

void drop_beyond_array(const Accelerator& accelerator, ArrayUnrolling& unrolling) {
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        std::vector<Unrolling>& row = unrolling[a];
        const auto total = [&] {
            Factors factors;
            for (Unrolling& one : row) factors.push_back(&one.factor);
            return product(factors);
        };
        while (!row.empty() && total() > accelerator.array[a].size) row.erase(row.begin());
    }
}

void drop_beyond_layer(const Layer& layer, ArrayUnrolling& unrolling) {
    for (int d = 0; d < layer.dimension_count(); ++d) {
        const auto is_it = [d](const Unrolling& one) { return one.dimension == d; };
        const auto total = [&] {
            Factors factors;
            for (std::vector<Unrolling>& row : unrolling)
                for (Unrolling& one : row)
                    if (is_it(one)) factors.push_back(&one.factor);
            return product(factors);
        };
        while (total() > layer.dimensions[d].extent) {
            const auto row = std::find_if(unrolling.begin(), unrolling.end(), [&](const std::vector<Unrolling>& some) {
                return std::any_of(some.begin(), some.end(), is_it);
            });
            row->erase(std::find_if(row->begin(), row->end(), is_it));
        }
    }
}

/// Replaces factors `old_values` by `new_values`; as in ZigZag, looked up by value: of equal factors the last one
/// decides.
void replace_by_value(const Factors& factors, const std::vector<std::int64_t>& new_values) {
    std::vector<std::int64_t> old_values;
    for (const std::int64_t* factor : factors) old_values.push_back(*factor);
    for (std::size_t i = 0; i < factors.size(); ++i)
        for (std::size_t j = 0; j < factors.size(); ++j)
            if (old_values[j] == old_values[i]) *factors[i] = new_values[j];
}

/// Distinct words at a time, bounded by the memory's capacity.
void clip_to_capacity(const SharedMemory& memory, const Operand& operand, ArrayUnrolling& unrolling) {
    if (operand.precision_bits == 0) return;
    Factors factors;
    for (const int a : memory.served)
        for (Unrolling& one : unrolling[a])
            if (!operand.irrelevant.has(one.dimension)) factors.push_back(&one.factor);
    if (factors.empty()) return;
    const std::int64_t words = std::max<std::int64_t>(1, memory.size_bits / operand.precision_bits);
    std::vector<std::int64_t> values;
    for (const std::int64_t* factor : factors) values.push_back(*factor);
    const auto total = [&] {
        std::int64_t result = 1;
        for (const std::int64_t value : values) result = saturating_mul(result, value);
        return result;
    };
    while (total() > words) --*std::max_element(values.begin(), values.end());
    replace_by_value(factors, values);
}

// Each factor by itself.
void clip_each(const Accelerator& accelerator, const Layer& layer, ArrayUnrolling& unrolling) {
    clip_to_sizes(accelerator, layer, unrolling);
    for_innermost(accelerator, layer, [&](const SharedMemory& memory, const Operand& operand) {
        clip_to_bandwidth(memory, operand, unrolling);
    });
}

}  // namespace

ArrayUnrolling widest_unrolling(const Accelerator& accelerator, const Layer& layer) {
    std::vector<Unrolling> all;
    for (int d = 0; d < layer.dimension_count(); ++d) all.push_back({d, layer.dimensions[d].extent});
    ArrayUnrolling unrolling(accelerator.array.size(), all);
    clip_each(accelerator, layer, unrolling);
    return unrolling;
}

ArrayUnrolling legal(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& requested) {
    ArrayUnrolling unrolling = requested;
    unrolling.resize(accelerator.array.size());
    clip_each(accelerator, layer, unrolling);
    drop_beyond_array(accelerator, unrolling);
    drop_beyond_layer(layer, unrolling);
    for_innermost(accelerator, layer, [&](const SharedMemory& memory, const Operand& operand) {
        clip_to_capacity(memory, operand, unrolling);
    });
    return unrolling;
}

namespace {

constexpr int kMostTried = 1'000'000;  // beyond, the best so far counts

// Units in use, weighted up for loops over several dimensions.
double indicator(const Layer& layer, const ArrayUnrolling& unrolling) {
    std::vector<double> totals(layer.dimensions.size(), 1.0);
    double units = 1.0;
    for (const std::vector<Unrolling>& row : unrolling)
        for (const Unrolling& one : row) {
            totals[one.dimension] *= static_cast<double>(one.factor);
            units *= static_cast<double>(one.factor);
        }
    return units + (units / *std::max_element(totals.begin(), totals.end()) - 1.0);
}

bool exceeds_the_layer(const Layer& layer, const ArrayUnrolling& unrolling) {
    std::vector<std::int64_t> totals(layer.dimensions.size(), 1);
    for (const std::vector<Unrolling>& row : unrolling)
        for (const Unrolling& one : row) totals[one.dimension] = saturating_mul(totals[one.dimension], one.factor);
    for (std::size_t d = 0; d < totals.size(); ++d)
        if (totals[d] > layer.dimensions[d].extent) return true;
    return false;
}

// All fillings of the open rows, largest factors first; on ties the first counts.
class Candidates {
   public:
    Candidates(const Accelerator& accelerator, const Layer& layer, const UnrollingRequest& request, int most)
        : layer_(layer), most_(static_cast<std::size_t>(most)), unrolling_(accelerator.array.size()) {
        const ArrayUnrolling widest = widest_unrolling(accelerator, layer);
        for (std::size_t a = 0; a < unrolling_.size(); ++a)
            if (!request.rows[a]) open_.push_back({a, choices(widest[a], request.hints[a])});
        unrolling_ = given_rows(accelerator, layer, request);
    }

    std::vector<ArrayUnrolling> find() {
        fill(0);
        std::vector<ArrayUnrolling> found;
        for (const Found& one : found_) found.push_back(one.unrolling);
        return found;
    }

   private:
    struct Open {
        std::size_t row;
        std::vector<Unrolling> choices;
    };
    struct Found {
        double indicator;
        ArrayUnrolling unrolling;
    };

    static ArrayUnrolling given_rows(const Accelerator& accelerator, const Layer& layer,
                                     const UnrollingRequest& request) {
        ArrayUnrolling rows;
        for (const auto& row : request.rows) rows.push_back(row.value_or(std::vector<Unrolling>{}));
        return legal(accelerator, layer, rows);
    }

    // Divisors of each dimension's largest factor, of the hinted dimensions or of all.
    static std::vector<Unrolling> choices(const std::vector<Unrolling>& widest, const std::vector<int>& hints) {
        std::vector<Unrolling> choices;
        for (const Unrolling& most : widest) {
            if (!hints.empty() && std::find(hints.begin(), hints.end(), most.dimension) == hints.end()) continue;
            std::vector<std::int64_t> factors = divisors(most.factor);
            for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
                choices.push_back({most.dimension, *factor});
        }
        return choices;
    }

    // The indicator is less than twice the units in use.
    bool can_be_among_the_best(std::size_t next) const {
        if (found_.size() < most_) return true;
        double units = 1.0;
        for (const std::vector<Unrolling>& row : unrolling_)
            for (const Unrolling& one : row) units *= static_cast<double>(one.factor);
        for (std::size_t i = next; i < open_.size(); ++i) {
            std::int64_t most = 1;
            for (const Unrolling& one : open_[i].choices) most = std::max(most, one.factor);
            units *= static_cast<double>(most);
        }
        return 2.0 * units - 1.0 > found_.back().indicator;
    }

    void fill(std::size_t next) {
        if (++tried_ > kMostTried || !can_be_among_the_best(next)) return;
        if (next == open_.size()) return take();
        for (const Unrolling& choice : open_[next].choices) {
            unrolling_[open_[next].row] = {choice};
            if (!exceeds_the_layer(layer_, unrolling_)) fill(next + 1);
        }
        unrolling_[open_[next].row].clear();
    }

    void take() {
        const double value = indicator(layer_, unrolling_);
        const auto place =
            std::find_if(found_.begin(), found_.end(), [&](const Found& one) { return value > one.indicator; });
        found_.insert(place, {value, unrolling_});
        if (found_.size() > most_) found_.pop_back();
    }

    const Layer& layer_;
    std::size_t most_;
    int tried_ = 0;
    ArrayUnrolling unrolling_;
    std::vector<Open> open_;
    std::vector<Found> found_;
};

}  // namespace

std::vector<ArrayUnrolling> legal_unrollings(const Accelerator& accelerator, const Layer& layer,
                                             const UnrollingRequest& request, int most) {
    UnrollingRequest whole = request;
    whole.rows.resize(accelerator.array.size(), std::vector<Unrolling>{});
    whole.hints.resize(accelerator.array.size());
    std::vector<ArrayUnrolling> found = Candidates(accelerator, layer, whole, most).find();
    for (ArrayUnrolling& unrolling : found) unrolling = legal(accelerator, layer, unrolling);
    return found;
}

}  // namespace tilewright::zigzag
