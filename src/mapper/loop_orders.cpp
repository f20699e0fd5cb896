#include "mapper/loop_orders.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/count.hpp"
#include "base/numbers/factors.hpp"
#include "mapper/chunks.hpp"

namespace tilewright {
namespace {

using Order = std::span<const std::uint8_t>;

struct Factor {
    int dimension;
    std::int32_t size;

    bool operator==(const Factor&) const = default;
};

// The loops left by one choice of spatial loops, and the allocation of their orders.
class Allocator {
   public:
    Allocator(const Mapspace& space, const LeanEvaluator& evaluator, const TilingPoint& spatial, int limit)
        : space_(space), evaluator_(evaluator), base_(spatial) {
        put_all_outermost();
        deal_prescribed();
        drop_what_does_not_fit();
        split(limit);
    }

    /// Ascending by kind.
    const std::vector<std::uint8_t>& first_order() const { return first_; }

    /// False if the constraints forbid the allocation.
    bool allocate(Order order, TilingPoint& point) const {
        point = base_;
        std::size_t next = 0;
        for (int level = space_.level_count() - 1; level > 0; --level)
            if (!point[level].keep.empty()) next = fill(order, next, level, point);
        place(order.subspan(next), point[0]);
        space_.arrange(point);
        return space_.contains(point);
    }

   private:
    void put_all_outermost() {
        for (int d = 0; d < space_.dimension_count(); ++d) {
            std::int64_t rest = evaluator_.einsum().dimensions[d].extent;
            for (int l = 0; l < space_.level_count(); ++l) rest /= base_[l].spatial[d];
            base_[0].temporal[d] = static_cast<std::int32_t>(rest);
        }
        for (int l = 0; l < space_.level_count(); ++l)
            base_[l].keep = TensorSet::from_bits(space_.kept_tensors(l).bits() | space_.free_tensors(l).bits());
    }

    // The least factors prescribed by constraints at inner memories.
    void deal_prescribed() {
        for (int level = space_.level_count() - 1; level > 0; --level)
            for (int d = 0; d < space_.dimension_count(); ++d) {
                const FactorBounds& bounds = space_.temporal_bounds(level, d);
                if (bounds.at_least <= 1) continue;
                for (const std::int64_t factor : divisors(base_[0].temporal[d])) {
                    if (!bounds.allows(factor)) continue;
                    base_[level].temporal[d] = static_cast<std::int32_t>(factor);
                    base_[0].temporal[d] /= static_cast<std::int32_t>(factor);
                    break;
                }
            }
    }

    // From the innermost memory outwards, optional tensors are dropped while the smallest tiles are too large.
    void drop_what_does_not_fit() {
        for (int level = space_.level_count() - 1; level >= 0 && !fits(base_); --level)
            for (std::uint32_t left = space_.free_tensors(level).bits(); left != 0 && !fits(base_); left &= left - 1)
                base_[level].keep = TensorSet::from_bits(base_[level].keep.bits() & ~(left & -left));
    }

    void split(int limit) {
        std::vector<int> dimensions;
        std::vector<std::vector<std::int64_t>> groups;
        for (int d = 0; d < space_.dimension_count(); ++d) {
            if (base_[0].temporal[d] == 1) continue;
            dimensions.push_back(d);
            groups.emplace_back();
            for (const PrimePower& power : prime_factors(base_[0].temporal[d]))
                groups.back().insert(groups.back().end(), static_cast<std::size_t>(power.power), power.prime);
        }
        limit_factors(groups, limit);
        for (std::size_t g = 0; g < groups.size(); ++g)
            for (const std::int64_t size : groups[g]) add({dimensions[g], static_cast<std::int32_t>(size)});
    }

    void add(const Factor& factor) {
        if (kinds_.empty() || !(kinds_.back() == factor)) kinds_.push_back(factor);
        first_.push_back(static_cast<std::uint8_t>(kinds_.size() - 1));
    }

