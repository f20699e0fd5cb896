#include "mapper/cosa/mip/hull.hpp"

#include <CoinPackedVector.hpp>
#include <algorithm>
#include <cmath>

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

}  // namespace tilewright::mip
