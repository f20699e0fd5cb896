#include "certificate/perfect/chained.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "certificate/perfect/bounds.hpp"

namespace tilewright::certificate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

using ByPoint = std::vector<double>;

// The least of all points with more loops of these dimensions.
void look_outwards(const Lattice& lattice, std::uint32_t dimensions, ByPoint& pj) {
    for (int d = 0; dimensions >> d != 0; ++d) {
        if ((dimensions >> d & 1U) == 0) continue;
        for (int point = lattice.size() - 1; point >= 0; --point) {
            double& least = pj[static_cast<std::size_t>(point)];
            for (const Step& step : lattice.steps(point, d))
                if (step.is_prime) least = std::min(least, pj[static_cast<std::size_t>(point + step.by)]);
        }
    }
}

/// One tensor's delivery to a memory, by the first loop outside its tile.
struct ByFirstLoop {
    double staying_pj = 0.0;             ///< it does not move the tensor, nor does any that need not
    std::array<double, kMaxRanks> pj{};  ///< it moves this rank
    double moving_pj = 0.0;              ///< it moves any
};

class Chain {
   public:
    Chain(const Charges& charges, const Lattice& lattice)
        : charges_(charges),
          lattice_(lattice),
          all_((1U << charges.dimension_count()) - 1U),
          next_(static_cast<std::size_t>(lattice.size()), kInfinite),
          outside_(next_) {
        next_.back() = 0.0;  // the outermost memory holds everything
        look_outwards_from(next_);
    }

    std::vector<ByPoint> run() {
        std::vector<ByPoint> tables;
        for (int l = 0; l < charges_.level_count(); ++l) {
            if (sends(l)) {
                add(l);
            } else {
                keep_fitting(l);
            }
            tables.push_back(outside_);
        }
        return tables;
    }

   private:
    bool sends(int level) const {
        for (int t = 0; t < charges_.tensor_count(); ++t)
            if (charges_.delivers(t, level)) return true;
        return false;
    }

    // A memory that is sent nothing may have any tile that fits.
    void keep_fitting(int level) {
        ByPoint here = outside_;
        for (int point = 0; point < lattice_.size(); ++point)
            if (!charges_.fits(level, lattice_.loops(point))) here[static_cast<std::size_t>(point)] = kInfinite;
        look_outwards_from(here);
    }

    void look_outwards_from(ByPoint here) {
        outside_ = std::move(here);
        look_outwards(lattice_, all_, outside_);
    }

    void add(int level) {
        look_at_staying(level);
        ByPoint here(next_.size(), kInfinite);
        for (int point = 0; point < lattice_.size(); ++point) {
            const auto at = static_cast<std::size_t>(point);
            if (outside_[at] < kInfinite && charges_.fits(level, lattice_.loops(point))) here[at] = pj(level, point);
        }
        next_ = here;
        look_outwards_from(std::move(here));
    }

    // By tensor and point: it stays for loops until one moves it before the next memory; or for all of them.
    void look_at_staying(int level) {
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if (!charges_.delivers(t, level)) continue;
            const std::uint32_t moving = charges_.tensor(t).moving;
            ByPoint& moved = moved_[static_cast<std::size_t>(t)];
            moved = next_;
            look_outwards(lattice_, moving, moved);
            for (int point = 0; point < lattice_.size(); ++point)
                if (double& pj = moved[static_cast<std::size_t>(point)]; pj < kInfinite)
                    pj += by_first_loop(t, level, point).moving_pj;
            look_outwards(lattice_, all_ & ~moving, moved);
            ByPoint& never = never_moved_[static_cast<std::size_t>(t)];
            never = next_;
            look_outwards(lattice_, all_ & ~moving, never);
        }
    }

    ByFirstLoop by_first_loop(int t, int level, int point) const {
        const Box& loops = lattice_.loops(point);
        const Addresses& tensor = charges_.tensor(t);
        const FirstWords first = charges_.first_words(t, level, loops);
        const auto pj = [&](int dimension) {
            return charges_.energy_pj(t, level, least_sent(charges_, t, level, loops, dimension), first);
        };
        ByFirstLoop costs;
        costs.staying_pj = pj(-1);
        costs.moving_pj = kInfinite;
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
            if (tensor.dims[r] == 0) continue;
            costs.pj[r] = pj(std::countr_zero(tensor.dims[r]));
            costs.moving_pj = std::min(costs.moving_pj, costs.pj[r]);
        }
        if (costs.moving_pj == kInfinite) costs.moving_pj = costs.staying_pj;  // nothing moves it
        return costs;
    }

    double pj(int level, int point) const {
        const auto at = static_cast<std::size_t>(point);
        std::array<ByFirstLoop, kMaxTensors> costs;
        double staying = 0.0;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if (!charges_.delivers(t, level)) continue;
            costs[static_cast<std::size_t>(t)] = by_first_loop(t, level, point);
            staying += costs[static_cast<std::size_t>(t)].staying_pj;
        }
        double least = kInfinite;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (lattice_.loops(point)[d] < charges_.rest()[d]) least = std::min(least, pj_along(level, d, costs, at));
        return least < kInfinite ? least : staying + outside_[at];  // no loop is left
    }

    // Where just one tensor stays, for how long depends on the next tile; of several each stays as long as it may.
    double pj_along(int level, int d, const std::array<ByFirstLoop, kMaxTensors>& costs, std::size_t at) const {
        double others = 0.0;
        double staying = 0.0;
        int stays = 0;
        std::size_t which = 0;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if (!charges_.delivers(t, level)) continue;
            const Addresses& tensor = charges_.tensor(t);
            const ByFirstLoop& cost = costs[static_cast<std::size_t>(t)];
            if (!tensor.moves(d) && tensor.steady) {
                staying += cost.staying_pj;
                which = static_cast<std::size_t>(t);
                ++stays;
            } else {
                others += tensor.moves(d) ? cost.pj[rank_of(tensor, d)] : cost.staying_pj;
            }
        }
        if (stays != 1) return others + staying + outside_[at];
        return others + std::min(moved_[which][at], staying + never_moved_[which][at]);
    }

    static std::size_t rank_of(const Addresses& tensor, int d) {
        std::size_t rank = 0;
        while ((tensor.dims[rank] >> d & 1U) == 0) ++rank;
        return rank;
    }

    const Charges& charges_;
    const Lattice& lattice_;
    const std::uint32_t all_;
    ByPoint next_;     ///< of the next memory outside that is sent anything, when its tile is at the point
    ByPoint outside_;  ///< of all memories outside, whatever stands between
    std::array<ByPoint, kMaxTensors> moved_;
    std::array<ByPoint, kMaxTensors> never_moved_;
};

}  // namespace

std::vector<std::vector<double>> chained_pj(const Charges& charges, const Lattice& lattice) {
    return Chain(charges, lattice).run();
}

}  // namespace tilewright::certificate
