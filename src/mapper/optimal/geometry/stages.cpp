#include "mapper/optimal/geometry/stages.hpp"

#include <algorithm>
#include <map>

namespace tilewright::optimal {
namespace {

// By memory its placed stores: its tensors, and an additional bit for a memory keeping nothing.
using Placed = std::array<std::uint32_t, kMaxMemories>;

class UnevenStages {
   public:
    explicit UnevenStages(const Charges& charges) : charges_(charges), levels_(charges.level_count()) {
        for (int l = 0; l < levels_; ++l) {
            const std::uint32_t keeps = charges.assignment()[l].keep.bits();
            all_[l] = keeps != 0 ? keeps : 1U << charges.tensor_count();
            for (int d = 0; d < charges.dimension_count(); ++d) spreads_[l] |= charges.assignment()[l].spatial[d] > 1;
        }
    }

    // Breadth first, one store at a time (the last ones together): stages by ascending number of stores.
    std::vector<Stage> run() {
        number_of({});
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const Placed placed = placed_[i];  // both vectors grow
            std::vector<Placing> next;
            for (int l = levels_ - 1; l >= 0; --l) add_placings(placed, stages_[i].crossed, l, next);
            stages_[i].next = std::move(next);
        }
        return std::move(stages_);
    }

   private:
    bool is_whole(const Placed& placed, int level) const { return placed[level] == all_[level]; }

    int number_of(const Placed& placed) {
        const auto [at, fresh] = numbers_.try_emplace(placed, static_cast<int>(stages_.size()));
        if (fresh) {
            stages_.push_back(stage_of(placed));
            placed_.push_back(placed);
        }
        return at->second;
    }

    Stage stage_of(const Placed& placed) const {
        Stage stage;
        stage.owner = -1;
        for (int t = 0; t < charges_.tensor_count(); ++t)
            stage.stored[t] = static_cast<std::int8_t>(outermost_placed(placed, t));
        for (int l = levels_ - 1; l >= 0; --l) {
            if (placed[l] == 0) stage.owner = std::max(stage.owner, l);
            if (is_whole(placed, l)) {
                stage.whole |= 1U << l;
            } else if (placed[l] != 0) {
                stage.begun |= 1U << l;
            }
        }
        stage.crossed = levels_;
        while (stage.crossed > 0 && may_cross(placed, stage.crossed - 1)) --stage.crossed;
        return stage;
    }

    // A bypassed memory stands at its innermost store, if all inside stand further in; at the latest at the tensor's
    // next outer store (uneven.hpp).
    int outermost_placed(const Placed& placed, int tensor) const {
        for (int l = 0; l < levels_; ++l)
            if (keeps(l, tensor) && (placed[l] >> tensor & 1U) != 0) return from_inside(placed, tensor, l);
        return from_inside(placed, tensor, levels_);
    }

    int from_inside(const Placed& placed, int tensor, int outermost) const {
        while (outermost > 0 && !keeps(outermost - 1, tensor) && placed[outermost - 1] != 0) --outermost;
        return outermost;
    }

    bool keeps(int level, int tensor) const { return charges_.assignment()[level].keep.has(tensor); }

    bool may_cross(const Placed& placed, int fanout) const {
        if (!spreads_[fanout]) return true;
        for (int l = fanout + 1; l < levels_; ++l)
            if (!is_whole(placed, l)) return false;
        return true;
    }

    // The outermost memory comes last, all at once. The others tensor by tensor, each after its stores inside.
    void add_placings(const Placed& placed, int crossed, int level, std::vector<Placing>& next) {
        if (is_whole(placed, level) || crossed > level) return;
        if (level == 0) {
            for (int l = 1; l < levels_; ++l)
                if (!is_whole(placed, l)) return;
            place(placed, level, all_[level], next);
            return;
        }
        for (std::uint32_t left = all_[level] & ~placed[level]; left != 0; left &= left - 1) {
            const std::uint32_t one = left & (~left + 1);
            bool inside_placed = true;
            for (int l = level + 1; l < levels_; ++l) inside_placed &= (all_[l] & one & ~placed[l]) == 0;
            if (inside_placed || charges_.assignment()[level].keep.empty()) place(placed, level, one, next);
        }
    }

    void place(Placed placed, int level, std::uint32_t bits, std::vector<Placing>& next) {
        placed[level] |= bits;
        const TensorSet tensors = TensorSet::from_bits(bits & charges_.assignment()[level].keep.bits());
        const bool completes = is_whole(placed, level);
        next.push_back({level, tensors, completes, number_of(placed)});
    }

    const Charges& charges_;
    int levels_;
    Placed all_{};
    std::array<bool, kMaxMemories> spreads_{};
    std::map<Placed, int> numbers_;
    std::vector<Stage> stages_;
    std::vector<Placed> placed_;
};

}  // namespace

Stages Stages::even(const Charges& charges) {
    Stages stages;
    const int levels = charges.level_count();
    for (int stored = levels; stored >= 0; --stored) {
        Stage stage;
        stage.owner = stored - 1;
        stage.stored.fill(static_cast<std::int8_t>(stored));
        stage.crossed = std::max(0, stored - 1);
        stage.whole = ((1U << levels) - 1U) & ~((1U << stored) - 1U);
        if (stored > 0)
            stage.next.push_back({stored - 1, charges.assignment()[stored - 1].keep, true, levels - stored + 1});
        stages.stages_.push_back(std::move(stage));
    }
    return stages;
}

Stages Stages::uneven(const Charges& charges) {
    Stages stages;
    stages.even_ = false;
    stages.stages_ = UnevenStages(charges).run();
    return stages;
}

}  // namespace tilewright::optimal
