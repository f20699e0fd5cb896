#include "mapper/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "mapspace/variants.hpp"

namespace tilewright {
namespace {

constexpr double kMappingsOfAChunk = 8192.0;
constexpr std::size_t kBlocksOfAChunk = 256;

}  // namespace

Blocks::Blocks(const Mapspace& mapspace, const LeanEvaluator& evaluator)
    : evaluator_(evaluator),
      space_(mapspace),
      tilings_(mapspace),
      keeps_(std::max(KeepWalk::count(mapspace), 1.0)),
      point_(mapspace.point()) {}

bool Blocks::deal(std::vector<Block>& blocks, const Interrupt& interrupt) {
    const auto stop = [&interrupt] { return interrupt.requested(); };
    double mappings = 0.0;
    while (mappings < kMappingsOfAChunk && blocks.size() < kBlocksOfAChunk) {
        if (orders_ == 0.0) {
            if (!tilings_.next(stop)) break;
            point_ = tilings_.point();
            orders_ = OrderWalk::count(space_, point_);
        }
        mappings += keeps_ * cut_orders(blocks);
    }
    return !blocks.empty();
}

// Deals some orders of the current tiling, all if none can be valid. Returns the mappings per choice of kept tensors.
double Blocks::cut_orders(std::vector<Block>& blocks) {
    const double most = std::max(1.0, std::floor(kMappingsOfAChunk / keeps_));
    if (orders_ > most && pruned(point_)) {
        blocks.push_back({point_, static_cast<std::int64_t>(std::min(orders_, 0x1.0p53))});
        orders_ = 0.0;
        return 1.0;
    }
    const double count = std::min(orders_, most);
    blocks.push_back({point_, static_cast<std::int64_t>(count)});
    orders_ -= count;
    OrderWalk orders(space_, point_);
    for (double i = 0.0; orders_ > 0.0 && i < count; ++i) orders.next();
    return count;
}

// No choice of kept tensors can be valid: the fewest in every memory do not fit, or the loops are illegal.
bool Blocks::pruned(const TilingPoint& point) const {
    const std::optional<ViolationKind> violation = evaluator_.violation(point);
    return violation && *violation != ViolationKind::bypass && *violation != ViolationKind::min_utilization;
}

double count_mappings(const Mapspace& mapspace, double limit, const Interrupt& interrupt) {
    const double keeps = KeepWalk::count(mapspace);
    if (keeps == 0.0) return 0.0;
    double count = 0.0;
    for (TilingWalk walk(mapspace); walk.next([&interrupt] { return interrupt.requested(); });) {
        count += keeps * OrderWalk::count(mapspace, walk.point());
        if (limit > 0.0 && count > limit) break;
    }
    return count;
}

}  // namespace tilewright
