#include "mapper/cosa/mip/solve.hpp"

#include <CbcBranchDefaultDecision.hpp>
#include <CbcCompareDefault.hpp>
#include <CbcEventHandler.hpp>
#include <CbcHeuristic.hpp>
#include <CbcHeuristicDiveCoefficient.hpp>
#include <CbcModel.hpp>
#include <CbcTree.hpp>
#include <CglCutGenerator.hpp>
#include <CglGomory.hpp>
#include <CglKnapsackCover.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CglPreProcess.hpp>
#include <CglProbing.hpp>
#include <CglTwomir.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <ClpSolve.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "mapper/cosa/mip/load.hpp"

namespace tilewright::mip {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTolerance = 1e-6;

// Reason of a stop; shared by CBC's clones of the handler.
struct Watch {
    const Limits& limits;
    Ended ended = Ended::finished;
    bool searching = true;  ///< false while reading the result: short, must not be cut off
};

class Watcher : public CbcEventHandler {
   public:
    explicit Watcher(Watch& watch) : watch_(&watch) {}
    CbcEventHandler* clone() const override { return new Watcher(*this); }  // NOLINT: CBC owns the copy

    CbcAction event(CbcEvent) override {
        if (watch_->limits.stop != nullptr && watch_->limits.stop->requested())
            watch_->ended = Ended::interrupted;
        else if (model_ != nullptr && model_->tree() != nullptr && model_->tree()->size() > watch_->limits.open_nodes)
            watch_->ended = Ended::memory;
        return watch_->ended == Ended::finished ? noAction : stop;
    }

   private:
    Watch* watch_;
};

// CBC calls the handler at nodes only, and cuts at the root may take long: this generator makes no cuts, it polls.
class Lookout : public CglCutGenerator {
   public:
    Lookout(Watch& watch, CbcModel& model) : watch_(&watch), model_(&model) {}
    CglCutGenerator* clone() const override { return new Lookout(*this); }  // NOLINT: CBC owns the copy

    void generateCuts(const OsiSolverInterface&, OsiCuts&, const CglTreeInfo) override {
        if (watch_->limits.stop == nullptr || !watch_->limits.stop->requested()) return;
        watch_->ended = Ended::interrupted;
        model_->setMaximumSeconds(0.0);
    }

   private:
    Watch* watch_;
    CbcModel* model_;
};

// Called by the simplex at every iteration: relaxations at the root and in rounds of cuts may take long.
class SimplexWatcher : public ClpEventHandler {
   public:
    explicit SimplexWatcher(Watch& watch) : watch_(&watch) {}
    ClpEventHandler* clone() const override { return new SimplexWatcher(*this); }  // NOLINT: Clp owns the copy

    int event(Event) override {
        constexpr int kGoOn = -1;
        constexpr int kStop = 5;  // "the user said so" (ClpModel::status)
        if (!watch_->searching || watch_->limits.stop == nullptr || !watch_->limits.stop->requested()) return kGoOn;
        watch_->ended = Ended::interrupted;
        return kStop;
    }

   private:
    Watch* watch_;
};

// Measured on schedules of deep-learning layers (bench/studies/cosa): rows of logarithms want rounding cuts at every
// node. No reduce-and-split cuts: one cut off the best solution (property_cosa, problem 418 of seed 1), and the solver
// called another one optimal.
void add_cuts(CbcModel& model) {
    CglProbing probing;
    probing.setUsingObjective(1);
    probing.setMaxPass(1);
    probing.setMaxPassRoot(3);
    probing.setMaxProbe(10);
    probing.setMaxProbeRoot(100);
    probing.setMaxLook(10);
    probing.setMaxLookRoot(50);
    probing.setRowCuts(3);
    CglGomory gomory;
    gomory.setLimit(300);
    CglKnapsackCover cover;
    CglTwomir two_step;
    two_step.setMaxElements(250);
    CglMixedIntegerRounding2 one_step(1, true, 1);
    model.addCutGenerator(&probing, -1, "Probing");
    model.addCutGenerator(&gomory, -1, "Gomory");
    model.addCutGenerator(&cover, -1, "Knapsack");
    model.addCutGenerator(&two_step, 1, "TwoStepRounding");
    model.addCutGenerator(&one_step, 1, "Rounding");
}

void add_heuristics(CbcModel& model) {
    CbcRounding rounding(model);
    model.addHeuristic(&rounding);
    CbcHeuristicDiveCoefficient dive(model);
    model.addHeuristic(&dive);
}

class Search {
   public:
    Search(const Program& problem, const Limits& limits, const std::vector<double>& start)
        : problem_(problem), limits_(limits), watch_{limits} {
        if (problem.holds(start, kTolerance)) take(start);
    }

