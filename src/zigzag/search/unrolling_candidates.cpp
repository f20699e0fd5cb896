// Unrollings for a mapping's open array dimensions (ZigZag 3.8.5, spatial_mapping_generation.py).
#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"
#include "zigzag/accounting/spatial.hpp"

namespace tilewright::zigzag {
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
