#include <algorithm>
#include <bit>
#include <span>

#include "base/numbers/checked.hpp"
#include "certificate/perfect/bounds.hpp"

namespace tilewright::certificate {
namespace {

using ByPoint = std::vector<double>;

/// The fitting tiles of a memory with lower bounds of its deliveries.
struct Fitting {
    bool are_all = false;  ///< and it has no delivery
    std::vector<int> points;
    std::vector<double> along;    ///< by point and dimension of the first loop outside
    std::vector<double> staying;  ///< by point and tensor
};

class ChainOfTiles {
   public:
    ChainOfTiles(const Charges& charges, TileNumbers& tiles)
        : charges_(charges),
          tiles_(tiles),
          lattice_(tiles.lattice()),
          dimensions_(static_cast<std::size_t>(charges.dimension_count())),
          tensors_(static_cast<std::size_t>(charges.tensor_count())),
          all_((1U << dimensions_) - 1U),
          levels_(static_cast<std::size_t>(charges.level_count())),
          next_(static_cast<std::size_t>(lattice_.size()), kInfinite) {
        next_.back() = 0.0;  // the outermost memory holds everything
        look_outwards_from(next_);
    }

    std::optional<std::vector<ByPoint>> run(const std::function<bool(double)>& out_of_reach) {
        if (!look_at_each_alone(out_of_reach)) return std::nullopt;
        std::vector<ByPoint> tables;
        double inside = all_alone_pj_;  // of the memories to come
        for (int l = 0; l < charges_.level_count(); ++l) {
            const Fitting& fitting = levels_[l];
            inside -= alone_pj_[l];
            if (sends(l)) {
                add(l, fitting);
            } else {
                keep(fitting);
            }
            tables.push_back(outside_);
            if (outside_.front() == kInfinite) return std::nullopt;
            constexpr double kRounding = 1.0 - 1e-12;
            if (out_of_reach((inside + outside_.front()) * kRounding)) return std::nullopt;
        }
        return tables;
    }

   private:
    bool sends(int level) const {
        for (int t = 0; t < charges_.tensor_count(); ++t)
            if (charges_.delivers(t, level)) return true;
        return false;
    }

    // Innermost memories first: the fewest tiles fit there. False if already out of reach.
    bool look_at_each_alone(const std::function<bool(double)>& out_of_reach) {
        alone_pj_.resize(levels_.size(), 0.0);
        all_alone_pj_ = tiles_.inside_pj(charges_);
        for (int l = 0; l < charges_.level_count(); ++l) {
            for (int t = 0; t < charges_.tensor_count(); ++t)
                if (charges_.delivers(t, l)) alone_pj_[l] += every_word_once_pj(charges_, t, l);
            all_alone_pj_ += alone_pj_[l];
        }
        for (int l = charges_.level_count() - 1; l >= 0; --l) {
            const double least = look_at(l, levels_[l]);
            if (least == kInfinite) return false;
            double& alone = alone_pj_[l];
            if (least <= alone) continue;
            all_alone_pj_ += least - alone;
            alone = least;
            if (out_of_reach(all_alone_pj_)) return false;
        }
        return true;
    }

    // Minimum over all fitting tiles.
    double look_at(int level, Fitting& fitting) {
        fitting.are_all = !sends(level) && charges_.assignment()[level].keep.bits() == 0;
        if (fitting.are_all) return 0.0;
        double least = kInfinite;
        for (int point = 0; point < lattice_.size(); ++point) {
            if (!tiles_.fits(charges_, level, point)) continue;
            fitting.points.push_back(point);
            least = std::min(least, sends(level) ? look_at(level, point, fitting) : 0.0);
        }
        return least;
    }

    double look_at(int level, int point, Fitting& fitting) {
        fitting.along.resize(fitting.along.size() + dimensions_, tiles_.asked_pj(charges_, level, point));
        fitting.staying.resize(fitting.staying.size() + tensors_, 0.0);
        const std::span<double> along = std::span(fitting.along).last(dimensions_);
        for (std::size_t t = 0; t < tensors_; ++t) {
            const int tensor = static_cast<int>(t);
            if (!charges_.delivers(tensor, level)) continue;
            const ByFirstLoop& costs = tiles_.by_first_loop(charges_, tensor, level, point);
            std::span(fitting.staying).last(tensors_)[t] = costs.staying_pj;
            for (std::size_t d = 0; d < dimensions_; ++d) {
                const int rank = tiles_.rank_moved(tensor, static_cast<int>(d));
                along[d] += rank < 0 ? costs.staying_pj : costs.pj[rank];
            }
        }
        double least = kInfinite;
        for (std::size_t d = 0; d < dimensions_; ++d)
            if (is_left(point, d)) least = std::min(least, along[d]);
        return least < kInfinite ? least : along.front();
    }

