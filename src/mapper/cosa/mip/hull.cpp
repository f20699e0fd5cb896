#include "mapper/cosa/mip/hull.hpp"

#include <CoinPackedVector.hpp>
#include <algorithm>
#include <cmath>
#include <map>

#include "mapper/cosa/mip/load.hpp"

namespace tilewright::mip {
namespace {

constexpr int kMostRounds = 20;
constexpr double kViolation = 1e-4;  // relative; less is not worth a row

double product(const std::vector<double>& face, const std::vector<int>& point) {
    double sum = 0.0;
    for (std::size_t k = 0; k < face.size(); ++k) sum += face[k] * point[k];
    return sum;
}

// The face of the hull violated most by a point, as factors of the numbers: at most 1 in the set. A small program,
// extended by violated points of the set.
class Separation {
   public:
    Separation(const DownSet& set, const std::vector<double>& at) : set_(set) {
        Program problem;
        Expression goal;
        for (std::size_t k = 0; k < at.size(); ++k) {
            double most = 0.0;
            for (const std::vector<int>& point : set.points) most = std::max(most, static_cast<double>(point[k]));
            goal += Expression::of(problem.add_continuous(0.0, 1.0 / std::max(most, 0.1)), -at[k]);
        }
        problem.minimise(goal);
        load(problem, solver_);
        solver_.initialSolve();
    }

    /// Nothing if the point is in the hull.
    std::vector<double> face() {
        while (solver_.isProvenOptimal() && solver_.getObjValue() < -1.0 - kViolation) {
            const double* solution = solver_.getColSolution();
            std::vector<double> face(solution, solution + set_.numbers.size());
            if (!learn(face)) return face;
            solver_.resolve();
        }
        return {};
    }

   private:
    // Adds the point cut off most by the face.
    bool learn(const std::vector<double>& face) {
        const std::vector<int>* worst = nullptr;
        double most = 1.0 + 1e-9;
        for (const std::vector<int>& point : set_.points)
            if (const double value = product(face, point); value > most) {
                most = value;
                worst = &point;
            }
        if (worst == nullptr) return false;
        CoinPackedVector row;
        for (std::size_t k = 0; k < face.size(); ++k) row.insert(static_cast<int>(k), (*worst)[k]);
        solver_.addRow(row, -COIN_DBL_MAX, 1.0);
        return true;
    }

    const DownSet& set_;
    OsiClpSolverInterface solver_;
};

// Adds the face of the set's hull violated by `values`, if any, to the problem and its relaxation.
bool add_face(const DownSet& set, const std::vector<double>& values, Program& problem,
              OsiClpSolverInterface& relaxation) {
    std::vector<double> at;
    for (const Expression& number : set.numbers) at.push_back(number.at(values));
    const std::vector<double> face = Separation(set, at).face();
    if (face.empty()) return false;
    double room = 0.0;  // from the points themselves, free of the solver's rounding
    for (const std::vector<int>& point : set.points) room = std::max(room, product(face, point));
    Expression sum;
    for (std::size_t k = 0; k < face.size(); ++k) sum.add(face[k], set.numbers[k]);
    problem.add_row(sum, -kInfinity, room + 1e-9);
    const Row& row = problem.rows().back();
    CoinPackedVector packed;
    for (const Term& term : row.terms) packed.insert(term.variable, term.coefficient);
    relaxation.addRow(packed, -COIN_DBL_MAX, row.upper);
    return true;
}

}  // namespace

int add_hull_rows(Program& problem, const std::vector<DownSet>& sets) {
    if (problem.column_count() == 0) return 0;
    OsiClpSolverInterface relaxation;
    load(problem, relaxation);
    relaxation.initialSolve();
    int added = 0;
    for (int round = 0; round < kMostRounds && relaxation.isProvenOptimal(); ++round) {
        const double* solution = relaxation.getColSolution();
        const std::vector<double> values(solution, solution + problem.column_count());
        const int before = added;
        for (const DownSet& set : sets) added += add_face(set, values, problem, relaxation) ? 1 : 0;
        if (added == before) break;
        relaxation.resolve();
    }
    return added;
}

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
