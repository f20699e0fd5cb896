#include "schedule/scratchpad/packing.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright::schedule {
namespace {

// Segments between two pinned blocks, and the value of keeping them.
struct Interval {
    std::size_t begin = 0;  ///< of the segments
    std::size_t end = 0;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
};

class Packer {
   public:
    Packer(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
           const Residents& residents)
        : segments_(segments), blocks_(blocks), residents_(residents), order_(blocks.size()), in_(blocks.size(), 0) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
        for (std::size_t i = 0; i < segments.size(); ++i) {
            if (pinned(segments[i])) continue;
            const bool goes_on = !intervals_.empty() && intervals_.back().end == i;
            if (!goes_on) intervals_.push_back({i, i, segments[i].address, 0});
            intervals_.back().end = i + 1;
            intervals_.back().bytes += segments[i].bytes;
        }
        taken_.resize(intervals_.size(), 0);
    }

    std::optional<Packing> run() {
        distribute(0);
        if (!best_) return std::nullopt;
        best_->exact = steps_ < kMostSteps;
        return std::move(best_);
    }

   private:
    static constexpr int kMostSteps = 20000;

    bool pinned(const MemoryMap::Segment& one) const { return one.tile >= 0 && residents_.pinned[one.tile] != 0; }
    double worth(const MemoryMap::Segment& one) const {
        if (one.tile < 0) return 0.0;
        const auto tile = static_cast<std::size_t>(one.tile);
        return residents_.loss.empty() ? static_cast<double>(residents_.stake[tile]) : residents_.loss[tile];
    }

    // Block by block, largest first; equal blocks go to the same interval or later ones.
    void distribute(std::size_t next) {
        if (++steps_ > kMostSteps) return;
        if (next == order_.size()) return keep();
        const std::size_t block = order_[next];
        const bool like_before = next > 0 && blocks_[order_[next - 1]].bytes == blocks_[block].bytes;
        for (std::size_t i = like_before ? in_[order_[next - 1]] : 0; i < intervals_.size(); ++i) {
            if (taken_[i] + blocks_[block].bytes > intervals_[i].bytes) continue;
            taken_[i] += blocks_[block].bytes;
            in_[block] = i;
            distribute(next + 1);
            taken_[i] -= blocks_[block].bytes;
        }
    }

    // Value spilled to free these bytes at one end of an interval.
    double spill(const Interval& interval, std::int64_t bytes, bool at_end, std::vector<int>* spilled) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < interval.end - interval.begin && bytes > 0; ++i) {
            const MemoryMap::Segment& one = segments_[at_end ? interval.end - 1 - i : interval.begin + i];
            sum += worth(one);
            bytes -= one.bytes;
            if (spilled != nullptr && one.tile >= 0) spilled->push_back(one.tile);
        }
        return sum;
    }

    void keep() {
        double cost = 0.0;
        std::vector<char> at_end(intervals_.size(), 0);
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            const double low = spill(intervals_[i], taken_[i], false, nullptr);
            const double high = spill(intervals_[i], taken_[i], true, nullptr);
            at_end[i] = high < low ? 1 : 0;
            cost += std::min(low, high);
        }
        if (best_ && cost >= best_cost_) return;
        best_cost_ = cost;
        best_ = Packing{std::vector<std::int64_t>(blocks_.size(), 0), {}, false};
        std::vector<std::int64_t> next;
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            const Interval& one = intervals_[i];
            next.push_back(at_end[i] != 0 ? one.address + one.bytes - taken_[i] : one.address);
            spill(one, taken_[i], at_end[i] != 0, &best_->spilled);
        }
        for (const std::size_t block : order_) {
            best_->address[block] = next[in_[block]];
            next[in_[block]] += blocks_[block].bytes;
        }
    }

    const std::vector<MemoryMap::Segment>& segments_;
    const std::vector<NewBlock>& blocks_;
    const Residents& residents_;
    std::vector<Interval> intervals_;
    std::vector<std::size_t> order_;   ///< of the blocks, largest first
    std::vector<std::size_t> in_;      ///< by block, its interval
    std::vector<std::int64_t> taken_;  ///< by interval
    int steps_ = 0;
    double best_cost_ = 0.0;
    std::optional<Packing> best_;
};

}  // namespace

std::optional<Packing> pack(const std::vector<MemoryMap::Segment>& segments, const std::vector<NewBlock>& blocks,
                            const Residents& residents) {
    return Packer(segments, blocks, residents).run();
}

}  // namespace tilewright::schedule