    Solution run() {
        load(problem_, original_);
        OsiSolverInterface* reduced = preprocess();
        if (reduced != nullptr)
            branch(*reduced);
        else
            without_search();
        if (solution_.status == Status::infeasible) look_again();
        solution_.ended = watch_.ended;
        if (has_values()) solution_.bound = std::min(solution_.bound, solution_.objective);
        solution_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        return std::move(solution_);
    }

   private:
    // The reduced program, or null if the reduction shows infeasibility or unboundedness. Without a time limit: its
    // expiry would look like a proof.
    OsiSolverInterface* preprocess() {
        process_.messageHandler()->setLogLevel(0);
        OsiSolverInterface* reduced = process_.preProcess(original_, false, 5);
        if (reduced != nullptr) {
            silence(*reduced);
            reduced->resolve();
        }
        return reduced;
    }

    void without_search() {
        original_.initialSolve();
        if (original_.isProvenDualInfeasible()) {
            solution_.status = Status::unbounded;
        } else if (has_values()) {
            solution_.status = Status::optimal;
            solution_.bound = solution_.objective;
        } else {
            solution_.status = Status::infeasible;
            solution_.bound = kInfinity;
        }
    }

    // The reductions have called feasible problems infeasible: such an answer is confirmed without them.
    void look_again() {
        OsiClpSolverInterface plain;
        load(problem_, plain);
        plain.initialSolve();
        if (plain.isProvenPrimalInfeasible()) return;
        reduced_ = false;
        branch(plain);
    }

    void branch(OsiSolverInterface& reduced) {
        solution_.bound = -kInfinity;
        if (reduced.isProvenOptimal()) solution_.bound = reduced.getObjValue() + problem_.objective().constant();
        SimplexWatcher simplex(watch_);
        if (auto* clp = dynamic_cast<OsiClpSolverInterface*>(&reduced))
            clp->getModelPtr()->passInEventHandler(&simplex);
        CbcModel model(reduced);
        model.setLogLevel(0);
        model.messageHandler()->setLogLevel(0);
        silence(*model.solver());
        set_limits(model);
        set_priorities(model);
        add_cuts(model);
        Lookout lookout(watch_, model);
        model.addCutGenerator(&lookout, 1, "Lookout");
        add_heuristics(model);
        Watcher watcher(watch_);
        model.passInEventHandler(&watcher);
        if (limits_.stop != nullptr && limits_.stop->requested()) {
            watch_.ended = Ended::interrupted;
            conclude(model);
            return;
        }
        model.branchAndBound();
        read(model);
        conclude(model);
    }

    void set_limits(CbcModel& model) const {
        if (limits_.seconds) {
            const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
            model.setMaximumSeconds(std::max(*limits_.seconds - spent, 0.001));
            model.setUseElapsedTime(true);
        }
        if (limits_.nodes)
            model.setMaximumNodes(static_cast<int>(std::min<std::int64_t>(*limits_.nodes, COIN_INT_MAX)));
        model.setAllowableGap(limits_.gap);
        model.setAllowableFractionGap(0.0);
        model.setIntegerTolerance(1e-7);
        model.setNumberStrong(5);
        model.setNumberBeforeTrust(10);
        model.setMaximumCutPassesAtRoot(100);
        model.setMaximumCutPasses(1);
        if (has_values()) model.setCutoff(solution_.objective - problem_.objective().constant() - limits_.gap);
    }

