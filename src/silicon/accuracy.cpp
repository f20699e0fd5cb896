#include "silicon/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::silicon {
namespace {

// Requires sorted values, at least one.
double percentile(const std::vector<double>& sorted, double share) {
    const double place = static_cast<double>(sorted.size() - 1) * share;
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return std::lerp(sorted[low], sorted[high], place - static_cast<double>(low));
}

// Ties share their mean rank.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
        for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<double>(first + last) / 2.0;
        first = last + 1;
    }
    return ranks;
}

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
    const std::vector<double> a = ranks_of(one);
    const std::vector<double> b = ranks_of(other);
    const double mean = static_cast<double>(a.size() - 1) / 2.0;
    double both = 0.0;
    double of_a = 0.0;
    double of_b = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        of_a += (a[i] - mean) * (a[i] - mean);
        of_b += (b[i] - mean) * (b[i] - mean);
    }
    return of_a > 0.0 && of_b > 0.0 ? both / std::sqrt(of_a * of_b) : 0.0;
}

}  // namespace

Accuracy accuracy_of(const std::vector<double>& predicted, const std::vector<double>& measured) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < measured.size(); ++i) errors.push_back(predicted[i] / measured[i] - 1.0);
    Accuracy result;
    result.cases = errors.size();
    std::ranges::sort(errors);
    result.bias = percentile(errors, 0.5);
    for (double& error : errors) error = std::abs(error);
    std::ranges::sort(errors);
    result.median = percentile(errors, 0.5);
    result.ninetieth = percentile(errors, 0.9);
    result.worst = errors.back();
    result.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    result.rank = rank_correlation(predicted, measured);
    return result;
}

bool meets(const Accuracy& reached, const Claim& claim) {
    return reached.cases > 0 && reached.median <= claim.median && reached.ninetieth <= claim.ninetieth &&
           reached.rank >= claim.rank;
}

}  // namespace tilewright::silicon
