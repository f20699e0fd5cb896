#include "mapper/sparse/sparse_search.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/deadline.hpp"
#include "mapper/sparse/part.hpp"
#include "model/sparse/steps.hpp"
#include "model/sparse/word_prices.hpp"

namespace tilewright {
namespace {

using sparse::Kept;
using sparse::Part;
using sparse::WordPrices;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Sums of the two accounts are made in different orders.
constexpr double kSameSum = 1.0 - 1e-9;
constexpr std::size_t kMostWays = 64;

class SparseMapping {
   public:
    SparseMapping(const SparseProblem& problem, const Mapper& mapper, const Objective& objective, const Budget& budget,
                  const SparseEffort& effort)
        : problem_(problem),
          mapper_(mapper),
          objective_(objective),
          budget_(budget),
          effort_(effort),
          interrupt_(budget.stop, deadline_after(Clock::now(), budget.time)),
          counting_(problem, objective) {}

    SearchResult run() {
        const Mapspace mapspace(layer().einsum, layer().architecture, layer().constraints);
        if (mapspace.has_remainders()) return refused("constraints allow remainders, which are not counted with zeros");
        const auto ways = sparse::ways_to_keep(mapspace, layer().einsum.tensor_count(), kMostWays);
        if (!ways)
            return refused(
                "there are more than 64 ways to choose which tensors each memory keeps: constrain them "
                "(bypass), or give --dense");
        for (const Kept& kept : *ways)
            if (!interrupt_.requested()) add_part(kept);
        all_parts_ = !interrupt_.requested();
        if (!is_closed())
            improve(parts_[counting_.best().part], counting_.best().part, effort_.tries, budget_.seed, interrupt_,
                    counting_);
        if (bounds()) see_what_is_open();
        return finished();
    }

   private:
    const LayerProblem& layer() const { return problem_.layer; }

    static SearchResult refused(std::string why) {
        SearchResult result;
        result.stopped = StopReason::fruitless;
        result.remark = std::move(why);
        return result;
    }

    /// The mapper bounds what it does not see.
    bool bounds() const { return mapper_.name() == "optimal" || mapper_.name() == "exhaustive"; }

    Budget budget_left() const {
        Budget left = budget_;
        if (left.time) *left.time = std::max(Seconds(0.0), Seconds(*budget_.time - (Clock::now() - begin_)));
        return left;
    }

    // What nothing found or left open in a search is less than.
    static Score bound_of(const SearchResult& found) {
        if (is_proven(found)) return found.score;
        if (found.lower_bound) return {*found.lower_bound, 0.0};
        const bool none =
            !found.best && (found.stopped == StopReason::exhausted || found.stopped == StopReason::empty_mapspace);
        return none ? Score{} : Score{0.0, 0.0};
    }

    /// Prices that hold for all mappings, those without metadata among them.
    std::shared_ptr<const lean::Prices> shared(WordPrices prices) const {
        return std::make_shared<const lean::Prices>(std::move(prices.prices));
    }

    void add_part(const Kept& kept) {
        const Constraints constraints = sparse::that_keep(layer(), kept);
        try {
            const WordPrices prices = priced(kept, true);
            const auto least = shared(prices.with_metadata.empty() ? prices : priced(kept, false));
            Mapspace mapspace(layer().einsum, layer().architecture, constraints);
            if (!mapspace.problem().empty()) return;
            parts_.push_back({std::move(mapspace), {layer().einsum, layer().architecture, least}, objective_, {}});
            parts_.back().bound = searched(parts_.back().mapspace, shared(prices));
            for (const sparse::TilePlace& place : prices.with_metadata) search_single_words(constraints, place, least);
        } catch (const sparse::Uncounted& what) {
            left_out_ = what.what();
        }
    }

    WordPrices priced(const Kept& kept, bool metadata) const {
        return sparse::word_prices(layer().einsum, layer().architecture, problem_.design, kept, metadata);
    }

