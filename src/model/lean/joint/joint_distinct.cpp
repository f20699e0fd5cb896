// Distinct words of a plain tensor below repacking blocks: an instance has other tiles in shorter steps.
//
// The tiles of one instance are listed as regions. A region chooses, per loop with a different last iteration, that one
// or all others; per block, the instance's place. Two regions have equal or disjoint tiles: they differ as soon as a
// relevant loop or a place does.
#include <algorithm>
#include <memory_resource>

#include "model/lean/blocks.hpp"

namespace tilewright::lean {
namespace {

class Regions {
   public:
    Regions(const Setup& setup, const ImperfectNest& nest, int level, int tensor)
        : nest_(nest), level_(level), form_(setup.tensors[tensor]), around_(setup, nest, level, tensor) {}

    std::optional<double> words() {
        double total = 0.0;
        const auto add_place = [&](const auto& numbers, double count) {
            numbers_ = numbers;
            found_.clear();
            words_ = 0.0;
            list(around_.count(), ~LastMask{0}, 1.0, 0);
            total += count * words_;
            return found_.size() <= kMostRegions;
        };
        if (!visit_places(around_, 0, &memory_, add_place)) return std::nullopt;
        return total;
    }

   private:
    static constexpr std::size_t kMostRegions = 4096;

    // The first `outer` parts of the surroundings; `region` numbers the choices so far, and `tiles` counts its tiles.
    void list(int outer, LastMask last, double tiles, std::uint64_t region) {
        if (outer == 0) return add(last, tiles, region);
        const Around& at = around_[outer - 1];
        last &= at.matters;
        if (at.is_block) return enter(outer, last, tiles, region);
        const ImperfectLoop& loop = around_.loop(at.first);
        const LastMask bit = 1U << loop.dimension;
        const bool relevant = around_.is_relevant(loop.dimension);
        const double trips = (last & bit) != 0 ? loop.remainder : loop.extent;
        const LastMask inside = outer > 1 ? around_[outer - 2].matters : own_matters();
        const bool ends_last = (last & bit & inside) != 0;
        const double alike = trips - (ends_last ? 1.0 : 0.0);
        if (relevant && (inside & bit) != 0) region *= 2;
        if (alike > 0.0) list(outer - 1, last & ~bit, relevant ? tiles * alike : tiles, region);
        if (ends_last) list(outer - 1, last, tiles, relevant ? region + 1 : region);
    }

    void enter(int outer, LastMask last, double tiles, std::uint64_t region) {
        const Around& at = around_[outer - 1];
        const Neighbour neighbour = around_.neighbour(at, last, numbers_[outer - 1]);
        if (!neighbour.exists) return;
        for (int j = at.first; j < at.end; ++j) {
            const ImperfectLoop& loop = around_.loop(j);
            if (around_.is_relevant(loop.dimension))
                region = region * static_cast<std::uint64_t>(loop.extent) +
                         static_cast<std::uint64_t>(neighbour.index[loop.dimension]);
        }
        list(outer - 1, neighbour.inside, tiles, region);
    }

    LastMask own_matters() const {
        LastMask matters = 0;
        for (const Term& term : form_.terms)
            if (nest_.full[level_][term.dimension] != nest_.last[level_][term.dimension])
                matters |= 1U << term.dimension;
        return matters;
    }

    void add(LastMask last, double tiles, std::uint64_t region) {
        if (found_.size() > kMostRegions || std::ranges::find(found_, region) != found_.end()) return;
        found_.push_back(region);
        for (const Term& term : form_.terms) {
            const int d = term.dimension;
            const double extent = (last >> d & 1U) != 0 ? nest_.last[level_][d] : nest_.full[level_][d];
            tiles *= 1.0 + term.reach * (extent - 1.0);
        }
        words_ += tiles;
    }

    std::array<std::byte, 1U << 14> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};

    const ImperfectNest& nest_;
    const int level_;
    const TensorForm& form_;
    const Surroundings around_;
    std::array<std::int64_t, kMaxImperfectLoops> numbers_;  // of the instance, by outer block
    std::pmr::vector<std::uint64_t> found_{&memory_};
    double words_ = 0.0;
};

}  // namespace

std::optional<double> joint_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    return Regions(setup, nest, level, tensor).words();
}

}  // namespace tilewright::lean
