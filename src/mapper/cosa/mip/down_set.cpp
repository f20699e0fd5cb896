#include "mapper/cosa/mip/down_set.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::mip {
namespace {

constexpr std::size_t kMostKinds = 6;
constexpr std::size_t kMostPoints = 2000;
constexpr int kMostVisits = 50'000;
constexpr double kSame = 1e-9;  // weights this near are one kind

// A row as a knapsack: the most things of each kind.
struct Kinds {
    std::vector<double> weights;
    std::vector<Expression> numbers;
    std::vector<int> most;
};

// For each variable, a row sharing a whole number among it and others (-1: none): it bounds sums of such variables more
// tightly than their own bounds.
std::vector<int> budgets(const Program& problem) {
    const auto counts_once = [&](const Term& term) {
        return term.coefficient == 1.0 && problem.columns()[term.variable].lower >= 0.0;
    };
    std::vector<int> budget(problem.columns().size(), -1);
    for (int r = 0; r < problem.row_count(); ++r) {
        const Row& row = problem.rows()[r];
        if (!std::isfinite(row.upper) || !std::all_of(row.terms.begin(), row.terms.end(), counts_once)) continue;
        for (const Term& term : row.terms)
            if (budget[term.variable] < 0) budget[term.variable] = r;
    }
    return budget;
}

class Knapsacks {
   public:
    explicit Knapsacks(const Program& problem) : problem_(problem), budget_(budgets(problem)) {}

    /// Nothing if the row is none, or too large.
    std::optional<DownSet> of(const Row& row) const {
        if (!std::isfinite(row.upper) || row.upper < 0.0 || row.terms.empty()) return std::nullopt;
        std::optional<Kinds> kinds = kinds_of(row);
        if (!kinds) return std::nullopt;
        const auto fits = [&](const std::vector<int>& point) {
            double sum = 0.0;
            for (std::size_t k = 0; k < point.size(); ++k) sum += kinds->weights[k] * point[k];
            return sum <= row.upper + kSame;
        };
        std::optional<std::vector<std::vector<int>>> points = maximal_points(kinds->most, fits);
        if (!points) return std::nullopt;
        return DownSet{std::move(kinds->numbers), std::move(*points)};
    }

   private:
    std::optional<Kinds> kinds_of(const Row& row) const {
        std::vector<Term> terms = row.terms;
        std::stable_sort(terms.begin(), terms.end(),
                         [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
        Kinds kinds;
        for (const Term& term : terms) {
            const Column& column = problem_.columns()[term.variable];
            if (!column.integer || column.lower != 0.0 || term.coefficient <= 0.0) return std::nullopt;
            if (kinds.weights.empty() || term.coefficient < kinds.weights.back() - kSame) {
                if (kinds.weights.size() == kMostKinds) return std::nullopt;
                kinds.weights.push_back(term.coefficient);
                kinds.numbers.emplace_back();
            }
            kinds.numbers.back() += Expression::of(term.variable);
        }
        for (std::size_t k = 0; k < kinds.weights.size(); ++k)
            kinds.most.push_back(static_cast<int>(
                std::min(most_of(kinds.numbers[k]), std::floor(row.upper / kinds.weights[k] + kSame))));
        return kinds;
    }

    double most_of(const Expression& number) const {
        std::map<int, double> by_budget;
        for (const Term& term : number.terms())
            by_budget[budget_[term.variable]] += problem_.columns()[term.variable].upper;
        double most = 0.0;
        for (const auto& [row, sum] : by_budget) most += row < 0 ? sum : std::min(sum, problem_.rows()[row].upper);
        return most;
    }

    const Program& problem_;
    std::vector<int> budget_;
};

// Depth first, below fitting choices only.
class Listing {
   public:
    Listing(const std::vector<int>& most, const Fits& fits) : most_(most), fits_(fits), point_(most.size(), 0) {}

    /// False if there are too many.
    bool run(std::size_t at) {
        if (at + 1 >= point_.size()) return add();
        bool complete = true;
        for (; complete && point_[at] <= most_[at] && fits(); ++point_[at]) complete = run(at + 1);
        point_[at] = 0;
        return complete;
    }

    std::vector<std::vector<int>> take() { return std::move(points_); }

   private:
    bool fits() {
        ++visits_;
        return fits_(point_);
    }

    // The last number is maximal.
    bool add() {
        if (visits_ > kMostVisits) return false;
        int& last = point_.back();
        while (last < most_.back() && raised_fits(point_.size() - 1)) ++last;
        bool maximal = true;
        for (std::size_t k = 0; maximal && k + 1 < point_.size(); ++k)
            maximal = point_[k] == most_[k] || !raised_fits(k);
        if (maximal) points_.push_back(point_);
        last = 0;
        return points_.size() <= kMostPoints;
    }

    bool raised_fits(std::size_t k) {
        ++point_[k];
        const bool result = fits();
        --point_[k];
        return result;
    }

    const std::vector<int>& most_;
    const Fits& fits_;
    std::vector<int> point_;
    std::vector<std::vector<int>> points_;
    int visits_ = 0;
};

}  // namespace

std::optional<std::vector<std::vector<int>>> maximal_points(const std::vector<int>& most, const Fits& fits) {
    if (most.empty() || !fits(std::vector<int>(most.size(), 0))) return std::nullopt;
    Listing listing(most, fits);
    if (!listing.run(0)) return std::nullopt;
    return listing.take();
}

std::vector<DownSet> knapsacks_of(const Program& problem) {
    const Knapsacks knapsacks(problem);
    std::vector<DownSet> sets;
    for (const Row& row : problem.rows())
        if (std::optional<DownSet> set = knapsacks.of(row)) sets.push_back(std::move(*set));
    return sets;
}

}  // namespace tilewright::mip
