#include "fusion/products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::fusion {
namespace {

struct Line {  // weights.value() is at least `value`
    Weights weights;
    double value = 0.0;
    std::optional<Cost> point;  // on it
    std::vector<double> duals = {};
};

// Where two lines meet.
Cost meeting(const Line& a, const Line& b) {
    const double det = a.weights.energy * b.weights.cycles - a.weights.cycles * b.weights.energy;
    return {(a.value * b.weights.cycles - a.weights.cycles * b.value) / det,
            (a.weights.energy * b.value - a.value * b.weights.energy) / det};
}

class Products {
   public:
    Products(Search& search, const Known& known) : search_(search), known_(known), least_(search.least()) {
        for (const FusionPlan& plan : known_) look_at(plan);
    }

    Best run() {
        // Nothing lies below the floors.
        lines_ = {{{1.0, 0.0}, least_.energy_pj, {}, search_.least_after({1.0, 0.0})},
                  {{0.0, 1.0}, least_.cycles, {}, search_.least_after({0.0, 1.0})}};
        Cost at = best_.plan ? Cost{best_.plan->energy_pj, best_.plan->cycles} : least_;
        for (double before = std::numeric_limits<double>::infinity(); !best_.stopped;) {
            if (!prove({1.0 / at.energy_pj, 1.0 / at.cycles}) || product_ >= before) break;
            before = product_;
            at = {best_.plan->energy_pj, best_.plan->cycles};
        }
        while (!best_.stopped && best_.plan && close_a_gap()) {
        }
        best_.bound = lowest();
        best_.sums = sums();
        return best_;
    }

   private:
    void look_at(const FusionPlan& plan) {
        const double product = plan.energy_pj * plan.cycles;
        if (product >= product_) return;
        product_ = product;
        best_.plan = plan;
    }

    // One more line; false where there is no mapping at all, or the search was stopped.
    bool prove(const Weights& weights) {
        const Best one = search_.best(weights, known_);
        best_.proofs += one.proofs;
        best_.rounds += one.rounds;
        best_.stopped = best_.stopped || one.stopped;
        Line line{weights, one.bound, {}, one.duals};
        if (one.plan) {
            known_.push_back(*one.plan);
            look_at(*one.plan);
            if (!one.stopped) line.point = Cost{one.plan->energy_pj, one.plan->cycles};
        }
        lines_.push_back(line);
        std::ranges::sort(lines_, [](const Line& a, const Line& b) {
            return a.weights.energy * b.weights.cycles > b.weights.energy * a.weights.cycles;
        });
        return one.plan && !one.stopped;
    }

    // Proves one line between two neighbours that meet under the best product; false: there are none, or none that
    // rounding lets us tell apart.
    bool close_a_gap() {
        for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
            const Line a = lines_[i];
            const Line b = lines_[i + 1];
            if (is_closed(a, b)) continue;
            const double between = ratio_between(a, b);
            if (!(between < ratio_of(a) * (1.0 - kRounding) && between > ratio_of(b) * (1.0 + kRounding))) continue;
            prove({between / least_.energy_pj, 1.0 / least_.cycles});
            return true;
        }
        return false;
    }

    // Where a mapping that was found lies on both, that is the corner: of lines that are nearly parallel rounding does
    // not say where they meet.
    bool is_closed(const Line& a, const Line& b) const {
        const auto lies_on = [](const Cost& point, const Line& line) {
            constexpr double kSame = 1e-11;  // more than what a proof is exact to
            return line.weights.value(point.energy_pj, point.cycles) <= line.value * (1.0 + kSame);
        };
        for (const std::optional<Cost>& point : {a.point, b.point})
            if (point && lies_on(*point, a) && lies_on(*point, b)) return true;
        const Cost corner = meeting(a, b);
        return corner.energy_pj * corner.cycles >= product_ * (1.0 - kRounding);
    }

    // How much more a line weighs energy than cycles, both in parts of their least.
    double ratio_of(const Line& line) const {
        if (line.weights.cycles == 0.0) return std::numeric_limits<double>::infinity();
        return line.weights.energy * least_.energy_pj / (line.weights.cycles * least_.cycles);
    }

    // Of the line through the points of both; where there is none, of a tangent of the hyperbola through the corner;
    // where that does not lie between them, in the middle.
    double ratio_between(const Line& a, const Line& b) const {
        const double parts = least_.energy_pj / least_.cycles;
        const double above = ratio_of(a);
        const double below = ratio_of(b);
        const auto lies_between = [&](double ratio) {
            return ratio < above * (1.0 - kRounding) && ratio > below * (1.0 + kRounding);
        };
        if (a.point && b.point) {
            const double ratio =
                (a.point->cycles - b.point->cycles) / (b.point->energy_pj - a.point->energy_pj) * parts;
            if (lies_between(ratio)) return ratio;
        }
        const Cost corner = meeting(a, b);
        const double tangent = corner.cycles / corner.energy_pj * parts;
        if (lies_between(tangent)) return tangent;
        constexpr double kFurther = 4.0;
        if (std::isinf(above)) return below * kFurther;
        return below == 0.0 ? above / kFurther : std::sqrt(above * below);
    }

    // The least product of a point under which no line lies.
    double lowest() const {
        double least = product_;
        for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
            if (is_closed(lines_[i], lines_[i + 1])) continue;
            const Cost corner = meeting(lines_[i], lines_[i + 1]);
            least = std::min(least, corner.energy_pj * corner.cycles);
        }
        return least;
    }

    // Those without which neighbours would meet below the bound.
    std::vector<ProvenSum> sums() const {
        std::vector<Line> needed = lines_;
        for (std::size_t i = 1; i + 1 < needed.size();) {
            const Cost corner = meeting(needed[i - 1], needed[i + 1]);
            if (corner.energy_pj * corner.cycles >= best_.bound * (1.0 - kNeedless))
                needed.erase(needed.begin() + static_cast<std::ptrdiff_t>(i));
            else
                ++i;
        }
        std::vector<ProvenSum> sums;
        for (const Line& line : needed) sums.push_back({line.weights.energy, line.weights.cycles, line.duals});
        return sums;
    }

    static constexpr double kRounding = 1e-9;
    static constexpr double kNeedless = 1e-10;  // several lines through one corner

    Search& search_;
    Known known_;
    Cost least_;
    std::vector<Line> lines_;  // those that weigh energy most first
    double product_ = std::numeric_limits<double>::infinity();
    Best best_;
};

}  // namespace

Best least_product(Search& search, const Known& known) { return Products(search, known).run(); }

}  // namespace tilewright::fusion
