#include "fusion/leaf/touched.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilewright::fusion {
namespace {

// Places of an axis that a rank reaches. Smaller steps first: as long as they leave no gap, places are side by side;
// copies further apart than all that are do not overlap; else there are no fewer than of two sets that are added up.
double touched_places(const Rank& rank, const std::vector<std::int64_t>& extents) {
    if (rank.terms.size() == 1) return static_cast<double>(extents[rank.terms.front().dimension]);
    std::vector<std::pair<double, double>> steps;  // size and number
    for (const Term& term : rank.terms)
        steps.emplace_back(static_cast<double>(std::abs(term.coefficient)),
                           static_cast<double>(extents[term.dimension]));
    std::ranges::sort(steps);
    double places = 1.0;
    double span = 1.0;
    for (const auto& [step, count] : steps) {
        if (step >= span)
            places *= count;
        else if (places == span)
            places += step * (count - 1.0);
        else
            places += count - 1.0;
        span += step * (count - 1.0);
    }
    return places;
}

}  // namespace

double touched_words(const Tensor& tensor, const std::vector<std::int64_t>& extents) {
    double words = 1.0;
    for (const Rank& rank : tensor.ranks) words *= touched_places(rank, extents);
    return words;
}

}  // namespace tilewright::fusion