    bool fits(const TilingPoint& point) const {
        return evaluator_.violation(point) != std::optional(ViolationKind::capacity);
    }

    // Gives a memory loops from `next` on while they fit; returns the first one left.
    std::size_t fill(Order order, std::size_t next, int level, TilingPoint& point) const {
        const std::size_t begin = next;
        for (; next < order.size(); ++next) {
            const Factor& factor = kinds_[order[next]];
            std::int32_t& here = point[level].temporal[factor.dimension];
            std::int32_t& outside = point[0].temporal[factor.dimension];
            if (std::int64_t{here} * factor.size > space_.temporal_bounds(level, factor.dimension).at_most) break;
            here *= factor.size;
            outside /= factor.size;
            if (fits(point)) continue;
            here /= factor.size;
            outside *= factor.size;
            break;
        }
        place(order.subspan(begin, next - begin), point[level]);
        return next;
    }

    // Loops in the order of their first factors, then the rest.
    void place(Order loops, TilingLevel& level) const {
        std::uint32_t placed = 0;
        int count = 0;
        const auto put = [&](int d) {
            if ((placed >> d & 1U) != 0) return;
            placed |= 1U << d;
            level.order[count++] = static_cast<std::uint8_t>(d);
        };
        for (const std::uint8_t kind : loops) put(kinds_[kind].dimension);
        for (int d = 0; d < space_.dimension_count(); ++d) put(d);
    }

    const Mapspace& space_;
    const LeanEvaluator& evaluator_;
    TilingPoint base_;
    std::vector<Factor> kinds_;
    std::vector<std::uint8_t> first_;
};

// Some orders of one choice of spatial loops, or one chain over them.
struct Share {
    const Allocator* allocator = nullptr;
    Count first = 0;
    std::int64_t orders = 0;  ///< 0: a chain
};

constexpr std::int64_t kOrdersOfAShare = 4096;

// Nothing if too many to count.
std::optional<Count> orders_of(const Allocator& allocator) {
    try {
        return count_orders(allocator.first_order());
    } catch (const OverflowError&) {
        return std::nullopt;
    }
}

void add_orders(const Allocator& allocator, Count orders, std::vector<Share>& shares) {
    for (Count first = 0; first < orders; first += static_cast<Count>(kOrdersOfAShare))
        shares.push_back({&allocator, first,
                          static_cast<std::int64_t>(std::min(orders - first, static_cast<Count>(kOrdersOfAShare)))});
}

double propose(Chunk& chunk, const Allocator& allocator, Order order, TilingPoint& point) {
    if (allocator.allocate(order, point)) return chunk.propose(point).value;
    chunk.dead_end();
    return std::numeric_limits<double>::infinity();
}

void run(Chunk& chunk, const Share& share, const LoopOrderMapper::Options& options) {
    TilingPoint point = chunk.mapspace.point();
    const auto over = [&] { return chunk.over(); };
    const auto cost = [&](Order order) {
        return over() ? std::numeric_limits<double>::infinity() : propose(chunk, *share.allocator, order, point);
    };
    if (share.orders == 0) {
        OrderChain chain(share.allocator->first_order(), cost, chunk.random.next());
        return anneal_as_salsa(chain, options.cooling, options.iterations, over);
    }
    std::vector<std::uint8_t> order = share.allocator->first_order();
    make_order(order, share.first);
    for (std::int64_t i = 0; i < share.orders && !over(); ++i, next_order(order)) cost(order);
}

SearchResult too_large(std::optional<Count> orders) {
    SearchResult result;
    result.stopped = StopReason::too_large;
    result.space = orders ? static_cast<double>(*orders) : std::numeric_limits<double>::infinity();
    return result;
}

}  // namespace

SearchResult LoopOrderMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                     const Objective& objective, const Budget& budget,
                                     const ProgressCallback& progress) const {
    if (mapspace.has_remainders()) {
        SearchResult result;
        result.remark =
            std::string(name()) + " orders perfect factors only, and a constraint or the factor rule allows remainders";
        return result;
    }
    const bool loma = strategy_ == Strategy::loma;
    const int limit = loma ? options_.lpf_limit : std::numeric_limits<int>::max();
    std::vector<Allocator> allocators;
    for (const TilingPoint& spatial : best_spatial_choices(mapspace, options_.spatial_choices))
        allocators.emplace_back(mapspace, evaluator, spatial, limit);
    std::vector<Share> shares;
    for (const Allocator& allocator : allocators) {
        const std::optional<Count> orders = orders_of(allocator);
        const std::int64_t most = loma ? budget.largest_space : options_.iterations;
        const bool all = orders && (*orders <= static_cast<Count>(most) || (loma && most == 0));
        if (all) add_orders(allocator, *orders, shares);
        if (!all && loma) return too_large(orders);
        for (std::int64_t chain = 0; !all && chain < options_.chains; ++chain) shares.push_back({&allocator, 0, 0});
    }
    std::size_t dealt = 0;
    const Work work{[&](Chunk& chunk) { run(chunk, shares[chunk.number], options_); },
                    [&](std::vector<Block>&, const Interrupt&) { return dealt++ < shares.size(); }};
    return search_in_chunks(mapspace, evaluator, objective, budget, progress, work);
}

