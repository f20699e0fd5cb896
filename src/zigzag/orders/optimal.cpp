#include "zigzag/orders/optimal.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "zigzag/lean/order_bound.hpp"

namespace tilewright::orders {
namespace {

// Relative error of sums of equal energies in any order.
constexpr double kRounding = 1e-12;

class Descent {
   public:
    Descent(const Scorer& scorer, const Settings& settings)
        : scorer_(scorer), evaluator_(scorer.evaluator()), bound_(evaluator_), settings_(settings) {}

    Found run() {
        zigzag::OrderBound::Front front = bound_.start();
        for (const std::uint8_t kind : scorer_.inner()) front = bound_.extended(front, kind);
        visit(front);
        if (!found_.order.empty()) found_.score = scorer_.score(found_.order);
        found_.complete = !found_.interrupted;
        return std::move(found_);
    }

   private:
    struct Branch {
        double least_pj;
        std::uint8_t kind;
        zigzag::OrderBound::Front front;
    };

    bool promising(double least_pj) const { return least_pj < found_.score.value * (1.0 - kRounding); }

    // All continuations of `order_` with a chance to improve.
    void visit(const zigzag::OrderBound::Front& front) {
        if (order_.size() == scorer_.first_order().size()) return cost();
        for (const Branch& branch : branches(front)) {
            if (!promising(branch.least_pj)) return;
            found_.interrupted = found_.interrupted || settings_.ended();
            if (found_.interrupted) return;
            order_.push_back(branch.kind);
            visit(branch.front);
            order_.pop_back();
        }
    }

    std::vector<Branch> branches(const zigzag::OrderBound::Front& front) {
        std::vector<Branch> all;
        for (std::size_t kind = 0; kind < evaluator_.kinds().size(); ++kind) {
            if (!is_left(static_cast<std::uint8_t>(kind))) continue;
            zigzag::OrderBound::Front next = bound_.extended(front, static_cast<int>(kind));
            const double least_pj = bound_.least_pj(next);
            if (promising(least_pj)) all.push_back({least_pj, static_cast<std::uint8_t>(kind), std::move(next)});
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const Branch& a, const Branch& b) { return a.least_pj < b.least_pj; });
        return all;
    }

    // Whether `order_` lacks a loop of this kind.
    bool is_left(std::uint8_t kind) const {
        return std::count(order_.begin(), order_.end(), kind) <
               std::count(scorer_.first_order().begin(), scorer_.first_order().end(), kind);
    }

    void cost() {
        const double energy_pj = scorer_.value(order_);
        ++found_.evaluations;
        if (energy_pj == std::numeric_limits<double>::infinity()) return;
        ++found_.fitting;
        if (energy_pj >= found_.score.value) return;
        found_.score.value = energy_pj;
        found_.order = order_;
    }

    const Scorer& scorer_;
    const zigzag::OrderEvaluator& evaluator_;
    zigzag::OrderBound bound_;
    const Settings& settings_;
    zigzag::LoopOrder order_;
    Found found_;
};

}  // namespace

std::optional<Found> search_best_energy(const Scorer& scorer, const Settings& settings) {
    try {
        return Descent(scorer, settings).run();
    } catch (const InputError& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return std::nullopt;
    }
}

}  // namespace tilewright::orders