    bool is_left(int point, std::size_t d) const { return lattice_.loops(point)[d] < charges_.rest()[d]; }

    // A memory without deliveries may have any fitting tile.
    void keep(const Fitting& fitting) {
        if (fitting.are_all) return;
        ByPoint here(outside_.size(), kInfinite);
        for (const int point : fitting.points) here[point] = outside_[point];
        look_outwards_from(std::move(here));
    }

    void look_outwards_from(ByPoint here) {
        outside_ = std::move(here);
        lattice_.look_outwards(all_, outside_);
    }

    void add(int level, const Fitting& fitting) {
        look_at_staying(level);
        ByPoint here(next_.size(), kInfinite);
        for (std::size_t i = 0; i < fitting.points.size(); ++i)
            if (const auto at = static_cast<std::size_t>(fitting.points[i]); outside_[at] < kInfinite)
                here[at] = pj(fitting, i);
        next_ = here;
        look_outwards_from(std::move(here));
    }

    // By tensor and point: it rests until a loop moves it before the next memory, or for all of them.
    void look_at_staying(int level) {
        stays_.assign(dimensions_, kNone);
        std::uint32_t wanted = 0;
        for (std::size_t d = 0; d < dimensions_; ++d) {
            int count = 0;
            for (int t = 0; t < charges_.tensor_count(); ++t) {
                const Addresses& tensor = charges_.tensor(t);
                if (!charges_.delivers(t, level) || tensor.moves(static_cast<int>(d)) || !tensor.steady) continue;
                stays_[d] = t;
                ++count;
            }
            if (count != 1) stays_[d] = kNone;
            if (stays_[d] != kNone) wanted |= 1U << stays_[d];
        }
        for (; wanted != 0; wanted &= wanted - 1) {
            const int t = std::countr_zero(wanted);
            const std::uint32_t moving = charges_.tensor(t).moving;
            ByPoint& moved = moved_[t];
            moved = next_;
            lattice_.look_outwards(moving, moved);
            for (int point = 0; point < lattice_.size(); ++point)
                if (double& pj = moved[point]; pj < kInfinite) pj += tiles_.least_moving_pj(charges_, t, level, point);
            lattice_.look_outwards(all_ & ~moving, moved);
            ByPoint& never = never_moved_[t];
            never = next_;
            lattice_.look_outwards(all_ & ~moving, never);
        }
    }

    double pj(const Fitting& fitting, std::size_t i) const {
        const auto at = static_cast<std::size_t>(fitting.points[i]);
        const std::span<const double> along = std::span(fitting.along).subspan(i * dimensions_, dimensions_);
        const std::span<const double> staying = std::span(fitting.staying).subspan(i * tensors_, tensors_);
        double least = kInfinite;
        for (std::size_t d = 0; d < dimensions_; ++d)
            if (is_left(fitting.points[i], d)) least = std::min(least, pj_along(d, along[d], staying, at));
        return least < kInfinite ? least : along.front() + outside_[at];  // no loop is left
    }

    // A single tensor rests for a time given by the next tile; several each rest as long as possible.
    double pj_along(std::size_t d, double along, std::span<const double> staying, std::size_t at) const {
        if (stays_[d] == kNone) return along + outside_[at];
        const auto which = static_cast<std::size_t>(stays_[d]);
        return std::min(along - staying[which] + moved_[which][at], along + never_moved_[which][at]);
    }

    static constexpr int kNone = -1;

    const Charges& charges_;
    TileNumbers& tiles_;
    const Lattice& lattice_;
    const std::size_t dimensions_;
    const std::size_t tensors_;
    const std::uint32_t all_;
    std::vector<Fitting> levels_;
    std::vector<double> alone_pj_;  ///< by level
    double all_alone_pj_ = 0.0;
    ByPoint next_;            ///< deliveries to the next outer memory, by its tile's point
    ByPoint outside_;         ///< all outer memories, minimum over the loops between
    std::vector<int> stays_;  ///< by dimension: the only tensor it is irrelevant to
    std::array<ByPoint, kMaxTensors> moved_;
    std::array<ByPoint, kMaxTensors> never_moved_;
};

}  // namespace

std::optional<std::vector<std::vector<double>>> chained_pj(const Charges& charges, TileNumbers& tiles,
                                                           const std::function<bool(double pj)>& out_of_reach) {
    return ChainOfTiles(charges, tiles).run(out_of_reach);
}

}  // namespace tilewright::certificate
