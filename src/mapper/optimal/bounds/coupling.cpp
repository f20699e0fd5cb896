#include "mapper/optimal/bounds/coupling.hpp"

#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"

namespace tilewright::optimal {
namespace {

using ByPoint = std::vector<double>;

/// Memories from `outer` to `inner` with one tile: no loops between them.
struct Station {
    int outer = 0;
    int inner = 0;
    std::uint32_t sent = 0;  ///< bit t: some memory has deliveries of tensor t
};

class Coupling {
   public:
    Coupling(const TileTable& tiles, const Reach& reach)
        : tiles_(tiles), charges_(tiles.charges()), lattice_(tiles.lattice()), reach_(reach) {}

    std::vector<ByPoint> run() {
        std::vector<ByPoint> tables(static_cast<std::size_t>(charges_.level_count()));
        if (!compete()) return tables;
        for (int outer = 0; outer < charges_.level_count();) {
            const Station station = station_from(outer);
            if (station.sent != 0) pass(station);
            between_ |= reach_.dimensions(station.inner);
            if (!here_.empty()) {
                lattice_.take_least(reach_.dimensions(station.inner), outside_);
                tables[station.inner] = outside_;
            }
            outer = station.inner + 1;
        }
        return tables;
    }

   private:
    Station station_from(int outer) const {
        Station station{outer, outer, 0};
        while (station.inner + 1 < charges_.level_count() && reach_.dimensions(station.inner) == 0) ++station.inner;
        for (int l = station.outer; l <= station.inner; ++l)
            for (int t = 0; t < charges_.tensor_count(); ++t)
                if (charges_.delivers(t, l)) station.sent |= 1U << t;
        return station;
    }

    // With one tensor per memory every memory has its best loops anyway: coupling adds nothing.
    bool compete() const {
        bool outermost = true;
        for (int outer = 0; outer < charges_.level_count();) {
            const Station station = station_from(outer);
            if (!outermost && std::popcount(station.sent) > 1) return true;
            outermost = outermost && station.sent == 0;
            outer = station.inner + 1;
        }
        return false;
    }

    void pass(const Station& station) {
        look_at_resting(station);
        ByPoint now(static_cast<std::size_t>(lattice_.size()), kInfinite);
        for (const int point : reach_.points(station.inner)) now[point] = pj(station, point);
        here_ = now;
        outside_ = std::move(now);
        between_ = 0;
    }

    // Least cost of a tensor and all deliveries further out while it rests before the next memory, or beyond.
    void look_at_resting(const Station& station) {
        if (here_.empty() || std::popcount(station.sent) < 2) return;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if ((station.sent >> t & 1U) == 0) continue;
            const std::uint32_t moving = charges_.setup().tensors[t].relevant;
            ByPoint& until = until_[t];
            until = here_;
            lattice_.take_least(between_ & moving, until);
            for (int point = 0; point < lattice_.size(); ++point)
                if (double& pj = until[point]; pj < kInfinite)
                    for (int l = station.outer; l <= station.inner; ++l)
                        if (charges_.delivers(t, l)) pj += tiles_.least_moving_pj(t, l, point);
            lattice_.take_least(between_ & ~moving, until);
            ByPoint& beyond = beyond_[t];
            beyond = here_;
            lattice_.take_least(between_ & ~moving, beyond);
        }
    }

    double pj(const Station& station, int point) const {
        const auto at = static_cast<std::size_t>(point);
        FirstLoops loops;
        double asked = 0.0;
        for (int l = station.outer; l <= station.inner; ++l) {
            tiles_.add_first_loops(l, point, loops);
            asked += tiles_.asked_pj(l, point);
        }
        double least = kInfinite;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (lattice_.loops(point)[d] < charges_.rest()[d]) least = std::min(least, pj_along(station, d, loops, at));
        if (least == kInfinite) least = loops.along[0] + outside(at);  // no loops are left
        return asked + least;
    }

    // A single tensor rests for a known number of iterations. Of several tensors each rests as long as possible.
    double pj_along(const Station& station, int d, const FirstLoops& loops, std::size_t at) const {
        int resting = -1;
        int count = 0;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if ((station.sent >> t & 1U) == 0 || !rests(t, d)) continue;
            resting = t;
            ++count;
        }
        if (count != 1 || here_.empty() || std::popcount(station.sent) < 2) return loops.along[d] + outside(at);
        const auto t = static_cast<std::size_t>(resting);
        const double others = loops.along[d] - loops.still[t];
        return std::min(others + until_[t][at], loops.along[d] + beyond_[t][at]);
    }

    bool rests(int tensor, int d) const {
        const lean::TensorForm& form = charges_.setup().tensors[tensor];
        return !form.tangled && (form.relevant >> d & 1U) == 0;
    }

    double outside(std::size_t at) const { return here_.empty() ? 0.0 : outside_[at]; }

    const TileTable& tiles_;
    const Charges& charges_;
    const Lattice& lattice_;
    const Reach& reach_;
    std::uint32_t between_ = 0;  ///< dimensions allowed between the current memories
    ByPoint here_;               ///< deliveries to the next outer memory, by its tile's point
    ByPoint outside_;            ///< that memory and all further out, minimum over the loops between
    std::array<ByPoint, kMaxTensors> until_;
    std::array<ByPoint, kMaxTensors> beyond_;
};

}  // namespace

std::vector<std::vector<double>> coupled_pj(const TileTable& tiles, const Reach& reach) {
    return Coupling(tiles, reach).run();
}

}  // namespace tilewright::optimal
