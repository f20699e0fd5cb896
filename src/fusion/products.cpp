#include "fusion/products.hpp"

#include <limits>

#include "fusion/cost/lines.hpp"

namespace tilewright::fusion {
namespace {

class Products {
   public:
    Products(Search& search, const Known& known)
        : search_(search), known_(known), least_(search.least()), lines_(search.floors()) {
        for (const FusionPlan& plan : known_) look_at(plan);
    }

    Best run() {
        Cost at = best_.plan ? Cost{best_.plan->energy_pj, best_.plan->cycles} : least_;
        for (double before = std::numeric_limits<double>::infinity(); !best_.stopped;) {
            if (!prove({1.0 / at.energy_pj, 1.0 / at.cycles}) || product_ >= before) break;
            before = product_;
            at = {best_.plan->energy_pj, best_.plan->cycles};
        }
        while (!best_.stopped && best_.plan && close_a_gap()) {
        }
        best_.bound = lines_.least_product(product_, kSame);
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
        lines_.add({weights, one.bound, {}, one.duals});
        if (one.plan) {
            known_.push_back(*one.plan);
            look_at(*one.plan);
            lines_.see({one.plan->energy_pj, one.plan->cycles});
        }
        return one.plan && !one.stopped;
    }

    // Proves one line between two neighbours that meet under the best product; false: there are none, or none that
    // rounding lets us tell apart.
    bool close_a_gap() {
        for (std::size_t i = 0; i < lines_.corners(); ++i) {
            if (lines_.is_closed(i, product_, kSame)) continue;
            const std::optional<Weights> weights = lines_.between(i);
            if (!weights) continue;
            prove(*weights);
            return true;
        }
        return false;
    }

    // Those without which neighbours would meet below the bound.
    std::vector<ProvenSum> sums() const {
        std::vector<Line> needed = lines_.all();
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

    static constexpr double kSame = 1e-11;      // more than what a proof is exact to
    static constexpr double kNeedless = 1e-10;  // several lines through one corner

    Search& search_;
    Known known_;
    Cost least_;
    Lines lines_;
    double product_ = std::numeric_limits<double>::infinity();
    Best best_;
};

}  // namespace

Best least_product(Search& search, const Known& known) { return Products(search, known).run(); }

}  // namespace tilewright::fusion