    // Tiles of a single word have no metadata.
    void search_single_words(const Constraints& constraints, const sparse::TilePlace& place,
                             const std::shared_ptr<const lean::Prices>& least) {
        const auto single = sparse::with_single_word(layer().einsum, constraints, place.tensor, place.memory);
        if (!single || !bounds()) return;
        const Mapspace mapspace(layer().einsum, layer().architecture, *single);
        if (!mapspace.problem().empty()) return;
        parts_.back().bound = std::min(parts_.back().bound, searched(mapspace, least));
    }

    // Of mappings of the last part.
    Score searched(const Mapspace& mapspace, const std::shared_ptr<const lean::Prices>& prices) {
        const LeanEvaluator evaluator(layer().einsum, layer().architecture, prices);
        const SearchResult found = mapper_.search(mapspace, evaluator, objective_, budget_left(), {});
        statistics_.add(found.statistics);
        if (found.best) counting_.offer(*found.best, parts_.size() - 1);
        return bound_of(found);
    }

    // Mappings with this bound may be better than the best so far.
    bool is_open(const Score& bound) const {
        const Score& best = counting_.best().score;
        if (bound.value < best.value * kSameSum) return true;
        return objective_.kind == ObjectiveKind::latency && bound.value <= best.value &&
               bound.tie < best.tie * kSameSum;
    }

    bool is_closed() const {
        return !counting_.best().mapping ||
               std::ranges::none_of(parts_, [&](const Part& part) { return is_open(part.bound); });
    }

    void see_what_is_open() {
        for (std::size_t i = 0; i < parts_.size() && !interrupt_.requested(); ++i)
            if (is_open(parts_[i].bound) && see_all(parts_[i], i, effort_.most_seen, interrupt_, counting_))
                parts_[i].bound = Score{};
    }

    SearchResult finished() {
        SearchResult result;
        const sparse::BestCounted& best = counting_.best();
        result.best = best.mapping;
        result.cost = best.cost;
        result.score = best.score;
        result.statistics = statistics_;
        result.statistics.evaluations += counting_.counted();
        result.statistics.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        result.stopped = reason();
        if (best.mapping && bounds() && all_parts_) {
            Score least = best.score;
            for (const Part& part : parts_) least = std::min(least, is_open(part.bound) ? part.bound : best.score);
            result.lower_bound = least.value;
        }
        result.remark = remark();
        return result;
    }

    StopReason reason() const {
        if (interrupt_.interrupted()) return StopReason::interrupted;
        if (interrupt_.timed_out()) return StopReason::time;
        if (!counting_.best().mapping) return StopReason::fruitless;
        if (!bounds()) return StopReason::finished;
        return all_parts_ && is_closed() ? StopReason::proven : StopReason::bounded;
    }

    std::string remark() const {
        const std::string& why = counting_.uncounted().empty() ? left_out_ : counting_.uncounted();
        if (why.empty()) return "";
        if (!counting_.best().mapping) return "no mapping was found that the exact account of zeros counts: " + why;
        return "of mappings that the exact account of zeros counts (not of others: " + why + ")";
    }

    const SparseProblem& problem_;
    const Mapper& mapper_;
    const Objective& objective_;
    const Budget& budget_;
    const SparseEffort& effort_;
    const Clock::time_point begin_ = Clock::now();
    Interrupt interrupt_;
    sparse::Counting counting_;
    std::vector<Part> parts_;
    SearchStatistics statistics_;
    std::string left_out_;  ///< why some ways to keep tensors have no mappings that are counted
    bool all_parts_ = false;
};

}  // namespace

SearchResult search_sparse(const SparseProblem& problem, const Mapper& mapper, const Objective& objective,
                           const Budget& budget, const SparseEffort& effort) {
    return SparseMapping(problem, mapper, objective, budget, effort).run();
}

}  // namespace tilewright
