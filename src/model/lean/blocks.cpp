#include "model/lean/blocks.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::lean {

Surroundings::Surroundings(const Setup& setup, const ImperfectNest& nest, int child, int tensor)
    : nest_(nest),
      relevant_(setup.tensors[tensor].relevant),
      ranks_(static_cast<int>(setup.einsum.tensors[tensor].ranks.size())) {
    LastMask matters = 0;
    for (int d = 0; d < setup.einsum.dimension_count(); ++d)
        if (is_relevant(d) && nest.full[child][d] != nest.last[child][d]) matters |= 1U << d;
    for (int j = nest.outside[child]; j < nest.loop_count;) {
        const ImperfectLoop& first = nest.loops[j];
        Around& around = around_[count_++];
        around = {first.spatial, j, first.spatial ? nest.temporal[first.level] : j + 1, 0, 0};
        LastMask spread = 0;
        for (; j < around.end; ++j) {
            const ImperfectLoop& loop = nest.loops[j];
            if (loop.remainder != loop.extent) matters |= 1U << loop.dimension;
            if (loop.spatial) spread |= 1U << loop.dimension;
            int r = 0;
            for (const Rank& rank : setup.einsum.tensors[tensor].ranks) {
                std::int64_t shift = 0;
                for (const tilewright::Term& term : rank.terms)
                    if (term.dimension == loop.dimension)
                        shift += term.coefficient * static_cast<std::int64_t>(loop.step);
                shifts_[j][r++] = shift;
            }
        }
        around.matters = matters;
        around.decides = spread & matters;
    }
}

std::int64_t Surroundings::size(const Around& block) const {
    double size = 1.0;
    for (int j = block.first; j < block.end; ++j) size *= nest_.loops[j].extent;
    return static_cast<std::int64_t>(std::min(size, 2147483648.0));
}

Neighbour Surroundings::neighbour(const Around& block, LastMask last, std::int64_t number) const {
    Neighbour neighbour;
    neighbour.inside = last;
    for (int j = block.first; j < block.end; ++j) {
        const ImperfectLoop& loop = nest_.loops[j];
        const LastMask bit = 1U << loop.dimension;
        const auto trips = static_cast<std::int64_t>((last & bit) != 0 ? loop.remainder : loop.extent);
        const std::int64_t index = number % trips;
        number /= trips;
        neighbour.index[loop.dimension] = static_cast<std::int32_t>(index);
        if (index + 1 < trips) neighbour.inside &= ~bit;
    }
    neighbour.exists = number == 0;
    return neighbour;
}

Position Surroundings::offset(const Around& block, const Neighbour& neighbour) const {
    Position offset{};
    for (int j = block.first; j < block.end; ++j)
        for (int r = 0; r < ranks_; ++r) offset[r] += neighbour.index[nest_.loops[j].dimension] * shifts_[j][r];
    return offset;
}

namespace {

// Variation of a neighbour's work between steps: for every set of last chunks its presence, its own last chunks, and
// its shift from the first place.
class Behaviour {
   public:
    Behaviour(const Surroundings& around, const Around& block, LastMask inside, std::pmr::memory_resource* memory)
        : around_(around), block_(block), inside_(inside), known_(memory) {}

    static constexpr int kMostDeciding = 5;

    /// Number of the first neighbour with this behaviour; `number` itself if new.
    std::int64_t first_alike(std::int64_t number) {
        const std::size_t begin = known_.size();
        describe(number);
        const std::size_t length = known_.size() - begin;
        if (length == 0) return number;
        for (std::size_t other = 0; other < begin; other += length) {
            const auto at = known_.begin() + static_cast<std::ptrdiff_t>(other);
            const auto end = at + static_cast<std::ptrdiff_t>(length);
            if (!std::equal(at + 1, end, known_.begin() + static_cast<std::ptrdiff_t>(begin) + 1)) continue;
            known_.resize(begin);
            return *at;
        }
        return number;
    }

   private:
    void describe(std::int64_t number) {
        known_.push_back(number);
        Position reference{};
        bool found = false;
        LastMask mask = block_.decides;
        for (bool more = true; more; mask = (mask - 1) & block_.decides) {
            more = mask != 0;  // all subsets, the empty one last
            const Neighbour neighbour = around_.neighbour(block_, mask, number);
            known_.push_back(neighbour.exists ? static_cast<std::int64_t>(neighbour.inside & inside_) : -1);
            const Position corner = neighbour.exists ? around_.offset(block_, neighbour) : reference;
            if (neighbour.exists && !found) {
                reference = corner;
                found = true;
            }
            for (int r = 0; r < around_.ranks(); ++r) known_.push_back(corner[r] - reference[r]);
        }
    }

    const Surroundings& around_;
    const Around& block_;
    const LastMask inside_;
    std::pmr::vector<std::int64_t> known_;  // descriptions, one after the other; the number first
};

}  // namespace

std::pmr::vector<PlaceKind> place_kinds(const Surroundings& around, const Around& block,
                                        std::pmr::memory_resource* memory) {
    constexpr std::int64_t kMostNeighbours = 1024;
    std::pmr::vector<PlaceKind> kinds(memory);
    const std::int64_t size = around.size(block);
    if (block.decides == 0) {
        kinds.push_back({0, size});
        return kinds;
    }
    if (size > kMostNeighbours || std::popcount(block.decides) > Behaviour::kMostDeciding) return kinds;
    Behaviour behaviour(around, block, block.decides, memory);
    for (std::int64_t number = 0; number < size; ++number) {
        const std::int64_t first = behaviour.first_alike(number);
        if (first == number)
            kinds.push_back({number, 1});
        else
            ++std::ranges::find(kinds, first, &PlaceKind::number)->count;
    }
    return kinds;
}

}  // namespace tilewright::lean