namespace {

constexpr int kMostListed = 100'000;
constexpr int kDraws = 5'000;

double indicator(const TilingPoint& point) {
    double units = 1.0;
    double most = 1.0;  // of one dimension
    for (int d = 0; d < point.dimension_count(); ++d) {
        double of_dimension = 1.0;
        for (int l = 0; l < point.level_count(); ++l) of_dimension *= point[l].spatial[d];
        units *= of_dimension;
        most = std::max(most, of_dimension);
    }
    return units + (units / most - 1.0);
}

struct OrderChoice {
    TilingPoint point;
    double indicator;
};

class BestFew {
   public:
    explicit BestFew(int most) : most_(static_cast<std::size_t>(most)) {}

    void take(const TilingPoint& point) {
        const double value = indicator(point);
        if (choices_.size() == most_ && value <= choices_.back().indicator) return;
        if (std::any_of(choices_.begin(), choices_.end(), [&](const OrderChoice& one) { return one.point == point; }))
            return;
        const auto place = std::find_if(choices_.begin(), choices_.end(),
                                        [&](const OrderChoice& one) { return value > one.indicator; });
        choices_.insert(place, {point, value});
        if (choices_.size() > most_) choices_.pop_back();
    }

    std::vector<TilingPoint> points() const {
        std::vector<TilingPoint> points;
        for (const OrderChoice& choice : choices_) points.push_back(choice.point);
        return points;
    }

   private:
    std::size_t most_;
    std::vector<OrderChoice> choices_;
};

// The spatial loops of a point, all else 1.
TilingPoint spatial_part(const Mapspace& mapspace, const TilingPoint& from) {
    TilingPoint point = mapspace.first_point();
    for (int l = 0; l < point.level_count(); ++l) {
        point[l].spatial = from[l].spatial;
        point[l].along_x = from[l].along_x;
        point[l].along_y = from[l].along_y;
        point[l].spatial_order = from[l].spatial_order;
    }
    return point;
}

}  // namespace

std::vector<TilingPoint> best_spatial_choices(const Mapspace& mapspace, int most) {
    BestFew best(most);
    int listed = 0;
    const bool all = mapspace.enumerate_spatial([&](const TilingPoint& point) {
        best.take(point);
        return ++listed < kMostListed;
    });
    if (all) return best.points();
    Random random(1);
    TilingPoint point = mapspace.point();
    for (int i = 0; i < kDraws; ++i)
        if (mapspace.sample(random, point)) best.take(spatial_part(mapspace, point));
    return best.points();
}

}  // namespace tilewright
