#include "mapper/cosa/mip/load.hpp"

#include <ClpSolve.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <algorithm>

namespace tilewright::mip {

double for_coin(double bound) { return std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX); }

void silence(OsiSolverInterface& solver) {
    solver.messageHandler()->setLogLevel(0);
    solver.setHintParam(OsiDoReducePrint, true, OsiHintDo);
}

namespace {

// Clp would take SIGINT during each solve and restore the handler found: parallel solves restore each other's handlers,
// and Ctrl-C is lost for the rest of the process. Copies of the solver keep this setting.
void leave_signals_alone(OsiClpSolverInterface& solver) {
    constexpr int kInterrupt = 2;
    constexpr int kLeaveSignals = 1;
    ClpSolve options;
    options.setSpecialOption(kInterrupt, kLeaveSignals);
    solver.setSolveOptions(options);
}

}  // namespace

void load(const Program& problem, OsiClpSolverInterface& solver) {
    silence(solver);
    leave_signals_alone(solver);
    CoinPackedMatrix matrix(false, 0.0, 0.0);
    matrix.setDimensions(0, problem.column_count());
    std::vector<double> row_lower, row_upper;
    for (const Row& row : problem.rows()) {
        CoinPackedVector packed;
        for (const Term& term : row.terms) packed.insert(term.variable, term.coefficient);
        matrix.appendRow(packed);
        row_lower.push_back(for_coin(row.lower));
        row_upper.push_back(for_coin(row.upper));
    }
    std::vector<double> lower, upper;
    for (const Column& column : problem.columns()) {
        lower.push_back(for_coin(column.lower));
        upper.push_back(for_coin(column.upper));
    }
    std::vector<double> costs(problem.columns().size(), 0.0);
    for (const Term& term : problem.objective().terms()) costs[term.variable] = term.coefficient;
    solver.loadProblem(matrix, lower.data(), upper.data(), costs.data(), row_lower.data(), row_upper.data());
    for (int i = 0; i < problem.column_count(); ++i)
        if (problem.columns()[i].integer) solver.setInteger(i);
}

}  // namespace tilewright::mip
