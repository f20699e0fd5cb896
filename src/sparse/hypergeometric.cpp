#include <algorithm>
#include <cmath>

#include "sparse/occupancy.hpp"

namespace tilewright::sparse {
namespace {

// Up to so many factors are multiplied one by one; beyond, logarithms of factorials are as good and quicker.
constexpr std::int64_t kMostFactors = 300;

// C(n, k) by factors, the product kept near 1 by the quotient it is multiplied into.
class Product {
   public:
    void times_choices(std::int64_t n, std::int64_t k) {
        for (std::int64_t i = 0; i < k; ++i) {
            above_.push_back(static_cast<long double>(n - i));
            below_.push_back(static_cast<long double>(i + 1));
        }
    }
    void over_choices(std::int64_t n, std::int64_t k) {
        for (std::int64_t i = 0; i < k; ++i) {
            below_.push_back(static_cast<long double>(n - i));
            above_.push_back(static_cast<long double>(i + 1));
        }
    }
    long double value() const {
        long double product = 1.0L;
        std::size_t b = 0;
        for (const long double factor : above_) {
            product *= factor;
            while (product > 1.0L && b < below_.size()) product /= below_[b++];
        }
        while (b < below_.size()) product /= below_[b++];
        return product;
    }

   private:
    std::vector<long double> above_;
    std::vector<long double> below_;
};

long double log_choices(std::int64_t n, std::int64_t k) {
    const auto log_factorial = [](std::int64_t of) {
        int sign = 0;
        return lgammal_r(static_cast<long double>(of) + 1.0L, &sign);
    };
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double hypergeometric(std::int64_t hits, std::int64_t draws, std::int64_t marked, std::int64_t all) {
    if (draws > marked) std::swap(draws, marked);  // drawn and marked are the same kind of choice
    const std::int64_t misses = draws - hits;
    if (hits < 0 || misses < 0 || hits > marked || misses > all - marked) return 0.0;
    if (draws > kMostFactors)
        return static_cast<double>(
            std::exp(log_choices(marked, hits) + log_choices(all - marked, misses) - log_choices(all, draws)));
    Product product;
    product.over_choices(all, draws);
    product.times_choices(marked, hits);
    product.times_choices(all - marked, misses);
    return static_cast<double>(product.value());
}

std::vector<Outcome> hypergeometric_outcomes(std::int64_t draws, std::int64_t marked, std::int64_t all) {
    const std::int64_t least = std::max<std::int64_t>(0, draws - (all - marked));
    const std::int64_t most = std::min(draws, marked);
    const long double mean = static_cast<long double>(draws) * static_cast<long double>(marked) /
                             static_cast<long double>(std::max<std::int64_t>(all, 1));
    const auto middle = std::clamp(static_cast<std::int64_t>(mean), least, most);
    std::vector<Outcome> outcomes;
    for (std::int64_t hits = middle; hits >= least; --hits) {
        const double chance = hypergeometric(hits, draws, marked, all);
        if (chance == 0.0) break;
        outcomes.push_back({hits, chance});
    }
    std::reverse(outcomes.begin(), outcomes.end());
    for (std::int64_t hits = middle + 1; hits <= most; ++hits) {
        const double chance = hypergeometric(hits, draws, marked, all);
        if (chance == 0.0) break;
        outcomes.push_back({hits, chance});
    }
    return outcomes;
}

}  // namespace tilewright::sparse