    void set_priorities(CbcModel& model) {
        const int* original = reduced_ ? process_.originalColumns() : nullptr;
        std::vector<int> priorities;
        bool differ = false;
        for (int i = 0; i < model.getNumCols(); ++i) {
            if (!model.isInteger(i)) continue;
            const int column = original != nullptr ? original[i] : i;
            const bool known = column >= 0 && column < problem_.column_count();
            priorities.push_back(1000 + (known ? problem_.columns()[column].priority : 0));
            differ = differ || priorities.back() != priorities.front();
        }
        if (differ) model.passInPriorities(priorities.data(), false);
    }

    void read(CbcModel& model) {
        solution_.nodes += model.getNodeCount();
        if (watch_.ended == Ended::finished && model.isSecondsLimitReached()) watch_.ended = Ended::time;
        if (watch_.ended == Ended::finished && model.isNodeLimitReached()) watch_.ended = Ended::nodes;
        if (model.bestSolution() == nullptr) return;
        watch_.searching = false;
        if (reduced_) process_.postProcess(*model.solver());
        const double* found = reduced_ ? original_.getColSolution() : model.bestSolution();
        std::vector<double> values(found, found + problem_.column_count());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (problem_.columns()[i].integer) values[i] = std::round(values[i]);
        const bool holds = problem_.holds(values, 10.0 * kTolerance);
        // A relaxation cut off may have passed for solved.
        if (!holds && watch_.ended == Ended::interrupted) return;
        if (!holds) throw std::runtime_error("the solver's solution does not hold");
        if (!has_values() || problem_.objective().at(values) < solution_.objective) take(values);
    }

    bool has_values() const { return !solution_.values.empty(); }

    void take(const std::vector<double>& values) {
        solution_.values = values;
        solution_.objective = problem_.objective().at(values);
    }

    void conclude(const CbcModel& model) {
        if (watch_.ended == Ended::finished) {
            solution_.status = has_values() ? Status::optimal : Status::infeasible;
            solution_.bound = has_values() ? solution_.objective : kInfinity;
            return;
        }
        solution_.status = has_values() ? Status::feasible : Status::nothing;
        const double bound = model.getBestPossibleObjValue();
        if (std::abs(bound) < 1e40)
            solution_.bound = std::max(solution_.bound, bound + problem_.objective().constant());
    }

    Clock::time_point begin_ = Clock::now();
    const Program& problem_;
    const Limits& limits_;
    Watch watch_;
    Solution solution_;
    OsiClpSolverInterface original_;
    CglPreProcess process_;
    bool reduced_ = true;  ///< the search sees the problem reduced by process_
};

// A violated row without variables: CBC would ignore it.
bool contradicts_itself(const Program& problem) {
    return std::any_of(problem.rows().begin(), problem.rows().end(), [](const Row& row) {
        return row.terms.empty() && (row.lower > kTolerance || row.upper < -kTolerance);
    });
}

}  // namespace

std::string_view status_text(Status status) {
    switch (status) {
        case Status::optimal: return "optimal";
        case Status::feasible: return "feasible";
        case Status::infeasible: return "infeasible";
        case Status::unbounded: return "unbounded";
        case Status::nothing: return "nothing found";
    }
    return "";
}

std::string_view ended_text(Ended ended) {
    switch (ended) {
        case Ended::finished: return "finished";
        case Ended::time: return "the time is up";
        case Ended::nodes: return "the nodes are used up";
        case Ended::memory: return "too many open nodes to remember";
        case Ended::interrupted: return "interrupted";
    }
    return "";
}

Solution solve(const Program& problem, const Limits& limits, const std::vector<double>& start) {
    const bool contradicts = contradicts_itself(problem);
    if (!contradicts && problem.column_count() > 0) return Search(problem, limits, start).run();
    Solution solution;
    solution.status = contradicts ? Status::infeasible : Status::optimal;
    if (!contradicts) solution.objective = problem.objective().constant();
    solution.bound = solution.objective;
    return solution;
}

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
