// Backtracking: lists and judges the nests of an imperfect graph from its ends. Internal to certificate/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "certificate/common/proof.hpp"
#include "certificate/imperfect/charges.hpp"
#include "certificate/imperfect/nests.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::certificate {

// Imperfect graph: all nests of one assignment with spatial remainders, as labels and steps. Internal to certificate/.

/// A step to a label: its predecessor, and the loop between (none at a store or a fan-out).
struct ImperfectEdge {
    static constexpr int kNone = -1;

    std::int32_t from = kNone;
    std::int32_t next = kNone;  ///< of the same label
    std::int16_t level = kNone;
    std::int16_t dimension = kNone;
    std::int32_t factor = 1;
    std::int32_t partial_cost = kNone;  ///< free
};

/// Minimum over all ways to a label; each number by itself.
struct ImperfectKnown {
    PartialCost least;
    double completion_pj = 0.0;  ///< lower bound
    double least_cycles = 0.0;   ///< of whole nests
    std::int32_t edges = ImperfectEdge::kNone;
};

struct ImperfectGraph {
    /// A label with all loops placed.
    struct End {
        std::int32_t label = 0;
        double steps = 1.0;
    };
    std::vector<ImperfectKnown> known;  ///< by label; the first is the start of all nests
    std::vector<ImperfectEdge> edges;
    std::vector<PartialCost> partial_costs;
    std::vector<End> ends;
};

class Backtracking {
   public:
    /// All have to outlive it. With a `sink` all nests are reported to it, and none is judged.
    Backtracking(const ImperfectGraph& graph, const Mapspace& mapspace, const ImperfectCharges& charges,
                 const LeanEvaluator& evaluator, const Goal& goal, const std::function<bool()>& stop,
                 const NestSink& sink)
        : graph_(graph),
          mapspace_(mapspace),
          charges_(charges),
          evaluator_(evaluator),
          goal_(goal),
          stop_(stop),
          sink_(sink) {}

    /// Follows all ways whose partial cost may still beat the goal.
    ImperfectFinding run();

   private:
    struct Loop {
        int level = 0;
        int dimension = 0;
        std::int32_t factor = 1;
    };

    void go_back(std::int32_t label, const PartialCost& after, double steps);
    bool continues(const ImperfectEdge& edge) const;
    void judge(const Cost& bound);
    void judge(const TilingPoint& nest, const Cost& bound);
    std::optional<TilingPoint> point() const;

    const ImperfectGraph& graph_;
    const Mapspace& mapspace_;
    const ImperfectCharges& charges_;
    const LeanEvaluator& evaluator_;
    LeanScratch scratch_;
    const Goal& goal_;
    const std::function<bool()>& stop_;
    const NestSink& sink_;
    std::vector<Loop> nest_;  ///< outermost first
    std::vector<double> least_cycles_;
    std::vector<double> more_pj_;  ///< completion cost from there on beyond the partial costs
    std::int64_t steps_ = 0;
    std::int64_t nests_ = 0;
    ImperfectFinding finding_;
};

}  // namespace tilewright::certificate
